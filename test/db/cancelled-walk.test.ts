import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { controlCampaign } from '../../core/campaigns/campaign-control.sql.ts';
import { findCampaign, startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SITE = 'site-1';
const EVERYTHING = { kind: 'tenant' } as const;
const now = Date.UTC(2026, 0, 1);

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let source: ChangingSource;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `late-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  source = createChangingSource();
});

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);

async function start(kind: 'inventory' | 'delta'): Promise<CampaignId> {
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const createdBy = 'somebody' as PrincipalId;
  return write((tx) =>
    startCampaign(tx, { scopeId, kind, createdBy, correlationId: 'cor_1', first }, now),
  ).then(mustStart);
}

function drain(mode: 'feed' | 'comparison'): Promise<number> {
  const { handlers, ...common } = scanOf(source, mode, { database, clock: () => now });
  // One unit at once, or the process of the cancelled scan would take units of the next one.
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 1 });
  return worker.drain(60_000, new AbortController().signal);
}

const known = () =>
  database.inspect<{ name: string; status: string }>(sql`
    select name, status from assets where tenant_id = ${tenantId} order by name`);
const scope = () =>
  database.inspect(sql`
    select coverage_state, delta_cursor, delta_cursor_status, asset_count from scopes where scope_id = ${scopeId}`);

test.each([
  ['inventory', 'feed'],
  ['delta', 'feed'],
  ['delta', 'comparison'],
] as const)(
  'an %s by %s that ends after its cancellation changes nothing for the next scan',
  async (kind, mode) => {
    source.put(SITE, 'a');
    await start('inventory');
    await drain(mode);

    const late = await start(kind);
    let seen: unknown;
    source.beforePage = async () => {
      source.beforePage = async () => undefined;
      await write((tx) => controlCampaign(tx, EVERYTHING, late, 'cancel', now));
      const b = source.put(SITE, 'b');
      await start('inventory');
      await drain(mode);
      seen = { known: await known(), scope: await scope() };
      // What the cancelled one is about to read is older than what the next one saw.
      source.remove(SITE, 'b');
      source.feed.set(SITE, [[{ type: 'delete', externalId: b.externalId }]]);
    };
    await drain(mode);

    expect(seen).toMatchObject({
      known: [
        { name: 'a', status: 'active' },
        { name: 'b', status: 'active' },
      ],
    });
    expect({ known: await known(), scope: await scope() }).toEqual(seen);
    expect(await write((tx) => findCampaign(tx, EVERYTHING, late))).toMatchObject({
      status: 'cancelled',
      workUnits: { pending: 0, leased: 0, completed: 0, dead: 0, cancelled: 1 },
    });
  },
);
