import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { CAMPAIGN_SORTS, type CampaignFilter } from '../../core/campaigns/campaign-schema.ts';
import { countCampaigns, type ListedCampaign, listCampaigns } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { scanPages } from '../../core/exports/export-scans.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const FINANCE = 'dom_finance' as DomainId;
const PEOPLE = 'dom_human_resources' as DomainId;
/** Governed by finance, by human resources, and by nobody but with a copy of each. */
const SCOPES = ['scp_finance', 'scp_people', 'scp_shared'];
const VISIBLE = new Map<DomainId, string[]>([
  [FINANCE, ['scp_finance', 'scp_shared']],
  [PEOPLE, ['scp_people', 'scp_shared']],
]);

let database: TestDatabase;
let all: ListedCampaign[];

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_scans', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, expected_domain_id, created_at)
    select ${DEV}, id, 'con_scans', 'm365', id, id, 'site', domain, now()
      from unnest(${SCOPES}::text[], ${[FINANCE, PEOPLE, null]}::text[]) as s (id, domain)`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_' || d, 'scp_shared', d, 'Copy', 'p', 'file', 1, 'v', 'c', now(), now(), now()
      from unnest(${[FINANCE, PEOPLE]}::text[]) as d`);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, confidence, band, information_type_id,
                            created_at, updated_at)
    select ${DEV}, 'cnd_' || d, 'ast_' || d, 'scp_shared', d, 0.9, 'high', t, now(), now()
      from unnest(${[FINANCE, PEOPLE]}::text[], ${['ift_invoices', 'ift_payroll']}::text[]) as x (d, t)`);
  // Two at each time; of each scope 14 that ended and one that is paused. Two rescores of the tenant.
  await database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, created_by, correlation_id, created_at, finished_at)
    select ${DEV}, concat('cmp_', s, '_', n), s, (array['inventory', 'delta'])[1 + n % 2],
           case when n = 7 then 'paused' else (array['completed', 'cancelled', 'completed'])[1 + n % 3] end, 'pri_x', 'x',
           '2026-03-01T00:00:00Z'::timestamptz + (n / 2) * interval '1 hour',
           case when n = 7 then null else now() end
      from generate_series(1, 15) as n cross join unnest(${SCOPES}::text[]) as s`);
  await database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, kind, status, correlation_id, created_at, finished_at)
    select ${DEV}, 'cmp_rescore_' || n, 'rescore', 'cancelled', 'x', '2026-03-02T00:00:00Z', now() from generate_series(1, 2) as n`);
  all = await read((tx) => listCampaigns(tx, { kind: 'tenant' }, 500));
});
afterAll(() => database.drop());

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filters: fc.Arbitrary<CampaignFilter> = fc.record({
  status: maybe(fc.constantFrom('completed', 'cancelled', 'paused', 'running')),
  kind: maybe(fc.constantFrom('inventory', 'delta', 'rescore')),
  scopeId: maybe(fc.constantFrom(...SCOPES, 'scp_nowhere')),
});
const visibilities: fc.Arbitrary<Visibility> = fc.oneof(
  fc.constant({ kind: 'tenant' } as const),
  fc.subarray([FINANCE, PEOPLE]).map((domainIds) => ({ kind: 'domains', domainIds }) as const),
);

const wantedOf = (visibility: Visibility, filter: CampaignFilter) =>
  all.filter(
    ({ scopeId, status, kind }) =>
      (visibility.kind === 'tenant' ||
        visibility.domainIds.some((id) => VISIBLE.get(id)?.includes(scopeId ?? ''))) &&
      status === (filter.status ?? status) &&
      kind === (filter.kind ?? kind) &&
      scopeId === (filter.scopeId ?? scopeId),
  );
const idsOf = (campaigns: readonly ListedCampaign[]) => campaigns.map(({ campaignId }) => campaignId);

test('the list has the scans that its filters mean, in order, and their number', async () => {
  expect(all).toHaveLength(3 * 15 + 2);
  await fc.assert(
    fc.asyncProperty(
      visibilities,
      filters,
      fc.constantFrom(...CAMPAIGN_SORTS),
      async (visibility, filter, sort) => {
        const wanted = idsOf(wantedOf(visibility, filter));
        if (sort === 'created') wanted.reverse();
        const list = (after: ListedCampaign | null) =>
          read((tx) => listCampaigns(tx, visibility, 10, { filter, sort, after }));
        const first = await list(null);
        expect(idsOf(first)).toEqual(wanted.slice(0, 10));
        expect(idsOf(await list(first.at(-1) ?? null))).toEqual(wanted.slice(10, 20));
        const total = { total: wanted.length, totalIsExact: true };
        expect(await read((tx) => countCampaigns(tx, visibility, filter))).toEqual(total);
      },
    ),
    { numRuns: propertyRuns(120) },
  );
});

test('the export has what the list has', async () => {
  const visibility: Visibility = { kind: 'domains', domainIds: [FINANCE] };
  const rows: ListedCampaign[] = [];
  for await (const page of scanPages(read, visibility, { kind: 'delta' })) rows.push(...page);
  expect(idsOf(rows)).toEqual(idsOf(wantedOf(visibility, { kind: 'delta' })));
  expect(rows.length).toBeGreaterThan(5);
});
