import { expect } from 'vitest';
import { asPersona, type CallerOptions, withSession } from '../../client/callers.ts';
import { authListPersonas, authShowPrincipal } from '../../client/generated/auth/auth.ts';
import {
  reviewGetCandidate,
  reviewListDecisions,
  reviewListDestinations,
  reviewListQueue,
} from '../../client/generated/review/review.ts';
import type { Candidate, ReviewListDecisionsParams } from '../../client/generated/service.schemas.ts';
import { knowingOnlyWhatWasRead } from './read-ids.ts';

/** A person who knows only what the API has shown them, and finds things by name. The last argument of each call. */
export type Person = CallerOptions & { principalId: string; displayName: string };

/** Signs in a person from the list of personas. */
export async function enter(baseUrl: string, displayName: string): Promise<Person> {
  const { items } = await authListPersonas({ baseUrl });
  const { principalId } =
    items.find((each) => each.displayName === displayName) ?? expect.unreachable(displayName);
  return personAs(await asPersona(baseUrl, principalId));
}

/** The person of a session: `svc_session=…` as a browser sends it. */
export const personWith = async (baseUrl: string, cookie: string): Promise<Person> =>
  personAs(await withSession(baseUrl, cookie));

async function personAs(caller: CallerOptions): Promise<Person> {
  const guarded = { ...caller, fetch: knowingOnlyWhatWasRead(fetch) };
  const { principalId, displayName } = await authShowPrincipal(guarded);
  return { ...guarded, principalId, displayName };
}

export const queueOf = async (who: Person) => (await reviewListQueue({}, who)).items;

export const isAsked = async (who: Person, assetName: string) =>
  (await queueOf(who)).some((each) => each.assetName === assetName);

/** The only question of a person about a file. */
export async function questionAbout(who: Person, assetName: string): Promise<Candidate> {
  const [question, ...more] = (await queueOf(who)).filter((each) => each.assetName === assetName);
  expect(more, assetName).toEqual([]);
  return question ?? expect.unreachable(`nothing is asked about ${assetName}`);
}

export const detailOf = (who: Person, { candidateId }: { candidateId: string }) =>
  reviewGetCandidate(candidateId, {}, who);

export const ownDecisions = async (who: Person, params: ReviewListDecisionsParams = {}) =>
  (await reviewListDecisions(params, who)).items;

/** A domain to which the person can route an asset. */
export async function domainCalled(who: Person, name: string): Promise<string> {
  const { domains } = await reviewListDestinations(who);
  return domains.items.find((each) => each.domainName === name)?.domainId ?? expect.unreachable(name);
}

/** A type to which the person can correct. */
export async function ownTypeCalled(who: Person, name: string): Promise<string> {
  const { informationTypes } = await reviewListDestinations(who);
  const found = informationTypes.items.find((each) => each.informationTypeName === name);
  return found?.informationTypeId ?? expect.unreachable(name);
}
