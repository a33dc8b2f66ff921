import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import { CANDIDATE_TRANSITIONS } from '../../core/review/candidate-states.ts';
import { decide } from '../../core/review/decide.ts';
import type { CandidateStatus, Decision, DecisionRequest } from '../../core/review/decision.ts';
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
  revision: number;
  /** By which it has its status. */
  standing: Answer | null;
  /** The last of its own, whatever came of it. */
  last: Answer | null;
  /** Whether the model has ever said something that is still behind it. */
  inferred: boolean;
};
/** By `domain/type`, the type being empty where the domain alone was named. */
type Model = { day: number; questions: Map<string, Question>; decisions: number };
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
    select domain_id || '/' || coalesce(information_type_id, '') as key, candidate_id as "candidateId", status, revision
      from candidates where asset_id = ${assetId} order by 1`);

/** A command after which the model and the database tell the same, by the transitions of the table alone. */
function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    run: async (model, real) => {
      const before = new Map((await stored(real)).map((row) => [row.key, row]));
      await run(model, real);
      const rows = await stored(real);
      expect(rows.map(({ key, status, revision }) => ({ key, status, revision }))).toEqual(
        [...model.questions]
          .map(([key, { status, revision }]) => ({ key, status, revision }))
          .sort((a, b) => (a.key < b.key ? -1 : 1)),
      );
      for (const { key, status } of rows) {
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
      expect(said).toEqual({ decisions: model.decisions, assertions: model.decisions });
    },
  };
}

const move = (question: Question, status: CandidateStatus, standing: Answer | null) => {
  Object.assign(question, { status, standing, revision: question.revision + 1 });
};

/** Where an answer leads, as `docs/review.md` says it; null where it is refused. */
function answered(model: Model, key: string, answer: Answer): null | (() => void) {
  const question = model.questions.get(key);
  if (question === undefined) throw new Error('No such question');
  const { status, standing } = question;
  if (status === 'routed' || status === 'withdrawn') return null;
  const open = status === 'pending' || status === 'deferred';
  // What comes on the thirtieth day comes a moment after it.
  if (!open && (standing === null || model.day - standing.day >= REVISABLE)) return null;
  const there = answer.sentTo === null ? undefined : model.questions.get(keyOf(answer.sentTo, null));
  if (there?.status === 'rejected') return null;
  return () => {
    const outcome = {
      mine: 'confirmed',
      mine_not_sensitive: 'confirmed',
      mine_different_type: 'confirmed',
      not_a_match: 'rejected',
      need_more_evidence: 'deferred',
      another_domain: 'routed',
    } as const;
    move(question, outcome[answer.decision], answer);
    question.last = answer;
    model.decisions++;
    if (answer.sentTo !== null) {
      const sent = model.questions.get(keyOf(answer.sentTo, null));
      if (sent === undefined)
        model.questions.set(keyOf(answer.sentTo, null), {
          status: 'pending',
          revision: 0,
          standing: null,
          last: null,
          inferred: false,
        });
      else if (['deferred', 'withdrawn', 'routed'].includes(sent.status)) move(sent, 'pending', null);
    }
    const domain = key.slice(0, key.indexOf('/'));
    if (key === keyOf(domain, null)) {
      for (const other of model.questions.values()) {
        if (other === question) continue;
        if (answer.decision === 'not_a_match') {
          if (other.status === 'routed' && other.standing?.sentTo === domain) move(other, 'pending', null);
        } else if (status === 'rejected' && other.status === 'pending' && other.last?.sentTo === domain) {
          move(other, 'routed', other.last);
        }
      }
    }
    if (answer.type !== null) correct(model, key, answer);
    release(model);
  };
}

/** A corrected type is confirmed, unless its owner has confirmed it himself. */
function correct(model: Model, key: string, answer: Answer) {
  const domain = DOMAINS.find((each) => TYPES[each] === answer.type);
  const named = keyOf(domain ?? '', answer.type);
  const question = model.questions.get(named);
  if (named === key) throw new Error('A type is not corrected to itself');
  if (question === undefined)
    model.questions.set(named, {
      status: 'confirmed',
      revision: 0,
      standing: answer,
      last: null,
      inferred: false,
    });
  else {
    const overruled =
      question.standing?.type != null && keyOf(domain ?? '', question.standing.type) !== named;
    if (question.status === 'confirmed' && !overruled) return;
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
    if (by === null || by.of === key || standing.some(([, each]) => each.standing === by)) continue;
    const type = key.slice(key.indexOf('/') + 1);
    const other = standing.find(([, each]) => each.standing?.type === type)?.[1].standing ?? null;
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
    const domain = row.key.slice(0, row.key.indexOf('/'));
    const target = DOMAINS.filter((each) => each !== domain)[other];
    const sentTo = decision === 'another_domain' ? (target ?? null) : null;
    const type = decision === 'mine_different_type' && target !== undefined ? TYPES[target] : null;
    const principalId = OWNERS[by] ?? OWNERS[0];
    const question = model.questions.get(row.key);
    const said: Answer = { decision, by: principalId, day: model.day, sentTo, of: row.key, type };

    const standing = question?.standing ?? null;
    const repeated =
      standing?.of === row.key &&
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

/** The model reads the asset anew, and finds these domains' types in it. */
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
        if (question === undefined)
          model.questions.set(key, {
            status: 'pending',
            revision: 0,
            standing: null,
            last: null,
            inferred: true,
          });
        else if (['pending', 'deferred', 'withdrawn'].includes(question.status)) {
          question.inferred = true;
          move(question, 'pending', null);
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
  const first: Question = { status: 'pending', revision: 0, standing: null, last: null, inferred: true };
  return {
    model: { day: 0, questions: new Map([[keyOf('dom_finance', TYPES.dom_finance), first]]), decisions: 0 },
    real,
  };
}

test('whatever owners and the model say in whatever order, every question stands where the rules lead', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const { model, real } = await freshAsset();
      await fc.asyncModelRun(() => ({ model, real }), list);
    }),
    { numRuns: propertyRuns(25) },
  );
}, 120_000);
