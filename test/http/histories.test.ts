import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import {
  type AssetFacts,
  answerOf,
  canTakeBack,
  decisionIn,
  factsOf,
  type Seen,
  type StoredCandidate,
  type StoredDecision,
  seenIn,
  sentTo,
  standingOf,
  statedType,
} from '../support/asset-facts.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { type History, startHistories } from '../support/history.ts';
import {
  causesOf,
  changesSince,
  type Levels,
  provenLevel,
  SENSITIVITIES,
  sensitivitiesOf,
} from '../support/history-oracle.ts';
import { type Content, contents, DAY_MS, type Step, steps } from '../support/history-steps.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { detailOf, queueOf } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** What was known of an asset before its newest step. */
type Former = {
  facts: AssetFacts;
  /** By decision: the asset as whoever answered saw it. */
  seen: Map<string, Seen>;
  /** By domain: since when a question waits that somebody sent there. */
  waitingSince: Map<string, number>;
};

let database: TestDatabase;
let service: TestService;
let history: History;
let levels: Levels;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 0 });
  service = await startService(database);
  history = await startHistories(database, service);
  const types = await database.inspect<{ id: string; sensitivity: (typeof SENSITIVITIES)[number] }>(sql`
    select information_type_id as id, sensitivity from information_types where tenant_id = ${DEV}`);
  levels = new Map(types.map(({ id, sensitivity }) => [id, SENSITIVITIES.indexOf(sensitivity)]));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const isOpen = ({ status }: { status: string }) => status !== 'resolved';

/** Rows that say what was said are added, and none is changed or removed. */
function checkRows(facts: AssetFacts, { facts: before }: Former): void {
  for (const [table, key] of [
    ['inferences', 'inference_id'],
    ['decisions', 'decision_id'],
    ['assertions', 'assertion_id'],
  ] as const) {
    const rows = new Map<unknown, object>(facts[table].map((row) => [Reflect.get(row, key), row]));
    for (const row of before[table])
      expect(rows.get(Reflect.get(row, key)), `${table} are only added`).toEqual(row);
  }
}

function checkFindings(facts: AssetFacts, { waitingSince }: Former): void {
  const { causes, maybe } = causesOf(facts, sensitivitiesOf(facts, levels), {
    now: service.clock.now(),
    contentModifiedAt: history.contentModifiedAt.get(facts.fileId) ?? Number.NaN,
    judgedAt: history.judgedAt.get(facts.fileId) ?? Number.NaN,
    waitingSince,
    hasOwner: (domainId) => history.ownersOf(domainId).length > 0,
  });
  const certain = (kinds: Iterable<string>) => [...kinds].filter((each) => !maybe.has(each)).sort();
  const open = facts.findings.filter(isOpen).map(({ kind }) => kind);
  expect(certain(open), 'what is open has a cause, and what has a cause is open').toEqual(certain(causes));
  // Nobody acknowledges here but by an answer that takes the asset for public.
  for (const { status, acknowledged_decision_id: by } of facts.findings) {
    if (status !== 'acknowledged') continue;
    const answered = facts.candidates.filter(
      (each) => each.status === 'confirmed' && each.decision_id === by,
    );
    const stated = answered.map((each) => {
      const answer = standingOf(facts, each);
      const isPublic = answer === null || answer.decision === 'mine_not_sensitive';
      return isPublic ? 0 : levels.get(statedType(each, answer));
    });
    expect(stated, 'what acknowledges a finding stands and says public').toContain(0);
  }
}

/** Whether a candidate's owner says, after an answer that sent the asset to it or named its type, that it is not. */
function isRefusedBy(facts: AssetFacts, candidate: StoredCandidate, answer: StoredDecision): boolean {
  if (candidate.status !== 'rejected') return false;
  const isNamed =
    candidate.information_type_id === null
      ? candidate.domain_id === answer.routed_domain_id
      : candidate.information_type_id === answer.corrected_information_type_id;
  const refusedAt = Date.parse(standingOf(facts, candidate)?.created_at ?? '');
  return isNamed && refusedAt > Date.parse(answer.created_at);
}

function checkAnswers(facts: AssetFacts, { seen }: Former): void {
  const present = seenIn(facts);
  for (const candidate of facts.candidates) {
    const answer = standingOf(facts, candidate);
    if (answer === null) continue;
    const { status, information_type_id: type } = candidate;
    const judged = seen.get(answer.decision_id) ?? expect.unreachable('An answer that nobody gave.');
    if (status === 'confirmed' || (type !== null && present.types.includes(type)))
      expect(
        changesSince(judged, statedType(candidate, answer), present, levels),
        `${answer.decision} of ${type} stands on what it was not given on`,
      ).toEqual([]);
    const refused = facts.candidates.filter(
      (each) => each.candidate_id !== candidate.candidate_id && isRefusedBy(facts, each, answer),
    );
    expect(refused, `${answer.decision} of ${type} stands although it was refused`).toEqual([]);
    if (status !== 'routed') continue;
    const there = sentTo(facts, candidate);
    const isAsked = there !== undefined && !['withdrawn', 'rejected'].includes(there.status);
    const isAnswered = there?.decision_id != null || there?.earlier_decision_id != null;
    expect(isAsked || isAnswered, 'what was sent away is asked or answered there').toBe(true);
  }
}

/** What no longer stands by its answer, though nobody has answered. */
const reconsidered = (facts: AssetFacts, { facts: before }: Former) =>
  facts.decisions.length > before.decisions.length
    ? []
    : before.candidates.flatMap((former) => {
        const answer = standingOf(before, former);
        const candidate = facts.candidates.find((each) => each.candidate_id === former.candidate_id);
        return answer === null || candidate === undefined || standingOf(facts, candidate) !== null
          ? []
          : [{ candidate, answer }];
      });

function checkReconsidered(facts: AssetFacts, former: Former): void {
  const present = seenIn(facts);
  for (const { candidate, answer } of reconsidered(facts, former)) {
    const { status, asked_because, earlier_decision_id, information_type_id: type } = candidate;
    // Of a correction the other type is asked again; a colleague's question that was refused is not.
    const isGone =
      statedType(candidate, answer) !== type || (answer.decision === 'not_a_match' && type === null);
    expect({ status, asked_because, earlier_decision_id }, 'is asked again').toEqual({
      status: isGone && !present.types.includes(type ?? '') ? 'withdrawn' : 'pending',
      asked_because: 'content_changed',
      earlier_decision_id: answer.decision_id,
    });
    const { contentHash } = former.seen.get(answer.decision_id) ?? {};
    expect(contentHash, 'is asked again of the same content').not.toBe(present.contentHash);
  }
}

const logistic = (reasons: readonly { value: number }[]) =>
  1 / (1 + Math.exp(-reasons.reduce((sum, { value }) => sum + value, 0)));

/** As they are stored. Titles are of the detectors. */
const untitled = (signals: readonly object[] | undefined) =>
  signals?.map((signal) => ({ ...signal, title: undefined }));

/** What owners are shown of the candidates of an asset. */
async function checkDetails(facts: AssetFacts, former: Former): Promise<void> {
  const present = seenIn(facts);
  const askedAgain = reconsidered(facts, former);
  for (const candidate of facts.candidates) {
    const { status, information_type_id: type } = candidate;
    const answer = answerOf(facts, candidate);
    const isShown =
      ['pending', 'deferred', 'confirmed'].includes(status) ||
      (status === 'rejected' && service.clock.now() - Date.parse(answer?.created_at ?? '') < 30 * DAY_MS);
    const [owner] = history.ownersOf(candidate.domain_id);
    if (owner === undefined || !isShown) continue;
    const detail = await detailOf(await history.as(owner), candidate.candidate_id);

    const inference = facts.inferences.find(
      (each) => each.inference_key === facts.inferenceKey && each.information_type_id === type,
    );
    expect(detail.inference?.inferenceId, 'the inference of now').toBe(inference?.inference_id);
    expect(untitled(detail.signals), 'the evidence of now').toEqual(present.signals);
    for (const each of [detail.inference, detail.answer?.evidence?.inference])
      if (each) expect(logistic(each.contributions), 'reasons add up').toBeCloseTo(each.confidence, 9);

    expect(detail.answer?.decisionId).toBe(answer?.decision_id);
    const judged = former.seen.get(answer?.decision_id ?? '');
    if (judged !== undefined) {
      expect(detail.answer?.isAboutPresentContent).toBe(judged.contentHash === present.contentHash);
      expect(untitled(detail.answer?.evidence?.signals), 'the evidence of then').toEqual(judged.signals);
      const judgedBy = detail.answer?.evidence?.inference?.inferenceId;
      expect(judgedBy === undefined || judged.inferenceIds.has(judgedBy), 'the inference of then').toBe(true);
    }
    if (status === 'pending' && candidate.asked_because === 'content_changed') {
      expect(detail).toMatchObject({
        askedBecause: 'content_changed',
        earlierAnswer: { decisionId: answer?.decision_id, decision: answer?.decision },
      });
      expect(detail.earlierAnswer?.changes, 'what has changed').not.toEqual([]);
    }
    const asked = askedAgain.find((each) => each.candidate.candidate_id === candidate.candidate_id);
    if (asked === undefined || judged === undefined) continue;
    const told = detail.earlierAnswer?.changes.map(({ kind }) => kind) ?? [];
    const changes = changesSince(judged, statedType(candidate, asked.answer), present, levels);
    expect(
      told.filter((kind) => !kind.startsWith('text_')),
      'what has changed',
    ).toEqual(changes);
  }
}

type ShownAsset = {
  provenance: { items: { decisionId: string | null; isAboutPresentContent: boolean | null }[] };
  riskComponents: { name: string; notes: string }[];
  findings: { kind: string; status: string; notes: string }[];
};

/** What is shown of an asset: of which content answers speak, and in all notes whether an owner has confirmed the level. */
async function checkAsset(facts: AssetFacts, { seen }: Former): Promise<void> {
  const auditor = await history.as(PERSONA.auditor);
  const { status, body } = await auditor.get<ShownAsset>(`/api/assets/${facts.assetId}`);
  expect(status).toBe(200);
  for (const { decisionId, isAboutPresentContent } of body.provenance.items) {
    const judged = decisionId === null ? undefined : seen.get(decisionId);
    expect(isAboutPresentContent, 'the provenance tells of which content').toBe(
      decisionId === null ? null : judged?.contentHash === facts.contentHash,
    );
  }
  const sensitivities = sensitivitiesOf(facts, levels);
  const proven = provenLevel(facts, sensitivities);
  const said = sensitivities.flatMap(({ level, confirmed }) => {
    const name = SENSITIVITIES[level];
    if (!confirmed) return [`${name}; no owner has confirmed it.`];
    const instead = `make it ${SENSITIVITIES[proven ?? 0]}, although an owner has confirmed that it is ${name}.`;
    return [`An owner has confirmed that it is ${name}.`, ...(proven === null ? [] : [instead])];
  });
  const present = [
    ...body.riskComponents.map((each) => ({ kind: each.name, notes: each.notes })),
    ...body.findings.filter(isOpen),
  ];
  for (const { kind, notes } of present)
    if (kind !== 'no_owner')
      expect(
        said.some((each) => notes.endsWith(each)),
        `${kind}: ${notes}`,
      ).toBe(true);
  for (const { kind, notes } of body.findings)
    expect(notes, kind).toMatch(/\b(?:an|no) owner has confirmed\b/i);
}

/** What those who have answered are told of their answers. */
async function checkOwnDecisions(facts: AssetFacts, { seen }: Former): Promise<void> {
  for (const who of new Set(facts.decisions.map((each) => each.principal_id))) {
    type Own = { decisionId: string; isAboutPresentContent: boolean | null; isRevisable: boolean };
    const caller = await history.as(who);
    const { body } = await caller.get<{ items: Own[] }>('/api/review/decisions');
    for (const candidate of facts.candidates) {
      const answer = decisionIn(facts, candidate.decision_id);
      const isTold =
        answer?.principal_id === who &&
        answer.candidate_id === candidate.candidate_id &&
        history.ownersOf(candidate.domain_id).includes(who);
      if (!isTold) continue;
      const own = body.items.find((each) => each.decisionId === answer.decision_id);
      const isSame = seen.get(answer.decision_id)?.contentHash === facts.contentHash;
      // Who does not see the asset any more learns nothing of it.
      const isSeen = (await caller.get(`/api/assets/${facts.assetId}`)).status === 200;
      expect(own?.isAboutPresentContent, 'own answers tell of which content').toBe(isSeen ? isSame : null);
      if (candidate.status === 'routed')
        expect(own?.isRevisable, 'what was sent away can be taken back').toBe(canTakeBack(facts, candidate));
    }
  }
}

/** What waits is asked by one question for an asset and domain. */
async function checkQueue(facts: AssetFacts): Promise<void> {
  const pending = facts.candidates.filter(({ status }) => status === 'pending');
  for (const domainId of new Set(pending.map((each) => each.domain_id))) {
    const [owner] = history.ownersOf(domainId);
    if (owner === undefined) continue;
    const queue = await queueOf(await history.as(owner), `?domainId=${domainId}`);
    const asked = queue.filter(({ assetId }) => assetId === facts.assetId);
    expect(asked, 'one question for an asset and domain').toHaveLength(1);
    const types = asked.flatMap((each) => each.types.map(({ candidateId }) => candidateId));
    const waiting = pending.filter(
      (each) => each.domain_id === domainId && each.information_type_id !== null,
    );
    expect(types.sort(), 'a question is about all that waits').toEqual(
      waiting.map((each) => each.candidate_id).sort(),
    );
  }
}

/** Keeps what an answer was given on, and since when a question waits that somebody sent. */
function remember(facts: AssetFacts, { facts: before, seen, waitingSince }: Former): void {
  const now = service.clock.now();
  for (const { decision_id } of facts.decisions) {
    if (seen.has(decision_id)) continue;
    seen.set(decision_id, seenIn(before));
    history.judgedAt.set(facts.fileId, now);
  }
  for (const { information_type_id, domain_id, status } of facts.candidates) {
    if (information_type_id !== null) continue;
    if (status !== 'pending') waitingSince.delete(domain_id);
    else if (!waitingSince.has(domain_id)) waitingSince.set(domain_id, now);
  }
}

async function check(fileIds: readonly string[], formers: Map<string, Former>): Promise<void> {
  for (const facts of await factsOf(database, fileIds)) {
    const former = formers.get(facts.fileId) ?? { facts, seen: new Map(), waitingSince: new Map() };
    remember(facts, former);
    checkRows(facts, former);
    checkReconsidered(facts, former);
    checkAnswers(facts, former);
    checkFindings(facts, former);
    if (JSON.stringify(facts) !== JSON.stringify(former.facts)) {
      await checkDetails(facts, former);
      await checkAsset(facts, former);
      await checkOwnDecisions(facts, former);
      await checkQueue(facts);
    }
    formers.set(facts.fileId, { ...former, facts });
  }
}

async function live(first: readonly Content[], then: readonly Step[]): Promise<void> {
  try {
    const fileIds = await history.begin(first);
    const formers = new Map<string, Former>();
    await check(fileIds, formers);
    for (const step of then) {
      await history.perform(step);
      await check(fileIds, formers);
    }
  } finally {
    await history.end();
  }
}

const say = { asset: 0, candidate: 0, person: 0, named: 0 };
const edit = (content: Content): Step => ({
  do: 'change',
  asset: 0,
  change: { action: 'edit', content },
  scanned: true,
});
/** What takes long to be met by chance, most of which was wrong once. */
const EXAMPLES: [Content[], Step[]][] = [
  // What was sent away, or put off, and holds nothing any more of what the model took it for.
  ...(['another_domain', 'need_more_evidence'] as const).map((decision): [Content[], Step[]] => [
    [{ prose: 'payroll', identifiers: 'none' }],
    [{ do: 'answer', ...say, decision }, edit({ prose: 'harmless', identifiers: 'none' })],
  ]),
  // A correction that is refused, and taken after all once the content is another one.
  [
    [{ prose: 'applications', identifiers: 'none' }],
    [
      { do: 'answer', ...say, decision: 'mine_different_type', named: 1 },
      { do: 'revise', ...say, decision: 'not_a_match', candidate: 1 },
      edit({ prose: 'applications', identifiers: 'card' }),
      { do: 'revise', ...say, decision: 'mine' },
    ],
  ],
  // Two owners take it for public, and the one whose answer acknowledges what is proven thinks better of it.
  [
    [{ prose: 'applications', identifiers: 'bank' }],
    [
      { do: 'change', asset: 0, change: { action: 'overshare' }, scanned: true },
      { do: 'answer', ...say, decision: 'mine_different_type', named: 1 },
      { do: 'revise', ...say, decision: 'mine_not_sensitive', candidate: 1, person: 1 },
      { do: 'revise', ...say, decision: 'mine_not_sensitive' },
      { do: 'revise', ...say, decision: 'not_a_match' },
    ],
  ],
];

const RUNS = propertyRuns(10);
/** Most of it is for making a history that fails as short as it can be. */
const TIME_LIMIT_MS = 120_000 + RUNS * 3_000;

test(
  'findings, answers and evidence stay true over any history',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(contents, { minLength: 1, maxLength: 3 }),
        fc.array(steps, { minLength: 1, maxLength: 24, size: 'max' }),
        live,
      ),
      {
        numRuns: EXAMPLES.length + RUNS,
        examples: EXAMPLES,
        interruptAfterTimeLimit: TIME_LIMIT_MS,
        markInterruptAsFailure: true,
      },
    ),
  TIME_LIMIT_MS + 30_000,
);
