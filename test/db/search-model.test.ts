import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { addNamed, addSearchedTenant, DOMAINS, tellWords } from '../support/searched-tenant.ts';

const ASSETS = 14;
const NAME_WORDS = ['amber', 'amberley', 'birch', 'birchwood', 'cedar'];
const TEXT_WORDS = ['elder', 'cedar'];
const LABELS = ['labeled', 'unlabeled'] as const;
const RISKS = ['high', 'low'] as const;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const asset = fc.nat(ASSETS - 1).map((n) => `ast_${n}`);
/** Few, so that many are of the same one. */
const moment = fc.nat(6).map((day) => new Date(Date.UTC(2026, 0, 1 + day)));
const names = (most: number) =>
  fc.array(fc.constantFrom(...NAME_WORDS), { minLength: 1, maxLength: most }).map((each) => each.join(' '));

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('name' as const), asset, name: names(3), moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), asset, moment }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('status' as const),
      asset,
      status: fc.constantFrom('active', 'deleted'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('tie' as const),
      asset,
      domain: fc.constantFrom(...DOMAINS),
      status: fc.constantFrom('pending', 'pending', 'confirmed', 'rejected'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('label' as const),
      asset,
      label: fc.constantFrom(...LABELS),
      risk: fc.constantFrom(null, ...RISKS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('tell' as const), asset, words: fc.subarray(TEXT_WORDS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rebuild' as const), each: fc.integer({ min: 1, max: 4 }) }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Of names and texts; unfinished; a part of a word; none. */
const sought: fc.Arbitrary<readonly string[]> = fc.oneof(
  ...[1, 1, 3].map((maxLength) =>
    fc.array(fc.constantFrom(...NAME_WORDS, ...TEXT_WORDS), { minLength: 1, maxLength }),
  ),
  fc.tuple(fc.constantFrom(...NAME_WORDS), fc.constantFrom('amb', 'birchw', 'eld')),
  fc.constantFrom(['amb'], ['irch'], ['absent'], ['amberle']),
);
type Filter = { labelState?: (typeof LABELS)[number]; riskSeverity?: (typeof RISKS)[number] };
const search = fc.record({
  sought,
  domains: fc.option(fc.subarray([...DOMAINS], { minLength: 1 })),
  filter: fc.oneof<fc.Arbitrary<Filter>[]>(
    fc.constant({}),
    fc.record(
      { labelState: fc.constantFrom(...LABELS), riskSeverity: fc.constantFrom(...RISKS) },
      { requiredKeys: [] },
    ),
  ),
  after: fc.option(fc.record({ assetId: asset, changedAt: moment.map((each) => each.toISOString()) })),
  most: fc.constantFrom(1, 2, 5, ASSETS),
});
type Search = typeof search extends fc.Arbitrary<infer T> ? T : never;

/** Words of texts that each asset was told of. */
type Told = Map<string, readonly string[]>;

async function perform(tenantId: TenantId, told: Told, step: Act): Promise<void> {
  const one = sql`where tenant_id = ${tenantId} and asset_id = ${'asset' in step ? step.asset : ''}`;
  const isThere = (await database.inspect(sql`select from assets ${one}`)).length === 1;
  if ('asset' in step && !isThere && step.do !== 'name') return;
  switch (step.do) {
    case 'name':
      if (isThere) await database.inspect(sql`update assets set name = ${step.name} ${one}`);
      else
        await addNamed(database, tenantId, [
          { assetId: step.asset, name: step.name, changedAt: step.moment },
        ]);
      return;
    case 'move':
      await database.inspect(sql`update assets set changed_at = ${step.moment} ${one}`);
      return;
    case 'status':
      await database.inspect(sql`update assets set status = ${step.status} ${one}`);
      return;
    case 'tie':
      await database.inspect(sql`
        insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, confidence, band, status, created_at, updated_at)
        values (${tenantId}, ${`cnd_${tenantId}_${step.asset}_${step.domain}`}, ${step.asset}, ${step.domain}, 0.9, 'high',
                ${step.status}, now(), now())
        on conflict on constraint candidates_once do update set status = excluded.status, revision = k.revision + 1`);
      return;
    case 'label':
      await database.inspect(
        sql`update assets set label_state = ${step.label}, risk_severity = ${step.risk} ${one}`,
      );
      return;
    case 'tell':
      told.set(step.asset, step.words);
      await withTx(database.db, { tenantId, mode: 'write' }, (tx) => tellWords(tx, step.asset, step.words));
      return;
    case 'rebuild':
      await database.inspect(sql`delete from asset_search where tenant_id = ${tenantId}`);
      await database.inspect(sql`select rebuild_search(${tenantId}, ${step.each}::integer)`);
  }
}

type Truth = {
  assetId: string;
  name: string;
  labelState: string;
  riskSeverity: string | null;
  changedAt: Date;
  domains: string[];
};

/** Of all active assets, in the order of the list. */
const readTruth = (tenantId: TenantId) =>
  database.inspect<Truth>(sql`
    select asset_id as "assetId", name, label_state as "labelState", risk_severity as "riskSeverity",
           changed_at as "changedAt",
           array(select domain_id from candidates k where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
                    and k.status in ('pending', 'confirmed')) as domains
      from assets a where tenant_id = ${tenantId} and status = 'active'
     order by a.changed_at desc, a.asset_id desc`);

/** The first of these ways that finds something which the reader may see; then what the filter and the place leave of it. */
function walked(all: Truth[], told: Told, { sought, domains, filter, after, most }: Search): string[] {
  const seen = all.filter(
    (each) => domains === null || each.domains.some((id) => domains.some((d) => d === id)),
  );
  const last = sought.at(-1) ?? '';
  const has =
    (isUnfinished: boolean) =>
    ({ assetId, name }: Truth) =>
    (word: string) =>
      name.split(' ').includes(word) ||
      (told.get(assetId) ?? []).includes(word) ||
      (isUnfinished && word === last && name.split(' ').some((whole) => whole.startsWith(word)));
  const ways: ((each: Truth) => boolean)[] = [
    (each) => sought.every(has(false)(each)),
    (each) => sought.every(has(true)(each)),
    ({ name }) => name.includes(sought.join(' ')),
    (each) => new Set(sought).size > 1 && sought.some(has(false)(each)),
  ];
  const way = ways.find((each) => seen.some(each)) ?? (() => false);
  return seen
    .filter(way)
    .filter(
      ({ labelState, riskSeverity }) =>
        labelState === (filter.labelState ?? labelState) &&
        riskSeverity === (filter.riskSeverity ?? riskSeverity),
    )
    .filter(({ changedAt, assetId }) => {
      const since = changedAt.getTime() - Date.parse(after?.changedAt ?? '9999-01-01');
      return since < 0 || (since === 0 && assetId < (after?.assetId ?? ''));
    })
    .slice(0, most)
    .map(({ assetId }) => assetId);
}

const found = async (tenantId: TenantId, { sought, domains, ...walk }: Search) => {
  const visibility: Visibility =
    domains === null
      ? { kind: 'tenant' }
      : { kind: 'domains', domainIds: domains.map((id) => id as string as DomainId) };
  const { assetIds } = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    findAssets(tx, visibility, sought.join(' '), walk),
  );
  return assetIds;
};

test('after any changes a search finds what a walk over all assets finds', async () => {
  const first = fc.array(
    fc.record({ name: names(2), changedAt: moment, domain: fc.option(fc.constantFrom(...DOMAINS)) }),
    {
      minLength: ASSETS - 4,
      maxLength: ASSETS,
    },
  );
  const step = fc.record({ act, searches: fc.array(search, { minLength: 2, maxLength: 2 }) });
  await fc.assert(
    fc.asyncProperty(first, fc.array(step, { minLength: 20, maxLength: 60 }), async (assets, steps) => {
      const tenantId = await addSearchedTenant(database);
      const told: Told = new Map();
      await addNamed(
        database,
        tenantId,
        assets.map((each, n) => ({ assetId: `ast_${n}`, ...each })),
      );
      for (const [n, { domain }] of assets.entries()) {
        if (domain === null) continue;
        await perform(tenantId, told, { do: 'tie', asset: `ast_${n}`, domain, status: 'pending' });
      }
      for (const { act, searches } of steps) {
        await perform(tenantId, told, act);
        const all = await readTruth(tenantId);
        for (const each of searches) {
          expect(await found(tenantId, each), JSON.stringify(each)).toEqual(walked(all, told, each));
        }
      }
    }),
    { numRuns: propertyRuns(25) },
  );
});
