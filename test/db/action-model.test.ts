import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTION_TRANSITIONS } from '../../core/actions/action-states.ts';
import { lockAction, moveAction } from '../../core/actions/actions.sql.ts';
import { cancelAction, withdrawAction } from '../../core/actions/draft.ts';
import { claimAction, LEASE_MS } from '../../core/actions/execute.ts';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import type { ActionStatus } from '../../core/kernel/vocabulary.ts';
import { nextStep } from '../../core/work/retry-policy.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { type ActionWorld, createActionWorld, WANTED } from '../support/actions.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PEOPLE = [PERSONA.financeOwner, PERSONA.approver, PERSONA.auditor];
const MAX_ATTEMPTS = 6;
const OTHER_LABEL = LABEL_CATALOG[0].guid;

type Item = { label: string | null; version: number };
/** What happens to a write, where one is tried. */
type Fault = 'none' | 'refused' | 'throttled' | 'answer_lost';

/** What the documents say of one action, kept in the plainest way. */
type Model = {
  status: ActionStatus;
  item: Item;
  seen: Item;
  requester: string;
  authors: Set<string>;
  /** Who is no longer an active principal. */
  gone: Set<string>;
  decidedBy: string | null;
  attempt: number;
  dueAt: number;
  writes: number;
  approvals: number;
};
type Real = { assetId: string; actionId: string; externalId: string };
type Command = fc.AsyncCommand<Model, Real>;

let database: TestDatabase;
let world: ActionWorld;
beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 1 });
  world = await createActionWorld(database);
  await database.inspect(sql`
    insert into principal_roles select ${DEV}, who, 'remediation_approver' from unnest(${PEOPLE}::text[]) as who
    on conflict do nothing`);
});
afterAll(() => database.drop());

/** One attempt, if one is due. */
function execute(model: Model, fault: Fault): void {
  const now = world.clock.now;
  if ((model.status !== 'approved' && model.status !== 'executing') || model.dueAt > now) return;
  if (!begin(model)) return;
  const later = (retryClass: 'throttled' | 'transient') => {
    const step = nextStep(retryClass, model.attempt, MAX_ATTEMPTS, null);
    model.status = step.kind === 'dead' ? 'failed' : 'approved';
    if (step.kind === 'retry') model.dueAt = now + step.delayMs;
  };
  if (model.item.label === WANTED) model.status = 'verified';
  else if (model.item.label !== model.seen.label || model.item.version !== model.seen.version)
    model.status = 'drifted';
  else if (fault === 'refused') model.status = 'failed';
  else if (fault === 'throttled') later('throttled');
  else {
    write(model);
    if (fault === 'none') model.status = 'verified';
    else later('transient');
  }
}

/** False where its attempts are spent, or who asked for it or approved it is gone. */
function begin(model: Model): boolean {
  if (model.attempt >= MAX_ATTEMPTS) {
    model.status = 'failed';
    return false;
  }
  model.attempt++;
  if (model.gone.has(model.requester) || model.gone.has(model.decidedBy ?? '')) {
    model.status = 'failed';
    return false;
  }
  model.status = 'executing';
  model.dueAt = world.clock.now + LEASE_MS;
  return true;
}

function write(model: Model): void {
  model.item = { label: WANTED, version: model.item.version + 1 };
  model.writes++;
}

async function withFault(fault: Fault, run: () => Promise<unknown>): Promise<void> {
  const rejects = (error: ConnectorError) => () => Promise.reject(error);
  if (fault === 'refused')
    world.around.before = rejects(new ConnectorError('policy_denied', 'http_status_403'));
  if (fault === 'throttled')
    world.around.before = rejects(new ConnectorError('throttled', 'source_throttled'));
  if (fault === 'answer_lost') world.around.after = rejects(new ConnectorError('transient', 'aborted'));
  try {
    await run();
  } finally {
    world.around.before = async () => undefined;
    world.around.after = async () => undefined;
  }
}

/** A command of which the model and the service tell the same afterwards. */
const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  toString: () => name,
  run: async (model, real) => {
    world.clock.now += 1;
    await run(model, real);
    const [row] = await database.inspect<{ status: string; decided_by: string | null; attempt: number }>(
      sql`select status, decided_by, attempt from actions where action_id = ${real.actionId}`,
    );
    expect(row).toEqual({ status: model.status, decided_by: model.decidedBy, attempt: model.attempt });
    expect(await world.labelOf(real.assetId)).toBe(model.item.label);
    expect(world.written.count).toBe(model.writes);
    expect(model.writes).toBeLessThanOrEqual(model.approvals);
    expect(model.authors).not.toContain(row?.decided_by);
  },
});

/** Runs what the model says is refused or not, and holds it to that. */
async function refusedIf(isRefused: boolean, attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isRefused) expect(error).toBeNull();
  else expect(error instanceof ServiceError && error.code).toBe('conflict');
}

const submit = (who: string) =>
  command(`submit by ${who}`, async (model, { actionId }) => {
    const isRefused =
      model.status !== 'draft' || model.seen.label === WANTED || model.gone.has(model.requester);
    await refusedIf(isRefused, world.submit(who, actionId));
    if (isRefused) return;
    model.status = 'awaiting_approval';
    model.authors.add(who);
  });

const repreview = (who: string) =>
  command(`repreview by ${who}`, async (model, { actionId }) => {
    const isRefused = !['draft', 'drifted', 'failed'].includes(model.status);
    await refusedIf(isRefused, world.repreview(who, actionId));
    if (isRefused) return;
    Object.assign(model, { status: 'draft', seen: model.item, decidedBy: null, attempt: 0 });
    model.authors.add(who);
  });

const decide = (who: string, decision: 'approve' | 'reject', fault: Fault) =>
  command(`${decision} by ${who} (${fault})`, async (model, { actionId }) => {
    const standing =
      decision === 'approve' ? ['approved', 'executing', 'verified', 'failed', 'drifted'] : ['rejected'];
    const repeats = model.decidedBy === who && standing.includes(model.status);
    const isRefused = model.authors.has(who) || !(repeats || model.status === 'awaiting_approval');
    await withFault(fault, () => refusedIf(isRefused, world.decide(who, actionId, decision)));
    if (isRefused) return;
    if (!repeats) {
      model.decidedBy = who;
      model.status = decision === 'approve' ? 'approved' : 'rejected';
      model.dueAt = world.clock.now;
      if (decision === 'approve') model.approvals++;
    }
    if (decision === 'approve') execute(model, fault);
  });

/** The approval is committed, and the process dies before it begins. */
const approveAndDie = (who: string) =>
  command(`approve by ${who}, and die`, async (model, { actionId }) => {
    if (model.status !== 'awaiting_approval' || model.authors.has(who)) return;
    const { now } = world.clock;
    await world.inTenant(async (tx) => {
      const action = await lockAction(tx, actionId, { kind: 'tenant' });
      if (action === null) throw new Error('No such action');
      const decidedBy = who as PrincipalId;
      const by = { principalId: decidedBy, now, audit: () => undefined };
      await moveAction(tx, action, 'approved', by, { decidedBy, dueAt: new Date(now) });
    });
    Object.assign(model, { status: 'approved', decidedBy: who, dueAt: now });
    model.approvals++;
  });

const end = (who: string, how: 'withdrawn' | 'cancelled') =>
  command(`${how} by ${who}`, async (model, { actionId }) => {
    const open = ['draft', 'awaiting_approval', 'drifted', 'failed'];
    const isRefused =
      how === 'withdrawn'
        ? who !== model.requester || !open.includes(model.status)
        : ![...open, 'approved'].includes(model.status);
    const run = how === 'withdrawn' ? withdrawAction : cancelAction;
    await refusedIf(
      isRefused,
      world.inTenant((tx) => run(tx, world.by(who), actionId)),
    );
    if (!isRefused) model.status = 'cancelled';
  });

const leaveOrReturn = (who: string, how: 'leaves' | 'returns') =>
  command(`${who} ${how}`, async ({ gone }) => {
    const status = how === 'leaves' ? 'disabled' : 'active';
    await database.inspect(sql`update principals set status = ${status} where principal_id = ${who}`);
    if (how === 'leaves') gone.add(who);
    else gone.delete(who);
  });

const change = (how: 'rename' | 'clear_label' | 'other_label' | 'wanted_label') =>
  command(how, async (model, { assetId }) => {
    const labelGuid = how === 'other_label' ? OTHER_LABEL : WANTED;
    const action = how === 'rename' || how === 'clear_label' ? how : 'set_label';
    await world.atSource(assetId, { action, labelGuid });
    const label = how === 'rename' ? model.item.label : how === 'clear_label' ? null : labelGuid;
    model.item = { label, version: model.item.version + 1 };
  });

const sweep = (fault: Fault) =>
  command(`sweep (${fault})`, async (model) => {
    const signal = new AbortController().signal;
    await withFault(fault, () => sweepActions(world.parts, { signal, budgetMs: 60_000 }));
    execute(model, fault);
  });

/** A process that begins and dies, before its write or after it. */
const crash = (when: 'before the write' | 'after the write') =>
  command(`crash ${when}`, async (model, { actionId, externalId }) => {
    const isDue = ['approved', 'executing'].includes(model.status) && model.dueAt <= world.clock.now;
    const claim = await claimAction(world.parts, DEV, actionId);
    const begins = isDue && begin(model);
    expect(claim !== null).toBe(begins);
    const { item, seen } = model;
    const writes = item.label !== WANTED && item.label === seen.label && item.version === seen.version;
    if (!begins || !writes || when === 'before the write') return;
    const ifSourceVersion = claim?.sourceVersion ?? '';
    const { signal } = new AbortController();
    await world.writer.writeLabel(
      { scopeExternalId: 'site-test', externalId, ifSourceVersion },
      { labelGuid: WANTED, justification: 'It holds invoices.' },
      signal,
    );
    write(model);
  });

const later = (milliseconds: number) =>
  command(`${milliseconds} ms later`, async () => {
    world.clock.now += milliseconds;
  });

const person = fc.constantFrom(...PEOPLE);
const fault = fc.constantFrom<Fault>('none', 'none', 'refused', 'throttled', 'answer_lost');
const mostly = <T>(times: number, of: T): T[] => Array<T>(times).fill(of);
const commands = fc.commands(
  [
    ...mostly(4, person.map(submit)),
    ...mostly(
      2,
      fc
        .tuple(person, fc.constantFrom('approve', 'approve', 'approve', 'reject'), fault)
        .map((of) => decide(...of)),
    ),
    ...mostly(3, person.map(approveAndDie)),
    ...mostly(3, fc.constantFrom('before the write', 'after the write').map(crash)),
    ...mostly(2, fault.map(sweep)),
    ...mostly(2, person.map(repreview)),
    fc.tuple(person, fc.constantFrom('leaves', 'returns', 'returns')).map((of) => leaveOrReturn(...of)),
    ...mostly(2, fc.constantFrom(1_000, 10_000, LEASE_MS).map(later)),
    fc.constantFrom('rename', 'clear_label', 'other_label', 'wanted_label').map(change),
    fc
      .tuple(person, fc.constantFrom('withdrawn', 'cancelled'), fc.integer({ min: 0, max: 9 }))
      .map(([who, how, dice]) => (dice === 0 ? end(who, how) : later(1))),
  ],
  { maxCommands: 60, size: 'max' },
);

let runs = 0;
async function fresh(): Promise<{ model: Model; real: Real }> {
  // What an earlier run left is over.
  await database.inspect(
    sql`update actions set status = 'cancelled', due_at = null where due_at is not null`,
  );
  await database.inspect(sql`update principals set status = 'active' where tenant_id = ${DEV}`);
  const assetId = `ast_${++runs}`;
  await world.makeAsset(assetId);
  world.written.count = 0;
  const [requester = ''] = PEOPLE;
  const { actionId } = await world.draft(requester, assetId);
  const item = { label: null, version: 1 };
  return {
    model: {
      status: 'draft',
      item,
      seen: item,
      requester,
      authors: new Set([requester]),
      gone: new Set(),
      decidedBy: null,
      attempt: 0,
      dueAt: 0,
      writes: 0,
      approvals: 0,
    },
    real: { assetId, actionId, externalId: `ext-${assetId}` },
  };
}

test('an action keeps to its states in any order of people, source and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const start = await fresh();
      await fc.asyncModelRun(() => start, list);
      const history = await database.inspect<{ from: string | null; trigger: string; to: string }>(sql`
        select from_status as "from", trigger, to_status as "to" from action_transitions
         where action_id = ${start.real.actionId} order by revision`);
      let at: string | null = null;
      for (const step of history) {
        expect(step.from).toBe(at);
        expect(ACTION_TRANSITIONS).toContainEqual(step);
        at = step.to;
      }
      expect(at).toBe(start.model.status);
    }),
    { numRuns: propertyRuns(25) },
  );
});
