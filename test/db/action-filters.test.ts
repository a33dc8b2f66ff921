import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionFacets, countActions, countTasks, taskFacets } from '../../core/actions/action-counts.sql.ts';
import { ACTION_SORTS, ActionFilterSchema } from '../../core/actions/action-filter.sql.ts';
import { actionsAfter, listActions } from '../../core/actions/action-list.sql.ts';
import { ACTION_KINDS } from '../../core/actions/action-schema.ts';
import { TaskFilterSchema } from '../../core/actions/task-filter.sql.ts';
import { TASK_STATUSES } from '../../core/actions/task-states.ts';
import { listTasks, tasksAfter } from '../../core/actions/tasks.sql.ts';
import { readableBy } from '../../core/authz/action-visibility.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { DomainId, PrincipalId } from '../../core/kernel/ids.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DOMAINS = ['dom_x', 'dom_y', 'dom_z'] as DomainId[];
const STATUSES = [
  'draft',
  'blocked',
  'awaiting_approval',
  'awaiting_approval',
  'rejected',
  'cancelled',
] as const;

const person = (name: string, roles: readonly Role[], ownedDomains: readonly DomainId[]) => ({
  principalId: `pri_${name}` as PrincipalId,
  kind: 'person' as const,
  roles,
  ownedDomains,
});
/** Two domains share an owner; one person has all roles. */
const PEOPLE = [
  person('x', ['domain_owner'], ['dom_x' as DomainId]),
  person('xy', ['domain_owner'], ['dom_x', 'dom_y'] as DomainId[]),
  person('approver', ['remediation_approver'], []),
  person('both', ['domain_owner', 'remediation_approver'], ['dom_z' as DomainId]),
  person('auditor', ['auditor'], []),
  person('nobody', [], []),
];
const mayApprove = ({ roles }: (typeof PEOPLE)[number]) => roles.includes('remediation_approver');

const of = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
/** The same numbers in each run. */
const dice = fc.sample(fc.nat(9_999), { numRuns: 2_000, seed: 5 });
let thrown = 0;
const die = () => dice[thrown++ % dice.length] as number;
const day = () => Date.UTC(2026, 1, 1 + (die() % 12));

const FACTS = Array.from({ length: 70 }, () => ({
  actionId: `act_${String(die()).padStart(4, '0')}_${thrown}`,
  kind: of(ACTION_KINDS, die()),
  status: of(STATUSES, die()),
  targetAssetId: `ast_of_action_${die() % 6}`,
  domainIds: DOMAINS.filter(() => die() % 2 === 0),
  requestedBy: of(PEOPLE, die()).principalId,
  /** Who previewed it again. */
  previewedBy: die() % 3 === 0 ? of(PEOPLE, die()).principalId : null,
  createdAt: day(),
  updatedAt: day(),
}));
type Fact = (typeof FACTS)[number];

const TASKS = FACTS.filter(({ kind }) => kind === 'internal_task').map((fact) => ({
  ...fact,
  taskId: `tsk_${String(die()).padStart(4, '0')}_${fact.actionId}`,
  taskStatus: of(TASK_STATUSES, die()),
}));

let database: TestDatabase;
const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${DEV}, d, 'Name of ' || d, now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name)
    select ${DEV}, p, p from unnest(${PEOPLE.map(({ principalId }) => principalId)}::text[]) as p`);
  for (const { principalId, ownedDomains } of PEOPLE)
    await database.inspect(sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at)
      select ${DEV}, 'own_' || ${principalId} || d, ${principalId}, d, now() from unnest(${ownedDomains}::text[]) as d`);
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_filter', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    values (${DEV}, 'scp_shared', 'con_filter', 'm365', 's', 'Shared', 'site', now())`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_of_action_' || n, 'scp_shared', 'a' || n, 'Asset', 'p', 'file', 1, 'v', 'c', now(), now(), now()
      from generate_series(0, 5) as n`);
  for (const fact of FACTS) await insert(fact);
  for (const { actionId, taskId, taskStatus, createdAt, updatedAt } of TASKS)
    await database.inspect(sql`
      insert into tasks (tenant_id, task_id, action_id, status, created_at, updated_at)
      values (${DEV}, ${taskId}, ${actionId}, ${taskStatus}, ${new Date(createdAt)}, ${new Date(updatedAt)})`);
});
afterAll(() => database.drop());

async function insert(fact: Fact): Promise<void> {
  const { actionId, kind, status } = fact;
  const state = { kind: 'task', exists: false };
  const preview = {
    readAt: '2026-01-01T00:00:00.000Z',
    readFrom: 'service',
    currentState: state,
    desiredState: state,
    changes: true,
  };
  await database.inspect(sql`
    insert into actions (tenant_id, action_id, kind, target_asset_id, justification, desired_label_guid, task_title, status,
                         blocked_reason, preview, requested_by, decided_by, created_at, updated_at)
    values (${DEV}, ${actionId}, ${kind}, ${fact.targetAssetId}, 'It is asked for.',
            ${kind === 'sensitivity_label_set' ? 'guid' : null}, ${kind === 'internal_task' ? 'Ask' : null}, ${status},
            ${status === 'blocked' ? 'no_write_path' : null}, ${sql.json(preview)}::jsonb, ${fact.requestedBy},
            ${status === 'rejected' ? (fact.requestedBy === 'pri_approver' ? 'pri_both' : 'pri_approver') : null},
            ${new Date(fact.createdAt)}, ${new Date(fact.updatedAt)})`);
  await database.inspect(sql`
    insert into action_domains (tenant_id, action_id, domain_id)
    select ${DEV}, ${actionId}, d from unnest(${fact.domainIds}::text[]) as d`);
  const authors = [
    { trigger: 'drafted', by: fact.requestedBy },
    ...(fact.previewedBy === null ? [] : [{ trigger: 'repreviewed', by: fact.previewedBy }]),
  ];
  for (const [revision, { trigger, by }] of authors.entries())
    await database.inspect(sql`
      insert into action_transitions (tenant_id, action_id, revision, from_status, trigger, to_status, principal_id, created_at)
      values (${DEV}, ${actionId}, ${revision}, ${revision === 0 ? null : 'draft'}, ${trigger}, 'draft', ${by}, now())`);
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const filter = fc
  .record({
    status: maybe(fc.constantFrom(...STATUSES, 'verified')),
    kind: maybe(fc.constantFrom(...ACTION_KINDS)),
    mine: maybe(fc.constantFrom('requested', 'to_approve')),
    targetAssetId: maybe(fc.constantFrom('ast_of_action_1', 'ast_of_action_2', 'ast_nothing')),
    domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
    ids: maybe(
      fc.constantFrom(
        `act_nothing,${FACTS.slice(0, 25)
          .map(({ actionId }) => actionId)
          .join(',')}`,
      ),
    ),
  })
  .chain((all) =>
    fc
      .subarray(Object.keys(all), { maxLength: 3 })
      .map((names) =>
        ActionFilterSchema.parse(
          Object.fromEntries(Object.entries(all).filter(([name, value]) => names.includes(name) && value)),
        ),
      ),
  );
type Filter = ReturnType<typeof ActionFilterSchema.parse>;

/** Approvers and auditors see all domains, others those that they own. */
const domainsSeen = (
  { domainIds }: Fact,
  who: (typeof PEOPLE)[number],
  { domainId }: { domainId?: string | undefined },
) =>
  domainIds.filter(
    (id) =>
      (mayApprove(who) || who.roles.includes('auditor') || who.ownedDomains.includes(id)) &&
      (domainId ?? id) === id,
  );

/** What the filter means, said plainly. */
const expected = (who: (typeof PEOPLE)[number], asked: Filter): Fact[] =>
  FACTS.filter((fact) => {
    const seesAll = mayApprove(who) || who.roles.includes('auditor');
    const isAuthor = [fact.requestedBy, fact.previewedBy].includes(who.principalId);
    return (
      ((seesAll && asked.domainId === undefined) || domainsSeen(fact, who, asked).length > 0) &&
      (asked.status ?? fact.status) === fact.status &&
      (asked.kind ?? fact.kind) === fact.kind &&
      (asked.targetAssetId ?? fact.targetAssetId) === fact.targetAssetId &&
      (asked.ids?.includes(fact.actionId) ?? true) &&
      (asked.mine !== 'requested' || fact.requestedBy === who.principalId) &&
      (asked.mine !== 'to_approve' || (mayApprove(who) && fact.status === 'awaiting_approval' && !isAuthor))
    );
  });

const idOf = ({ actionId }: { actionId: string }) => actionId;
const byTime = (key: (fact: Fact) => number) => (a: Fact, b: Fact) =>
  key(a) - key(b) || (a.actionId < b.actionId ? -1 : 1);
const created = byTime(({ createdAt }) => createdAt);
const changed = byTime(({ updatedAt }) => updatedAt);
const ORDERS: Record<(typeof ACTION_SORTS)[number], (a: Fact, b: Fact) => number> = {
  '-created': (a, b) => created(b, a),
  created,
  '-changed': (a, b) => changed(b, a),
  changed,
};
const reader = fc.constantFrom(...PEOPLE);

test('the list has the actions that its filters mean, in order, and their number', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, fc.constantFrom(...ACTION_SORTS), async (who, asked, sort) => {
      const wanted = expected(who, asked).sort(ORDERS[sort]);
      const listed = await read((tx) => listActions(tx, readableBy(who), asked, 20, { sort }));
      expect(listed.map(idOf)).toEqual(wanted.slice(0, 20).map(idOf));
      const total = { total: wanted.length, totalIsExact: true };
      expect(await read((tx) => countActions(tx, readableBy(who), asked))).toEqual(total);
    }),
    { numRuns: propertyRuns(250) },
  );
});

test('an export has the same actions, by id', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, async (who, asked) => {
      const wanted = expected(who, asked).map(idOf).sort();
      const first = await read((tx) => actionsAfter(tx, readableBy(who), asked, '', 5));
      const rest = await read((tx) => actionsAfter(tx, readableBy(who), asked, wanted[4] ?? '~', 1_000));
      expect([...first, ...rest].map(idOf)).toEqual(wanted);
    }),
    { numRuns: propertyRuns(60) },
  );
});

const countsOf = (values: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
};

test('facets count what the list would show, and name nothing of another domain', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, async (who, asked) => {
      const wanted = expected(who, asked);
      const { counted, isExact, facets } = await read((tx) => actionFacets(tx, readableBy(who), asked));
      expect({ counted, isExact }).toEqual({ counted: wanted.length, isExact: true });
      const shown = Object.fromEntries(
        Object.entries(facets).map(([facet, values]) => [
          facet,
          Object.fromEntries(values.map(({ value, count }) => [value, count]).sort()),
        ]),
      );
      expect(shown).toEqual({
        status: countsOf(wanted.map(({ status }) => status)),
        kind: countsOf(wanted.map(({ kind }) => kind)),
        domainId: countsOf(wanted.flatMap((fact) => domainsSeen(fact, who, asked))),
      });
    }),
    { numRuns: propertyRuns(120) },
  );
});

const taskFilter = fc
  .record({
    status: maybe(fc.constantFrom(...TASK_STATUSES)),
    mine: maybe(fc.constantFrom('assigned', 'requested')),
    domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
    ids: maybe(
      fc.constantFrom(
        TASKS.slice(0, 12)
          .map(({ taskId }) => taskId)
          .join(','),
      ),
    ),
  })
  .map((members) =>
    TaskFilterSchema.parse(Object.fromEntries(Object.entries(members).filter(([, value]) => value))),
  );

const expectedTasks = (
  who: (typeof PEOPLE)[number],
  asked: ReturnType<typeof TaskFilterSchema.parse>,
): typeof TASKS =>
  TASKS.filter((task) => {
    const seesAll = mayApprove(who) || who.roles.includes('auditor');
    return (
      ((seesAll && asked.domainId === undefined) || domainsSeen(task, who, asked).length > 0) &&
      (asked.status ?? task.taskStatus) === task.taskStatus &&
      (asked.ids?.includes(task.taskId) ?? true) &&
      (asked.mine !== 'requested' || task.requestedBy === who.principalId) &&
      (asked.mine !== 'assigned' || task.domainIds.some((id) => who.ownedDomains.includes(id)))
    );
  });

test('tasks are listed, counted and exported by their filters', async () => {
  const taskIdOf = ({ taskId }: { taskId: string }) => taskId;
  const sorts = fc.constantFrom(...ACTION_SORTS);
  await fc.assert(
    fc.asyncProperty(reader, taskFilter, sorts, async (who, asked, sort) => {
      const wanted = expectedTasks(who, asked);
      const time = sort.endsWith('created') ? 'createdAt' : 'updatedAt';
      wanted.sort((a, b) => a[time] - b[time] || (a.taskId < b.taskId ? -1 : 1));
      if (sort.startsWith('-')) wanted.reverse();
      const by = readableBy(who);
      const listed = await read((tx) => listTasks(tx, by, asked, 8, { sort }));
      expect(listed.map(taskIdOf)).toEqual(wanted.slice(0, 8).map(taskIdOf));
      const total = { total: wanted.length, totalIsExact: true };
      expect(await read((tx) => countTasks(tx, by, asked))).toEqual(total);
      const exported = await read((tx) => tasksAfter(tx, by, asked, '', 1_000));
      expect(exported.map(taskIdOf)).toEqual(wanted.map(taskIdOf).sort());
      const { counted, facets } = await read((tx) => taskFacets(tx, by, asked));
      const shown = Object.values(facets).map((values) =>
        Object.fromEntries(values.map(({ value, count }) => [value, count]).sort()),
      );
      expect([counted, ...shown]).toEqual([
        wanted.length,
        countsOf(wanted.map(({ taskStatus }) => taskStatus)),
        countsOf(wanted.flatMap((task) => domainsSeen(task, who, asked))),
      ]);
    }),
    { numRuns: propertyRuns(150) },
  );
});
