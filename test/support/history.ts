import { expect } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { sweepNoOwner } from '../../core/findings/sweep-no-owner.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import {
  type AssetFacts,
  canTakeBack,
  factsOf,
  revisionOfQuestion,
  type StoredCandidate,
} from './asset-facts.ts';
import type { SignedIn, TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import {
  type Change,
  type Content,
  DAY_MS,
  EXPECTED_DOMAIN,
  type Saying,
  type Step,
  textOf,
} from './history-steps.ts';
import { DEV, PERSONA } from './seed.ts';

const SITE = 'site-people';
/** The domain that has an owner at some times and none at others. */
const CUSTOMERS = 'dom_customers';
const CUSTOMERS_OWNER = 'pri_sofia_marchetti';
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  dom_finance: [PERSONA.financeOwner],
  dom_human_resources: [PERSONA.peopleOwner],
  dom_health_and_safety: [PERSONA.peopleOwner, 'pri_agnes_lindqvist'],
  dom_legal: [PERSONA.legalOwner],
  dom_information_security: ['pri_yuki_tanaka', 'pri_rafael_duarte'],
  dom_product: ['pri_rafael_duarte'],
};
const DESTINATIONS = [CUSTOMERS, 'dom_human_resources', 'dom_health_and_safety', 'dom_finance', CUSTOMERS];
/** Types that a correction can name. */
const NAMED: readonly (readonly [domainId: string, informationTypeId: string])[] = [
  ['dom_human_resources', 'ift_payroll'],
  ['dom_health_and_safety', 'ift_accidents'],
  ['dom_human_resources', 'ift_applications'],
  ['dom_finance', 'ift_invoices'],
  ['dom_finance', 'ift_bank_accounts'],
  [CUSTOMERS, 'ift_published_marketing'],
  ['dom_legal', 'ift_board_papers'],
  ['dom_information_security', 'ift_credentials'],
  ['dom_product', 'ift_roadmaps'],
];

const pick = <T>(choices: readonly T[], number: number): T | undefined => choices[number % choices.length];

export type History = Awaited<ReturnType<typeof startHistories>>;

/**
 * Runs histories over a few files of a site, one after the other, and records the changes at the source and of
 * owners. `database` should contain no other items.
 */
export async function startHistories(database: TestDatabase, service: TestService) {
  const { clock } = service;
  const sessions = new Map<string, Promise<SignedIn>>();
  const as = (principalId: string): Promise<SignedIn> => {
    const session = sessions.get(principalId) ?? service.signInAs(principalId);
    sessions.set(principalId, session);
    return session;
  };
  const posted = async <T>(who: string, path: string, body: object = {}) => {
    const answer = await (await as(who)).post<T>(path, body);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  };

  let edition = 0;
  let assignmentId: string | null = null;
  /**
   * By file: when it was last changed, whether its content has changed since the last scan, and whether a scan has
   * seen every change.
   */
  let files = new Map<string, { modifiedAt: number; edited: boolean; scanned: boolean }>();
  /** By file, as far as scans could see it. */
  const contentModifiedAt = new Map<string, number>();
  /** By file: when it was last assessed for certain. */
  const judgedAt = new Map<string, number>();

  await posted(PERSONA.platformAdmin, '/api/sources/connect');
  const [scope] = await database.inspect<{ scopeId: string }>(
    sql`select scope_id as "scopeId" from scopes where tenant_id = ${DEV} and external_id = ${SITE}`,
  );
  const expectation = `/api/sources/${scope?.scopeId}/expectation`;
  await posted(PERSONA.governanceAdmin, expectation, { domainId: EXPECTED_DOMAIN });
  const scan = async (kind: 'inventory' | 'delta') => {
    await posted(PERSONA.platformAdmin, '/api/scans', { scopeId: scope?.scopeId, kind });
    await service.drain();
    for (const [fileId, file] of files) {
      if (file.scanned) continue;
      if (file.edited) contentModifiedAt.set(fileId, file.modifiedAt);
      judgedAt.set(fileId, clock.now());
      files.set(fileId, { ...file, edited: false, scanned: true });
    }
  };
  const mutate = async (body: { action: string; fileId?: string; content?: string }) => {
    const path = '/api/dev/fixture/mutate';
    const request = { scopeExternalId: SITE, ...body };
    const { fileId } = await posted<{ fileId: string }>(PERSONA.platformAdmin, path, request);
    const edited = body.content !== undefined || files.get(fileId)?.edited === true;
    files.set(fileId, { modifiedAt: clock.now(), edited, scanned: false });
    return fileId;
  };
  const sweep = () => sweepNoOwner(database.db, { clock: clock.now, signal: new AbortController().signal });
  const ownersOf = (domainId: string): readonly string[] =>
    domainId === CUSTOMERS ? (assignmentId === null ? [] : [CUSTOMERS_OWNER]) : (OWNERS[domainId] ?? []);
  const endOwner = async () => {
    if (assignmentId !== null)
      await posted(PERSONA.governanceAdmin, `/api/governance/owners/${assignmentId}/end`);
    assignmentId = null;
  };
  const assignOwner = async () => {
    const assignment = { principalId: CUSTOMERS_OWNER, domainId: CUSTOMERS };
    ({ assignmentId } = await posted<{ assignmentId: string }>(
      PERSONA.governanceAdmin,
      '/api/governance/owners',
      assignment,
    ));
  };

  const changed = async (fileId: string, changing: Change) => {
    switch (changing.action) {
      case 'edit':
        return mutate({ action: 'edit', fileId, content: textOf(changing.content, ++edition) });
      case 'set_label': {
        const label = { labelGuid: pick(LABEL_CATALOG, changing.rank)?.guid };
        return mutate({ action: 'set_label', fileId, ...label });
      }
      default:
        return mutate({ ...changing, fileId });
    }
  };

  const say = async (facts: AssetFacts, step: Saying & { do: 'answer' | 'revise' | 'take_back' }) => {
    const isMeant = {
      answer: ({ status }: StoredCandidate) => status === 'pending',
      revise: ({ status }: StoredCandidate) => ['confirmed', 'rejected', 'deferred'].includes(status),
      take_back: (candidate: StoredCandidate) => canTakeBack(facts, candidate),
    }[step.do];
    const meant = facts.candidates.filter((each) => isMeant(each) && ownersOf(each.domain_id).length > 0);
    const candidate = pick(meant, step.candidate);
    if (candidate === undefined) return;
    const who = pick(ownersOf(candidate.domain_id), step.person) ?? '';
    const named = NAMED.filter(
      ([domainId, type]) => type !== candidate.information_type_id && ownersOf(domainId).includes(who),
    );
    const destinations = DESTINATIONS.filter((each) => each !== candidate.domain_id);
    const correctedInformationTypeId = pick(named, step.named)?.[1];
    if (step.decision === 'mine_different_type' && correctedInformationTypeId === undefined) return;
    const content = {
      ...(step.decision === 'another_domain' && { routedDomainId: pick(destinations, step.named) }),
      ...(step.decision === 'mine_different_type' && { correctedInformationTypeId }),
    };
    const body = { decision: step.decision, revision: revisionOfQuestion(facts, candidate), ...content };
    const path = `/api/review/candidates/${candidate.candidate_id}/decision`;
    const { status, text } = await (await as(who)).post(path, body);
    // It can be refused if another domain has refused the asset or the answer is too old. A waiting question, or one
    // that nobody there has answered, can be answered.
    const mayRefuse = step.do === 'revise' || Object.keys(content).length > 0;
    expect(mayRefuse ? [200, 409] : [200], `${who} ${JSON.stringify(body)}: ${text}`).toContain(status);
    await service.drain();
  };

  /** Creates and scans the files of a history. */
  const begin = async (first: readonly Content[]) => {
    files = new Map();
    await endOwner();
    for (const content of first) await mutate({ action: 'add', content: textOf(content, ++edition) });
    await scan('delta');
    return [...files.keys()];
  };

  const perform = async (step: Step) => {
    clock.advance(1_000);
    const fileIds = [...files.keys()];
    switch (step.do) {
      case 'change':
        await changed(pick(fileIds, step.asset) ?? '', step.change);
        if (step.scanned) await scan('delta');
        return;
      case 'scan':
        return scan('delta');
      case 'rescore':
        await posted(PERSONA.governanceAdmin, '/api/models/rescore');
        await service.drain();
        for (const fileId of fileIds) judgedAt.set(fileId, clock.now());
        return;
      case 'change_owner':
        await (assignmentId === null ? assignOwner() : endOwner());
        await sweep();
        return;
      case 'pass':
        clock.advance(step.days * DAY_MS);
        sessions.clear();
        await sweep();
        return;
      default: {
        const [facts] = await factsOf(database, [pick(fileIds, step.asset) ?? '']);
        if (facts === undefined) return;
        await say(facts, step);
      }
    }
  };

  const end = async () => {
    for (const fileId of files.keys()) await mutate({ action: 'delete', fileId });
    await scan('delta');
  };

  await scan('inventory');
  const [seeded] = await database.inspect<{ id: string }>(sql`
    select assignment_id as id from owner_assignments
     where tenant_id = ${DEV} and domain_id = ${CUSTOMERS} and ended_at is null`);
  assignmentId = seeded?.id ?? null;
  return { as, begin, perform, end, ownersOf, contentModifiedAt, judgedAt };
}
