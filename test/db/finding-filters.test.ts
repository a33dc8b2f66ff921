import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { findingFacets } from '../../core/findings/finding-counts.sql.ts';
import { FINDING_SORTS, FindingFilterSchema } from '../../core/findings/finding-filter.sql.ts';
import { findingsAfter, listFindings } from '../../core/findings/finding-list.sql.ts';
import { withRemedies } from '../../core/findings/remedies.sql.ts';
import { FINDING_KINDS } from '../../core/findings/risk.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { SEVERITIES } from '../../core/kernel/vocabulary.ts';
import { addOwner } from '../support/add-owner.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DOMAINS = ['dom_x', 'dom_y', 'dom_z'] as DomainId[];
const DAY = 24 * 60 * 60 * 1_000;
const DUE_AFTER = { critical: 7, high: 30, medium: 90, low: 180 };
const SCOPES = ['scp_one', 'scp_two'];

type Severity = (typeof SEVERITIES)[number];
type Kind = (typeof FINDING_KINDS)[number];
type Fact = {
  findingId: string;
  assetId: string;
  kind: Kind;
  severity: Severity;
  status: 'open' | 'acknowledged' | 'reopened' | 'resolved';
  openedAt: number;
  changedAt: number;
  returnedAt: number | null;
  /** Of its asset. */
  domainIds: DomainId[];
  /** Whether the level of the label of its asset is known. */
  hasLevel: boolean;
};

const of = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
/** The same numbers in each run. */
const dice = fc.sample(fc.nat(9_999), { numRuns: 3_000, seed: 11 });
let thrown = 0;
const die = () => dice[thrown++ % dice.length] as number;
const day = () => Date.UTC(2026, 1, 1 + (die() % 12));

/** Assets that the domains share in every way, as they share scopes and bytes. A tie that was refused is none. */
const ASSETS = Array.from({ length: 40 }, (_, n) => ({
  assetId: `ast_of_finding_${String(n).padStart(2, '0')}`,
  hasLevel: die() % 3 > 0,
  ties: DOMAINS.map((domainId) => ({
    domainId,
    status: of([null, 'pending', 'confirmed', 'rejected'], die()),
  })),
}));
const FACTS: Fact[] = ASSETS.flatMap(({ assetId, hasLevel, ties }) =>
  FINDING_KINDS.filter(() => die() % 2 === 0).map((kind) => {
    const openedAt = day();
    return {
      findingId: `fnd_${String(die()).padStart(4, '0')}_${assetId}_${kind}`,
      assetId,
      kind,
      severity: of(SEVERITIES, die()),
      status: of(['open', 'open', 'acknowledged', 'reopened', 'resolved'] as const, die()),
      openedAt,
      changedAt: day(),
      returnedAt: die() % 4 === 0 ? openedAt + 40 * DAY : null,
      domainIds: ties.flatMap(({ domainId, status }) =>
        status === null || status === 'rejected' ? [] : [domainId],
      ),
      hasLevel,
    };
  }),
);

let database: TestDatabase;
const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${DEV}, d, 'Name of ' || d, now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    select ${DEV}, 'ift_' || d, d, 'Type', now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_filter', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select ${DEV}, s, 'con_filter', 'm365', s, 'Name of ' || s, 'site', now() from unnest(${SCOPES}::text[]) as s`);
  await database.inspect(sql`delete from sensitivity_labels where tenant_id = ${DEV}`);
  await database.inspect(sql`
    insert into sensitivity_labels (tenant_id, label_guid, name, rank, updated_at)
    select ${DEV}, 'guid-' || n, 'Label ' || n, n, now() from generate_series(0, 3) as n`);
  await addOwner(database, 'pri_filter_owner', { roles: ['domain_owner'], domainId: DOMAINS[1] as DomainId });
  for (const [n, { assetId, hasLevel, ties }] of ASSETS.entries()) {
    await database.inspect(sql`
      insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                          content_version, content_hash, first_seen_at, last_seen_at, changed_at)
      values (${DEV}, ${assetId}, ${of(SCOPES, n)}, ${assetId}, ${assetId}, 'p', 'file', 1, 'v', 'c',
              ${Buffer.alloc(32, n % 5)}, now(), now(), now())`);
    await database.inspect(sql`
      insert into asset_risks (tenant_id, asset_id, components, policy_version, computed_at)
      values (${DEV}, ${assetId},
              ${sql.json([{ name: 'label', severity: 'medium', notes: '', ...(hasLevel && { level: 2 }) }])}::jsonb, '1', now())`);
    for (const { domainId, status } of ties.filter((tie) => tie.status !== null))
      await database.inspect(sql`
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band,
                                status, created_at, updated_at)
        values (${DEV}, ${`cnd_${assetId}_${domainId}`}, ${assetId}, ${domainId}, ${`ift_${domainId}`}, 0.5, 'review',
                ${status}, now(), now())`);
  }
  for (const fact of FACTS) {
    const changedAt = new Date(fact.changedAt);
    const isAcknowledged = fact.status === 'acknowledged';
    await database.inspect(sql`
      insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                            changed_at, resolved_at, acknowledged_by, acknowledged_at, returned_at)
      values (${DEV}, ${fact.findingId}, ${fact.assetId}, ${fact.kind}, ${fact.severity}, ${fact.status}, 'Look at it.', '1',
              ${new Date(fact.openedAt)}, ${changedAt}, ${fact.status === 'resolved' ? changedAt : null},
              ${isAcknowledged ? 'pri_filter_owner' : null}, ${isAcknowledged ? changedAt : null},
              ${fact.returnedAt && new Date(fact.returnedAt)})`);
  }
});
afterAll(() => database.drop());

const reader = fc.oneof(
  fc.constant<Visibility>({ kind: 'tenant' }),
  fc.subarray(DOMAINS).map((domainIds): Visibility => ({ kind: 'domains', domainIds })),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const filter = fc
  .record({
    status: maybe(fc.constantFrom('open', 'acknowledged', 'reopened', 'resolved', 'all')),
    kind: maybe(fc.constantFrom(...FINDING_KINDS)),
    severity: maybe(fc.constantFrom(...SEVERITIES)),
    actionKind: maybe(fc.constantFrom('sensitivity_label_set', 'internal_task')),
    domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
    ownerId: maybe(fc.constantFrom('pri_filter_owner', 'pri_nobody')),
    assetId: maybe(fc.constantFrom(...ASSETS.slice(0, 3).map(({ assetId }) => assetId), 'ast_nothing')),
    ids: maybe(
      fc.constantFrom(
        `fnd_nothing,${FACTS.slice(0, 30)
          .map(({ findingId }) => findingId)
          .join(',')}`,
      ),
    ),
  })
  // Filters that leave something: few members at once.
  .chain((all) =>
    fc
      .subarray(Object.keys(all), { maxLength: 3 })
      .map((names) =>
        FindingFilterSchema.parse(
          Object.fromEntries(Object.entries(all).filter(([name, value]) => names.includes(name) && value)),
        ),
      ),
  );
type Filter = ReturnType<typeof FindingFilterSchema.parse>;

/** The kind of action that helps (docs/risk.md, *What to do*). */
const helps = ({ kind, status, hasLevel }: Fact) =>
  status === 'resolved' || kind === 'no_owner'
    ? null
    : kind === 'label' && hasLevel
      ? 'sensitivity_label_set'
      : 'internal_task';

const domainsSeen = ({ domainIds }: Fact, visibility: Visibility, { domainId, ownerId }: Filter) =>
  domainIds.filter(
    (id) =>
      (visibility.kind === 'tenant' || visibility.domainIds.includes(id)) &&
      (domainId === undefined || id === domainId) &&
      (ownerId === undefined || (ownerId === 'pri_filter_owner' && id === DOMAINS[1])),
  );

/** What the filter means, said plainly. */
function expected(visibility: Visibility, asked: Filter): Fact[] {
  const needsDomain =
    visibility.kind === 'domains' || asked.domainId !== undefined || asked.ownerId !== undefined;
  return FACTS.filter(
    (fact) =>
      (!needsDomain || domainsSeen(fact, visibility, asked).length > 0) &&
      (asked.status === undefined
        ? fact.status !== 'resolved'
        : asked.status === 'all' || fact.status === asked.status) &&
      (asked.kind ?? fact.kind) === fact.kind &&
      (asked.severity ?? fact.severity) === fact.severity &&
      (asked.actionKind === undefined || helps(fact) === asked.actionKind) &&
      (asked.assetId ?? fact.assetId) === fact.assetId &&
      (asked.ids?.includes(fact.findingId) ?? true),
  );
}

const idOf = ({ findingId }: { findingId: string }) => findingId;
const dueAt = ({ status, severity, openedAt, returnedAt }: Fact) =>
  status === 'resolved' ? Number.POSITIVE_INFINITY : (returnedAt ?? openedAt) + DUE_AFTER[severity] * DAY;
const byKey = (key: (fact: Fact) => number) => (a: Fact, b: Fact) =>
  key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.findingId < b.findingId ? -1 : 1;
const opened = byKey(({ openedAt }) => openedAt);
const changed = byKey(({ changedAt }) => changedAt);
const ORDERS: Record<(typeof FINDING_SORTS)[number], (a: Fact, b: Fact) => number> = {
  '-severity': (a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || opened(b, a),
  '-opened': (a, b) => opened(b, a),
  opened,
  '-changed': (a, b) => changed(b, a),
  changed,
  due: byKey(dueAt),
};

test('the list has the findings that its filters mean, in order, and their number', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, fc.constantFrom(...FINDING_SORTS), async (visibility, asked, sort) => {
      const wanted = expected(visibility, asked).sort(ORDERS[sort]);
      const { findings: listed, counted } = await read((tx) =>
        listFindings(tx, visibility, asked, 20, { sort }),
      );
      expect(listed.map(idOf)).toEqual(wanted.slice(0, 20).map(idOf));
      const total = { total: wanted.length, totalIsExact: true };
      expect(counted).toEqual(total);
    }),
    { numRuns: propertyRuns(250) },
  );
});

test('an export has the same findings, by id', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, async (visibility, asked) => {
      const wanted = expected(visibility, asked).map(idOf).sort();
      const first = await read((tx) => findingsAfter(tx, visibility, asked, '', 5));
      const rest = await read((tx) => findingsAfter(tx, visibility, asked, wanted[4] ?? '~', 1_000));
      expect([...first, ...rest].map(idOf)).toEqual(wanted);
    }),
    { numRuns: propertyRuns(60) },
  );
});

const countsOf = (values: readonly (string | null)[]) => {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
};

test('facets count what the list would show, and name nothing of another domain', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, async (visibility, asked) => {
      const wanted = expected(visibility, asked);
      const { counted, isExact, facets } = await read((tx) => findingFacets(tx, visibility, asked));
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
        severity: countsOf(wanted.map(({ severity }) => severity)),
        actionKind: countsOf(wanted.map(helps)),
        domainId: countsOf(wanted.flatMap((fact) => domainsSeen(fact, visibility, asked))),
      });
    }),
    { numRuns: propertyRuns(150) },
  );
});

test('a facet names its domains', async () => {
  const { facets } = await read((tx) => findingFacets(tx, { kind: 'tenant' }, {}));
  expect(facets.domainId.find(({ value }) => value === 'dom_x')?.name).toBe('Name of dom_x');
});

test('the kind of action and the time when it is due are those that are shown', async () => {
  const everywhere: Visibility = { kind: 'tenant' };
  const { findings: listed } = await read((tx) => listFindings(tx, everywhere, { status: 'all' }, 1_000));
  const shown = await read((tx) =>
    withRemedies(tx, { visibility: everywhere, drafts: everywhere, actions: everywhere }, listed),
  );
  const facts = new Map(FACTS.map((fact) => [fact.findingId, fact]));
  for (const { findingId, proposedAction, dueAt: due } of shown) {
    const fact = facts.get(findingId) as Fact;
    expect([proposedAction?.kind ?? null, due]).toEqual([
      helps(fact),
      fact.status === 'resolved' ? null : new Date(dueAt(fact)).toISOString(),
    ]);
  }
});

test('a reader of everything looks at the most severe alone, and the total says so', async () => {
  const everywhere: Visibility = { kind: 'tenant' };
  const asked = { kind: 'label' } as const;
  const all = expected(everywhere, asked).length;
  const mostSevere = expected(everywhere, {}).sort(ORDERS['-severity']).slice(0, 30);
  const met = mostSevere.filter(({ kind }) => kind === 'label');
  expect(met.length).toBeLessThan(all);
  const { findings: listed, counted } = await read((tx) =>
    listFindings(tx, everywhere, asked, 200, { look: 30 }),
  );
  expect(listed.map(idOf)).toEqual(met.map(idOf));
  expect(counted).toEqual({ total: met.length, totalIsExact: false });
  // What an owner may see is never cut off by what others have.
  const owner: Visibility = { kind: 'domains', domainIds: ['dom_x' as DomainId] };
  for (const status of [undefined, 'all'] as const) {
    const own = expected(owner, { ...asked, status });
    const found = await read((tx) => listFindings(tx, owner, { ...asked, status }, 200, { look: 1 }));
    expect(found.findings.map(idOf)).toEqual(own.sort(ORDERS['-severity']).map(idOf));
    expect(found.counted).toEqual({ total: own.length, totalIsExact: true });
  }
});
