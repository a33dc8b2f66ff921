import { expect } from 'vitest';
import type { z } from 'zod';
import type { Candidate, CandidateDetailSchema } from '../../core/review/candidate-schema.ts';
import type { ListedDecision } from '../../core/review/decision-list.sql.ts';
import type { CorrectionSchema, DestinationSchema } from '../../core/review/destinations.sql.ts';
import { type ApiClient, signIn } from '../../infra/local/api-client.ts';
import { knowingOnlyWhatWasTold } from './told-ids.ts';

export type List<T> = { items: T[] };
type Persona = { principalId: string; displayName: string };
/** A person who knows only what the API has told them, and finds things by name. */
export type Person = ApiClient & Persona;

/** Signs in a person from the list of personas. */
export async function enter(url: string, displayName: string): Promise<Person> {
  const { items } = (await (await fetch(`${url}/api/auth/dev/personas`)).json()) as List<Persona>;
  const persona = items.find((each) => each.displayName === displayName) ?? expect.unreachable(displayName);
  return { ...persona, ...knowingOnlyWhatWasTold(await signIn(url, persona.principalId)) };
}

export const queueOf = async (who: Person) => (await who.get<List<Candidate>>('/api/review/queue')).items;

export const isAsked = async (who: Person, assetName: string) =>
  (await queueOf(who)).some((each) => each.assetName === assetName);

/** The only question of a person about a file. */
export async function questionAbout(who: Person, assetName: string): Promise<Candidate> {
  const [question, ...more] = (await queueOf(who)).filter((each) => each.assetName === assetName);
  expect(more, assetName).toEqual([]);
  return question ?? expect.unreachable(`nothing is asked about ${assetName}`);
}

export const detailOf = (who: Person, { candidateId }: { candidateId: string }) =>
  who.get<z.infer<typeof CandidateDetailSchema>>(`/api/review/candidates/${candidateId}`);

export const ownDecisions = async (who: Person, query = '') =>
  (await who.get<List<ListedDecision>>(`/api/review/decisions${query}`)).items;

type Destinations = {
  domains: List<z.infer<typeof DestinationSchema>>;
  informationTypes: List<z.infer<typeof CorrectionSchema>>;
};
const destinationsOf = (who: Person) => who.get<Destinations>('/api/review/destinations');

/** A domain to which the person can route an asset. */
export async function domainCalled(who: Person, name: string): Promise<string> {
  const { domains } = await destinationsOf(who);
  return domains.items.find((each) => each.domainName === name)?.domainId ?? expect.unreachable(name);
}

/** A type to which the person can correct. */
export async function ownTypeCalled(who: Person, name: string): Promise<string> {
  const { informationTypes } = await destinationsOf(who);
  const found = informationTypes.items.find((each) => each.informationTypeName === name);
  return found?.informationTypeId ?? expect.unreachable(name);
}
