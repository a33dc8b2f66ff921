import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { AskedStatus } from '../../core/findings/finding-filter.sql.ts';
import { listFindings } from '../../core/findings/finding-list.sql.ts';
import { findingsByAsset } from '../../core/findings/findings-by-asset.sql.ts';
import { FINDING_KINDS } from '../../core/findings/risk.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const ASSETS = 40;
const FINANCE: Visibility = { kind: 'domains', domainIds: ['dom_finance' as DomainId] };

let database: TestDatabase;
beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: ASSETS }, (_, n) => ({
      assetId: `ast_${n}`,
      said: n % 3 === 0 ? [payroll()] : n % 3 === 1 ? [invoices()] : [payroll(), invoices()],
    })),
  );
  await database.inspect(sql`delete from findings`);
  // Of each asset other kinds, severities and states, opened at a few times; six have many of the first.
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                          changed_at, resolved_at)
    select ${DEV}, 'fnd_' || md5(n || kind), 'ast_' || n, kind,
           case when n < 6 then 'critical' else (array['low', 'medium', 'high', 'critical'])[1 + (n * 7 + k) % 4] end, status, '', '1', at, at,
           case when status = 'resolved' then at end
      from generate_series(0, ${ASSETS - 1}::int) n,
           unnest(${[...FINDING_KINDS]}::text[]) with ordinality as kinds (kind, k),
           lateral (select (array['open', 'reopened', 'resolved'])[1 + (n + k) % 3] as status,
                           timestamptz '2026-01-01' + make_interval(days => case when n < 6 then 9 else (n * k % 5)::int end) as at) facts
     where (n + k) % 4 <> 0`);
});
afterAll(() => database.drop());

test.each<[string, Visibility]>([
  ['tenant', { kind: 'tenant' }],
  ['domain', FINANCE],
])('of a %s, the assets are those of the list, in its order', async (_, visibility) => {
  await withTx(database.db, { tenantId: DEV, mode: 'read' }, async (tx) => {
    for (const status of [undefined, 'open', 'resolved', 'all'] satisfies AskedStatus[]) {
      const { findings: listed } = await listFindings(tx, visibility, { status }, 1_000);
      const grouped = [...Map.groupBy(listed, ({ assetId }) => assetId)];
      expect(grouped.length).toBeGreaterThan(10);
      for (const limit of [1, 7, 1_000]) {
        const assets = await findingsByAsset(tx, visibility, { status }, limit);
        expect(
          assets.map(({ assetId, findings }) => [assetId, findings.map((each) => each.findingId)]),
        ).toEqual(
          grouped.slice(0, limit).map(([assetId, of]) => [assetId, of.map((each) => each.findingId)]),
        );
        for (const { severity, counts, findings } of assets) {
          expect(severity).toBe(findings[0]?.severity);
          for (const [name, count] of Object.entries(counts))
            expect(findings.filter((each) => each.severity === name)).toHaveLength(count);
        }
      }
    }
  });
});
