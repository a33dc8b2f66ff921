import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { labelState } from '../../core/actions/preview.ts';
import { findAsset } from '../../core/assets/asset-detail.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectorOf } from '../support/graph/connect.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { liveWorker, makeLiveTenant, startLiveScan } from '../support/graph/live-scan.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import { openUnits } from '../support/work-truth.ts';

const OURS = { id: guidOf('label/ours'), name: 'Secret', priority: 1, hasProtection: false, sublabels: [] };
const THEIRS = { labelGuid: guidOf('label/theirs'), tenantId: guidOf('tenant/theirs') };

let database: TestDatabase;
let fake: GraphFake;
let library: FakeLibrary;
let now: number;
let tenant: { tenantId: TenantId; scopeId: ScopeId };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake({}, { clock: () => now }, { labels: [OURS] });
  library = fake.library('Finance');
  const tenantId = newId('ten', now) as string as TenantId;
  tenant = { tenantId, scopeId: await makeLiveTenant(database, library, tenantId, now) };
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

async function scan(): Promise<void> {
  fake.clearCalls();
  await startLiveScan(database.db, tenant, 'inventory', now);
  const connector = connectorOf(fake, APP.clientId);
  const worker = liveWorker(database.url, { db: database.db, clock: () => now, connector });
  for (let rounds = 0; (await openUnits(database)) > 0; rounds++) {
    expect(rounds).toBeLessThan(20);
    await worker.drain(Infinity, new AbortController().signal);
    now += 5 * 60_000;
  }
}

/** The label of the only asset, as its detail shows it. */
async function shownLabel() {
  const [row] = await database.inspect<{ assetId: string }>(sql`
    select asset_id as "assetId" from assets where tenant_id = ${tenant.tenantId}`);
  const asset = await withTx(database.db, { tenantId: tenant.tenantId, mode: 'read' }, (tx) =>
    findAsset(tx, row?.assetId ?? '', { kind: 'tenant' }),
  );
  return asset?.label;
}

test('a label of another organization is shown as foreign, and the asset is unlabelled', async () => {
  const id = library.add('plan.docx', 'Plan');
  library.labelElsewhere(id, THEIRS.labelGuid, THEIRS.tenantId);
  await scan();
  expect(await shownLabel()).toMatchObject({ state: 'unlabeled', labelGuid: null, foreign: [THEIRS] });
  library.label(id, OURS.id);
  await scan();
  expect(await shownLabel()).toMatchObject({ state: 'labeled', labelGuid: OURS.id, foreign: [THEIRS] });
});

test('a label that an earlier release took for ours is read again, once', async () => {
  const id = library.add('plan.docx', 'Plan');
  library.labelElsewhere(id, THEIRS.labelGuid, THEIRS.tenantId);
  await scan();
  await database.inspect(sql`
    update assets set label_state = 'labeled', label_guid = ${THEIRS.labelGuid}, label_name = ${THEIRS.labelGuid},
                      foreign_labels = null
     where tenant_id = ${tenant.tenantId}`);
  await scan();
  expect(fake.callsOf('labels_extract')).toHaveLength(1);
  expect(await shownLabel()).toMatchObject({ state: 'unlabeled', foreign: [THEIRS] });
  await scan();
  expect(fake.callsOf('labels_extract')).toHaveLength(0);
});

test('the state in a preview of an action says that there is a foreign label', () => {
  const none = { kind: 'label', labelState: 'unlabeled', labelGuid: null, labelName: null };
  expect(labelState({ state: 'unlabeled' })).toEqual(none);
  expect(labelState({ state: 'unlabeled', foreign: [THEIRS] })).toEqual({ ...none, labeledElsewhere: true });
});
