import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AssetFilterSchema } from '../../core/assets/asset-schema.ts';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { countAssets } from '../../core/search/asset-counts.sql.ts';
import { assetFacets } from '../../core/search/asset-facets.sql.ts';
import { listAssets } from '../../core/search/asset-list.sql.ts';
import { AssetSortSchema } from '../../core/search/asset-sort.sql.ts';
import { addOwner } from '../support/add-owner.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DOMAINS = ['dom_x', 'dom_y', 'dom_z'] as DomainId[];
const SCOPES = ['scp_one', 'scp_two'];
const STATES = ['available', 'available', 'failed', 'partial'];
const FORMATS = ['pdf', 'docx', null];
const LABELS = [null, 'guid-secret', 'guid-public'];
const RISKS = [null, 'low', 'medium', 'high', 'critical'];
const GRANTS = {
  named: { principal: 'Ann', principalKind: 'user', external: false, role: 'read', inherited: true },
  organization: {
    principal: 'All',
    principalKind: 'organization',
    external: false,
    role: 'read',
    inherited: true,
  },
  anyone: { principal: 'Link', principalKind: 'anyone', external: true, role: 'read', inherited: true },
} as const;
const REACHES = ['named', 'organization', 'anyone'] as const;
/** The kinds found in an asset, and how surely. */
const FINDS = [
  [],
  [['iban', 0.9]],
  [['iban', 0.5]],
  [
    ['iban', 0.5],
    ['email', 0.95],
  ],
] as [string, number][][];

type Fact = {
  assetId: string;
  name: string;
  scopeId: string;
  contentState: string;
  format: string | null;
  labelGuid: string | null;
  risk: string | null;
  reaches: readonly (typeof REACHES)[number][];
  finds: [string, number][];
  size: number;
  changedAt: Date;
  /** By domain, the types. */
  ties: { domainId: DomainId; typeId: string }[];
  deleted: boolean;
};

const of = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
/** The same numbers in each run. */
const dice = fc.sample(fc.nat(9_999), { numRuns: 2_000, seed: 7 });
let thrown = 0;
const die = () => dice[thrown++ % dice.length] as number;

const FACTS: Fact[] = Array.from({ length: 90 }, (_, n) => ({
  assetId: `ast_of_filter_${String(n).padStart(2, '0')}`,
  name: `${of(['Beta', 'alpha', 'Gamma'], die())} ${n}`,
  scopeId: of(SCOPES, die()),
  contentState: of(STATES, die()),
  format: of(FORMATS, die()),
  labelGuid: of(LABELS, die()),
  risk: of(RISKS, die()),
  reaches: of([['named'], ['named', 'organization'], ['organization', 'anyone'], []], die()),
  finds: of(FINDS, die()),
  size: die() % 7,
  changedAt: new Date(Date.UTC(2026, 1, 1 + (die() % 12))),
  ties: DOMAINS.flatMap((domainId) =>
    of([[], [], [0], [1], [0, 1]], die()).map((type) => ({ domainId, typeId: `ift_${domainId}_${type}` })),
  ),
  deleted: die() % 15 === 0,
}));

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${DEV}, d, 'Name of ' || d, now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    select ${DEV}, 'ift_' || d || '_' || t, d, 'Type ' || t, now(), now()
      from unnest(${DOMAINS}::text[]) as d cross join generate_series(0, 1) as t`);
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_filter', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select ${DEV}, s, 'con_filter', 'm365', s, 'Name of ' || s, 'site', now() from unnest(${SCOPES}::text[]) as s`);
  await addOwner(database, 'pri_filter_owner', { roles: ['domain_owner'], domainId: DOMAINS[1] as DomainId });
  for (const fact of FACTS) await database.inspect(insertOf(fact));
  for (const { assetId, finds } of FACTS)
    await database.inspect(sql`
      insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, computed_at)
      values (${DEV}, ${assetId}, 'key',
              ${sql.json({ signals: finds.map(([detectorId, confidence]) => ({ detectorId, confidence, count: 1 })) })}::jsonb,
              ${finds.map(([detectorId]) => detectorId)}::text[], now())`);
  for (const { assetId, ties } of FACTS)
    for (const { domainId, typeId } of ties)
      await database.inspect(sql`
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band,
                                created_at, updated_at)
        values (${DEV}, ${`cnd_${assetId}_${typeId}`}, ${assetId}, ${domainId}, ${typeId}, 0.5, 'review', now(), now())`);
  await database.inspect(sql`
    update assets set status = 'deleted'
     where tenant_id = ${DEV} and asset_id = any(${FACTS.filter(({ deleted }) => deleted).map(({ assetId }) => assetId)}::text[])`);
});
afterAll(() => database.drop());

const insertOf = (fact: Fact) => sql`
  insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                      content_version, content_state, format, label_state, label_guid, label_name, grants,
                      risk_severity, first_seen_at, last_seen_at, changed_at)
  values (${DEV}, ${fact.assetId}, ${fact.scopeId}, ${fact.assetId}, ${fact.name}, 'p', 'file', ${fact.size}, 'v', 'c',
          ${fact.contentState}, ${fact.format}, ${fact.labelGuid === null ? 'unlabeled' : 'labeled'}, ${fact.labelGuid},
          ${fact.labelGuid && `Label ${fact.labelGuid}`}, ${sql.json(fact.reaches.map((reach) => GRANTS[reach]))}::jsonb,
          ${fact.risk}, now(), now(), ${fact.changedAt})`;

const widest = ({ reaches }: Fact) =>
  reaches.includes('anyone') ? 'anyone' : reaches.includes('organization') ? 'organization' : 'named';

const domainIds = fc.oneof(
  fc.subarray(DOMAINS),
  fc.constantFrom(...DOMAINS).map((id) => [id]),
);
const reader = fc.oneof(
  fc.constant<Visibility>({ kind: 'tenant' }),
  domainIds.map((ids): Visibility => ({ kind: 'domains', domainIds: ids })),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const filter = fc
  .record({
    domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
    ownerId: maybe(fc.constantFrom('pri_filter_owner', 'pri_nobody')),
    informationTypeId: maybe(fc.constantFrom('ift_dom_x_0', 'ift_dom_y_1', 'ift_nowhere')),
    scopeId: maybe(fc.constantFrom(...SCOPES)),
    contentState: maybe(fc.constantFrom('available', 'failed', 'partial')),
    fileFormat: maybe(fc.constantFrom('pdf', 'docx')),
    identifier: maybe(fc.constantFrom('iban', 'email')),
    identifierFinds: maybe(fc.constantFrom('sure', 'all')),
    exposure: maybe(fc.constantFrom(...REACHES)),
    labelState: maybe(fc.constantFrom('labeled', 'unlabeled')),
    labelGuid: maybe(fc.constantFrom('guid-secret', 'guid-public')),
    riskSeverity: maybe(fc.constantFrom('low', 'high', 'critical')),
    changedFrom: maybe(fc.constant('2026-02-04T00:00:00Z')),
    changedBefore: maybe(fc.constant('2026-02-09T00:00:00Z')),
    ids: maybe(
      fc.constantFrom(
        FACTS.slice(0, 30)
          .map(({ assetId }) => assetId)
          .join(','),
      ),
    ),
  })
  // Filters that leave something: few members at once.
  .chain((all) =>
    fc
      .subarray(Object.keys(all), { maxLength: 3 })
      .map((names) =>
        AssetFilterSchema.parse(
          Object.fromEntries(Object.entries(all).filter(([name, value]) => names.includes(name) && value)),
        ),
      ),
  );
type Filter = ReturnType<typeof AssetFilterSchema.parse>;

const tiesSeen = ({ ties }: Fact, visibility: Visibility, { domainId, ownerId }: Filter) =>
  ties.filter(
    (tie) =>
      (visibility.kind === 'tenant' || visibility.domainIds.includes(tie.domainId)) &&
      (domainId === undefined || tie.domainId === domainId) &&
      (ownerId === undefined || (ownerId === 'pri_filter_owner' && tie.domainId === DOMAINS[1])),
  );

/** What the filter means, said plainly. */
function expected(visibility: Visibility, asked: Filter): Fact[] {
  const needsTie =
    visibility.kind === 'domains' || asked.domainId !== undefined || asked.ownerId !== undefined;
  return FACTS.filter((fact) => {
    const ties = tiesSeen(fact, visibility, asked);
    const finds = fact.finds.filter(
      ([kind, confidence]) =>
        kind === asked.identifier && (asked.identifierFinds !== 'sure' || confidence >= 0.8),
    );
    return (
      !fact.deleted &&
      (!needsTie || ties.length > 0) &&
      (asked.informationTypeId === undefined ||
        ties.some(({ typeId }) => typeId === asked.informationTypeId)) &&
      (asked.scopeId ?? fact.scopeId) === fact.scopeId &&
      (asked.contentState ?? fact.contentState) === fact.contentState &&
      (asked.fileFormat ?? fact.format) === fact.format &&
      (asked.identifier === undefined || finds.length > 0) &&
      (asked.exposure ?? widest(fact)) === widest(fact) &&
      (asked.labelState === undefined || (asked.labelState === 'labeled') === (fact.labelGuid !== null)) &&
      (asked.labelGuid ?? fact.labelGuid) === fact.labelGuid &&
      (asked.riskSeverity ?? fact.risk) === fact.risk &&
      (asked.changedFrom === undefined || fact.changedAt >= new Date(asked.changedFrom)) &&
      (asked.changedBefore === undefined || fact.changedAt < new Date(asked.changedBefore)) &&
      (asked.ids?.includes(fact.assetId) ?? true)
    );
  });
}

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);
const idOf = ({ assetId }: { assetId: string }) => assetId;
const newestFirst = (a: Fact, b: Fact) =>
  b.changedAt.getTime() - a.changedAt.getTime() || (a.assetId < b.assetId ? 1 : -1);
const byKey = (key: (fact: Fact) => string | number) => (a: Fact, b: Fact) =>
  key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.assetId < b.assetId ? -1 : 1;
const ORDERS: Record<string, (a: Fact, b: Fact) => number> = {
  '-changed': newestFirst,
  changed: (a, b) => newestFirst(b, a),
  '-risk': (a, b) => RISKS.indexOf(b.risk) - RISKS.indexOf(a.risk) || newestFirst(a, b),
  name: byKey(({ name }) => name.toLowerCase()),
  '-name': (a, b) => byKey(({ name }) => name.toLowerCase())(b, a),
  size: byKey(({ size }) => size),
  '-size': (a, b) => byKey(({ size }) => size)(b, a),
};

test('a list has the assets that its filters mean, in order, and their number', async () => {
  await fc.assert(
    fc.asyncProperty(
      reader,
      filter,
      fc.constantFrom(...AssetSortSchema.options),
      fc.constantFrom(undefined, 10_000),
      async (visibility, asked, sort, look) => {
        const wanted = expected(visibility, asked).sort(ORDERS[sort]);
        const { assets } = await read((tx) =>
          listAssets(tx, visibility, asked, 20, { sort, ...(look !== undefined && { look }) }),
        );
        expect(assets.map(idOf)).toEqual(wanted.slice(0, 20).map(idOf));
        expect(await read((tx) => countAssets(tx, visibility, asked))).toEqual({
          total: wanted.length,
          totalIsExact: true,
        });
      },
    ),
    { numRuns: propertyRuns(250) },
  );
});

test('what no index answers is sought in the newest of all domains together', async () => {
  const LOOK = 30;
  for (const domainIds of [DOMAINS, DOMAINS.slice(0, 1)]) {
    const visibility: Visibility = { kind: 'domains', domainIds };
    for (const asked of [
      { fileFormat: 'pdf' },
      { exposure: 'anyone' },
      { contentState: 'available' },
    ] as const) {
      const looked = expected(visibility, {}).sort(newestFirst).slice(0, LOOK).map(idOf);
      const wanted = expected(visibility, asked).sort(newestFirst).map(idOf);
      const met = wanted.filter((id) => looked.includes(id));
      expect(met.length).toBeLessThan(wanted.length);
      const { assets } = await read((tx) => listAssets(tx, visibility, asked, 1_000, { look: LOOK }));
      expect(assets.map(idOf)).toEqual(met);
    }
  }
});

const countsOf = (values: readonly (string | null)[]) => {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
};

test('facets count what the list would show, and name nothing of another domain', async () => {
  await fc.assert(
    fc.asyncProperty(reader, filter, fc.constantFrom(undefined, 'alpha'), async (visibility, rest, q) => {
      const asked = { ...rest, q };
      const wanted = expected(visibility, asked).filter(({ name }) => q === undefined || name.includes(q));
      const { counted, isExact, facets } = await read((tx) => assetFacets(tx, visibility, asked));
      expect({ counted, isExact }).toEqual({ counted: wanted.length, isExact: true });
      const shown = Object.fromEntries(
        Object.entries(facets).map(([facet, values]) => [
          facet,
          Object.fromEntries(values.map(({ value, count }) => [value, count]).sort()),
        ]),
      );
      const ties = wanted.map((fact) => tiesSeen(fact, visibility, asked));
      expect(shown).toEqual({
        domainId: countsOf(ties.flatMap((each) => [...new Set(each.map(({ domainId }) => domainId))])),
        informationTypeId: countsOf(ties.flatMap((each) => each.map(({ typeId }) => typeId))),
        scopeId: countsOf(wanted.map(({ scopeId }) => scopeId)),
        contentState: countsOf(wanted.map(({ contentState }) => contentState)),
        fileFormat: countsOf(wanted.map(({ format }) => format)),
        identifier: countsOf(wanted.flatMap(({ finds }) => finds.map(([kind]) => kind))),
        exposure: countsOf(wanted.map(widest)),
        labelState: countsOf(wanted.map(({ labelGuid }) => (labelGuid === null ? 'unlabeled' : 'labeled'))),
        labelGuid: countsOf(wanted.map(({ labelGuid }) => labelGuid)),
        riskSeverity: countsOf(wanted.map(({ risk }) => risk)),
      });
    }),
    { numRuns: propertyRuns(150) },
  );
});

test('the values of facets have the names that people know', async () => {
  const { facets } = await read((tx) => assetFacets(tx, { kind: 'tenant' }, {}));
  const nameOf = (facet: keyof typeof facets, sought: string) =>
    facets[facet].find(({ value }) => value === sought)?.name;
  expect(nameOf('domainId', 'dom_x')).toBe('Name of dom_x');
  expect(nameOf('informationTypeId', 'ift_dom_x_0')).toBe('Type 0');
  expect(nameOf('scopeId', 'scp_one')).toBe('Name of scp_one');
  expect(nameOf('labelGuid', 'guid-secret')).toBe('Label guid-secret');
  expect(nameOf('identifier', 'iban')).toBe('International bank account number');
  expect(nameOf('exposure', 'anyone')).toBeNull();
});

test('what is looked at is bounded, and the list says so', async () => {
  // One asset is looked at for the format.
  const { assets } = await read((tx) =>
    listAssets(tx, { kind: 'tenant' }, { fileFormat: 'pdf' }, 20, { look: 1 }),
  );
  expect(assets.length).toBeLessThanOrEqual(1);
});
