import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import type { CandidateStatus } from '../../core/review/candidate-states.ts';
import { CANDIDATE_TRANSITIONS } from '../../core/review/candidate-states.ts';
import { decide } from '../../core/review/decide.ts';
import type { Decision, DecisionRequest } from '../../core/review/decision.ts';
import { infer, storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { said } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-01-05T08:00:00Z');
/** Domains, and the type of each that the model may name; each is also routed to, without a type. */
const TYPES = {
  dom_finance: 'ift_invoices',
  dom_human_resources: 'ift_payroll',
  dom_legal: 'ift_board_papers',
} as const;
type Domain = keyof typeof TYPES;
const DOMAINS = Object.keys(TYPES) as Domain[];
const OWNERS = [PERSONA.financeOwner, PERSONA.peopleOwner] as const;

/** What is said of one question: by whom, when, and which domain it was sent to. */
type Answer = {
  decision: Decision;
  by: string;
  day: number;
  sentTo: Domain | null;
  of: string;
  type: string | null;
};
type Question = {
  status: CandidateStatus;
  /** How often it changed in what an answer would state. */
  changes: number;
  /** By which it has its status. */
  standing: Answer | null;
  /** That which was refused where it sent the asset, so that it waits again. */
  returned: Answer | null;
  /** Whether a colleague sent the asset, and nobody here has answered since. */
  isSent: boolean;
  /** Whether the model has ever said something that is still behind it. */
  inferred: boolean;
};
/** By `domain/type`, the type being empty where the domain alone was named. */
type Model = { day: number; questions: Map<string, Question>; decisions: number; assertions: number };
type Real = { assetId: string; now: () => number; advance(days: number): void; inferred: number };
type Command = fc.AsyncCommand<Model, Real>;

const keyOf = (domain: string, type: string | null) => `${domain}/${type ?? ''}`;
const REVISABLE = 30;

let database: TestDatabase;
beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);
type Row = { key: string; candidateId: string; status: CandidateStatus; revision: number };
const stored = ({ assetId }: Real) =>
  database.inspect<Row>(sql`
    select domain_id || '/' || coalesce(information_type_id, '') as key, candidate_id as "candidateId", status,
           (select r.revision from question_revision(tenant_id, asset_id, domain_id) r) as revision
      from candidates where asset_id = ${assetId} order by 1`);

/** What an answer in a domain would state: it is other than before exactly if the revision is higher. */
const statedIn = ({ questions }: Model) =>
  new Map(
    DOMAINS.map((domain) => [
      domain,
      [...questions].flatMap(([key, { changes }]) => (domainOf(key) === domain ? `${key} ${changes}` : [])),
    ]),
  );

/** A command after which the model and the database tell the same, by the transitions of the table alone. */
function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    run: async (model, real) => {
      const before = new Map((await stored(real)).map((row) => [row.key, row]));
      const statedBefore = statedIn(model);
      await run(model, real);
      const rows = await stored(real);
      expect(rows.map(({ key, status }) => ({ key, status }))).toEqual(
        [...model.questions]
          .map(([key, { status }]) => ({ key, status }))
          .sort((a, b) => (a.key < b.key ? -1 : 1)),
      );
      const stated = statedIn(model);
      for (const { key, status, revision } of rows) {
        const domain = domainOf(key) as Domain;
        const former = [...before.values()].find((row) => domainOf(row.key) === domain)?.revision ?? -1;
        const isSame = isDeepStrictEqual(stated.get(domain), statedBefore.get(domain));
        expect(Math.sign(revision - former), `${key}: ${former} → ${revision}`).toBe(isSame ? 0 : 1);
        const from = before.get(key)?.status ?? null;
        if (from !== status)
          expect(
            CANDIDATE_TRANSITIONS.some((row) => row.from === from && row.to === status),
            `${from} → ${status}`,
          ).toBe(true);
      }
      const [said] = await database.inspect<{ decisions: number; assertions: number }>(sql`
        select (select count(*)::int from decisions where asset_id = ${real.assetId}) as decisions,
               (select count(*)::int from assertions where asset_id = ${real.assetId} and kind = 'human') as assertions`);
      expect(said).toEqual({ decisions: model.decisions, assertions: model.assertions });
    },
  };
}

const move = (
  question: Question,
  status: CandidateStatus,
  standing: Answer | null,
  returned: Answer | null = null,
) => {
  Object.assign(question, { status, standing, returned, isSent: false, changes: question.changes + 1 });
};
const fresh = (more: Partial<Question> = {}): Question => ({
  status: 'pending',
  changes: 0,
  standing: null,
  returned: null,
  isSent: false,
  inferred: false,
  ...more,
});
const domainOf = (key: string) => key.slice(0, key.indexOf('/'));
const typeOf = (key: string) => key.slice(key.indexOf('/') + 1);
/** Whether an answer about another candidate closed this one by naming its type. */
const isNamed = (key: string, { standing }: Question) =>
  standing !== null && standing.of !== key && standing.type === typeOf(key);

/** The other candidates that one answer is for: those of the domain that wait, or that the same answer closed. */
const others = ({ questions }: Model, key: string, question: Question): [string, Question][] =>
  [...questions].filter(
    ([otherKey, other]) =>
      other !== question &&
      domainOf(otherKey) === domainOf(key) &&
      (question.status === 'pending'
        ? other.status === 'pending'
        : question.standing !== null &&
          other.standing === question.standing &&
          !isNamed(otherKey, other) &&
          !isNamed(key, question)),
  );

/** Where an answer leads, as `docs/review.md` says it; null where it is refused. */
function answered(model: Model, key: string, answer: Answer): null | (() => void) {
  const question = model.questions.get(key);
  if (question === undefined) throw new Error('No such question');
  const { status, standing } = question;
  if (status === 'withdrawn') return null;
  const sentBefore = status === 'routed' ? (standing?.sentTo ?? null) : null;
  const waitsThere = sentBefore !== null && model.questions.get(keyOf(sentBefore, null))?.isSent === true;
  if (status === 'routed' && !waitsThere) return null;
  const open = status === 'pending' || status === 'deferred' || status === 'routed';
  // What comes on the thirtieth day comes a moment after it.
  if (!open && (standing === null || model.day - standing.day >= REVISABLE)) return null;
  const there = answer.sentTo === null ? undefined : model.questions.get(keyOf(answer.sentTo, null));
  if (there?.status === 'rejected') return null;
  const domain = domainOf(key);
  const named = [...model.questions].find(([each]) => answer.type !== null && typeOf(each) === answer.type);
  if (named !== undefined && named[1].status === 'rejected' && domainOf(named[0]) !== domain) return null;
  return () => {
    const outcome = {
      mine: 'confirmed',
      mine_not_sensitive: 'confirmed',
      mine_different_type: 'confirmed',
      not_a_match: 'rejected',
      need_more_evidence: 'deferred',
      another_domain: 'routed',
    } as const;
    const members = [[key, question] as const, ...others(model, key, question)].map(
      ([each, member]) => [each, member, member.status] as const,
    );
    for (const [, member] of members) move(member, outcome[answer.decision], answer);
    model.decisions++;
    model.assertions += members.length;
    if (answer.sentTo !== null) {
      const sent = model.questions.get(keyOf(answer.sentTo, null));
      if (sent === undefined) model.questions.set(keyOf(answer.sentTo, null), fresh({ isSent: true }));
      else if (['deferred', 'withdrawn', 'routed'].includes(sent.status)) {
        move(sent, 'pending', null);
        sent.isSent = true;
      }
    }
    if (sentBefore !== null) {
      const left = model.questions.get(keyOf(sentBefore, null));
      const isSent = [...model.questions.values()].some(
        (each) => each.status === 'routed' && each.standing?.sentTo === sentBefore,
      );
      if (left !== undefined && !isSent) move(left, 'withdrawn', null);
    }
    for (const [each, , before] of members) {
      const sentHere = (said: Answer | null) =>
        said !== null && (typeOf(each) === '' ? said.sentTo === domain : said.type === typeOf(each));
      for (const [otherKey, other] of model.questions) {
        if (otherKey === each) continue;
        if (answer.decision === 'not_a_match') {
          if (['routed', 'confirmed'].includes(other.status) && sentHere(other.standing))
            move(other, 'pending', null, other.standing);
        } else if (before === 'rejected' && other.status === 'pending' && sentHere(other.returned))
          move(other, other.returned?.sentTo ? 'routed' : 'confirmed', other.returned);
      }
    }
    if (answer.type !== null) correct(model, key, answer);
    release(model);
  };
}

/** A corrected type is confirmed, unless its owner has confirmed it themselves. */
function correct(model: Model, key: string, answer: Answer) {
  const domain = DOMAINS.find((each) => TYPES[each] === answer.type);
  const named = keyOf(domain ?? '', answer.type);
  const question = model.questions.get(named);
  if (named === key) throw new Error('A type is not corrected to itself');
  if (question === undefined) model.questions.set(named, fresh({ status: 'confirmed', standing: answer }));
  else {
    const overruled =
      question.standing?.type != null && keyOf(domain ?? '', question.standing.type) !== named;
    if (question.standing === answer || (question.status === 'confirmed' && !overruled)) return;
    if (question.status === 'withdrawn') question.inferred = false;
    move(question, 'confirmed', answer);
  }
}

/** What a correction confirmed that stands no more is asked again, or withdrawn. */
function release(model: Model) {
  const standing = [...model.questions].filter(
    ([key, { standing: answer }]) => answer !== null && answer.of === key && answer.type !== null,
  );
  for (const [key, question] of model.questions) {
    const by = question.standing;
    if (!isNamed(key, question) || standing.some(([, each]) => each.standing === by)) continue;
    const other = standing.find(([, each]) => each.standing?.type === typeOf(key))?.[1].standing ?? null;
    move(question, other !== null ? 'confirmed' : question.inferred ? 'pending' : 'withdrawn', other);
  }
}

type Said = {
  decision: Decision;
  by: number;
  at: number;
  other: number;
  seen: 'current' | 'former' | 'none';
};
const answer = ({ decision, by, at, other, seen }: Said) =>
  command(`${decision} of ${at} by ${by}, ${seen}`, async (model, real) => {
    const rows = await stored(real);
    const row = rows[at % rows.length];
    if (row === undefined) return;
    const domain = domainOf(row.key);
    const target = DOMAINS.filter((each) => each !== domain)[other];
    const sentTo = decision === 'another_domain' ? (target ?? null) : null;
    const type = decision === 'mine_different_type' && target !== undefined ? TYPES[target] : null;
    const principalId = OWNERS[by] ?? OWNERS[0];
    const question = model.questions.get(row.key);
    const said: Answer = { decision, by: principalId, day: model.day, sentTo, of: row.key, type };

    const standing = question?.standing ?? null;
    const repeated =
      standing !== null &&
      question !== undefined &&
      !isNamed(row.key, question) &&
      standing.by === principalId &&
      standing.decision === decision &&
      standing.sentTo === sentTo &&
      standing.type === type;
    const blind = seen === 'none' && standing !== null && standing.by !== principalId;
    const taken =
      repeated || blind || (seen === 'former' && row.revision > 0) ? null : answered(model, row.key, said);

    const request = {
      decision,
      trainingEligible: false,
      ...(sentTo !== null && { routedDomainId: sentTo }),
      ...(type !== null && { correctedInformationTypeId: type }),
      ...(seen !== 'none' && { revision: seen === 'current' ? row.revision : Math.max(0, row.revision - 1) }),
    } as DecisionRequest;
    const caller = {
      principal: { principalId: principalId as PrincipalId } as never,
      visibility: { kind: 'tenant' } as const,
      correlationId: 'cor_1',
      audit: () => undefined,
    };
    const attempt = write((tx) => decide(tx, caller, row.candidateId, request, real.now()));
    if (repeated) expect(await attempt).toMatchObject({ revision: row.revision });
    else if (taken === null)
      await expect(attempt).rejects.toSatisfy(
        (error) => error instanceof ServiceError && error.code === 'conflict',
      );
    else {
      taken();
      expect(await attempt).toMatchObject({ revision: row.revision + 1 });
    }
  });

/** The model reads the asset again, and finds these domains' types in it. */
const inferAgain = (found: readonly Domain[]) =>
  command(`inferred ${found.join()}`, async (model, real) => {
    await write((tx) =>
      infer(
        tx,
        real.assetId,
        `run ${++real.inferred}`,
        found.map((each) => said(each, TYPES[each])),
      ),
    );
    for (const domain of DOMAINS) {
      const key = keyOf(domain, TYPES[domain]);
      const question = model.questions.get(key);
      if (found.includes(domain)) {
        if (question === undefined) model.questions.set(key, fresh({ inferred: true }));
        else if (['pending', 'deferred', 'withdrawn'].includes(question.status)) {
          question.inferred = true;
          move(question, 'pending', null, question.status === 'pending' ? question.returned : null);
        }
      } else if (question?.status === 'pending' && question.inferred) move(question, 'withdrawn', null);
    }
  });

const later = (days: number) =>
  command(`${days} days later`, async (model, real) => {
    model.day += days;
    real.advance(days);
  });

const commands = fc.commands(
  [
    fc
      .record({
        decision: fc.constantFrom<Decision>(
          'mine',
          'mine_different_type',
          'another_domain',
          'another_domain',
          'mine_not_sensitive',
          'not_a_match',
          'not_a_match',
          'need_more_evidence',
        ),
        by: fc.nat(1),
        at: fc.nat(5),
        other: fc.nat(1),
        seen: fc.constantFrom('current' as const, 'current' as const, 'former' as const, 'none' as const),
      })
      .map(answer),
    fc.subarray(DOMAINS).map(inferAgain),
    fc.constantFrom(1, 15, 31).map(later),
  ],
  { maxCommands: 40, size: 'max' },
);

let runs = 0;
async function freshAsset(): Promise<{ model: Model; real: Real }> {
  const assetId = `ast_run_${++runs}`;
  await storeScanned(database.db, DEV, [{ assetId, said: [said('dom_finance', TYPES.dom_finance)] }]);
  let day = 0;
  const real: Real = {
    assetId,
    // No two answers at one moment, since the newest is told by its time.
    now: () => START + day * DAY + ++ticks,
    advance: (days) => {
      day += days;
    },
    inferred: 0,
  };
  let ticks = 0;
  const questions = new Map([[keyOf('dom_finance', TYPES.dom_finance), fresh({ inferred: true })]]);
  return { model: { day: 0, questions, decisions: 0, assertions: 0 }, real };
}

test('every question keeps to the rules in any order of owners and model', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const { model, real } = await freshAsset();
      await fc.asyncModelRun(() => ({ model, real }), list);
    }),
    { numRuns: propertyRuns(25) },
  );
});
