import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { DEFAULT_EXTRACTION } from '../../core/extractors/pool/extraction-pool.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { createScanAnalysis } from '../../core/scan/analysis-pool.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant } from '../support/campaign.ts';
import { createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { zip } from '../support/documents/packages.ts';

const NOW = Date.UTC(2026, 0, 1);
const tenantId = 'names' as TenantId;

let database: TestDatabase;
const analysis = createScanAnalysis({ ...DEFAULT_EXTRACTION, size: 1 });

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await analysis.close();
  await database.drop();
});

test('an archive is scanned whatever the names of its files are', { timeout: 120_000 }, async () => {
  const scopeId = await makeTenant(database, tenantId, NOW);
  await makeEnsemble(database, tenantId, NOW);
  const source = createChangingSource();
  source.put('site-1', 'a.zip');
  const bytes = zip({ 'HR/a\0b.txt': 'card 4539 1488 0343 6467' });
  const { handlers, logs, ...common } = scanOf(source, 'comparison', {
    ...{ database, analysis, clock: () => NOW },
    around: (_, connector) => ({ ...connector, readContent: async () => ({ state: 'available', bytes }) }),
  });
  const first = {
    kind: 'inventory_page',
    logicalKey: 'page:0',
    payload: { page: 0, pageToken: null },
  } as const;
  const createdBy = 'somebody' as PrincipalId;
  await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    startCampaign(tx, { scopeId, kind: 'inventory', createdBy, correlationId: 'cor_1', first }, NOW),
  );
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 1 });
  await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
  expect(
    await database.inspect(sql`
      select a.content_state, f.excerpts->0->>'inside' as inside
        from asset_features f join assets a using (tenant_id, asset_id) where a.tenant_id = ${tenantId}`),
  ).toEqual([{ content_state: 'available', inside: 'HR/ab.txt' }]);
});
