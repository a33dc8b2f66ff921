import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CampaignRow,
  findCampaign,
  narrowedTo,
  startCampaign,
} from '../../core/campaigns/campaigns.sql.ts';
import { dueInventories } from '../../core/campaigns/due-scopes.sql.ts';
import type { DeltaChange } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import type { Only, SetRule } from '../../core/narrowing/narrowing-schema.ts';
import { replaceRules, rulesOfScope } from '../../core/narrowing/scan-rules.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SITE = 'site-1';
const createdBy = 'somebody' as PrincipalId;

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now = 0;
let source: ChangingSource;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `narrowed-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  source = createChangingSource();
});

const inTenant = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);
const put = (...paths: string[]) => paths.map((path) => source.put(SITE, path));
const setRules = (...rules: SetRule[]) => inTenant((tx) => replaceRules(tx, rules, { createdBy, now }));

/** Runs a scan as `startScan` starts it. */
async function scan(kind: 'inventory' | 'delta', mode: 'feed' | 'comparison', only: Only | null = null) {
  const { handlers, logs: _, ...common } = scanOf(source, mode, { database, clock: () => now });
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaignId = await inTenant(async (tx) => {
    const rules = await rulesOfScope(tx, { scopeId, family: 'm365' });
    const scan = { scopeId, kind, createdBy, correlationId: 'cor_1', first, narrowing: { only, rules } };
    return startCampaign(tx, scan, now);
  });
  if (campaignId === null) throw new Error('Another scan is active');
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 4 });
  await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
  now += 60_000;
  return shown(campaignId);
}
async function shown(campaignId: CampaignId) {
  return inTenant(async (tx) => {
    const campaign = (await findCampaign(tx, { kind: 'tenant' }, campaignId)) as CampaignRow;
    return { ...(await narrowedTo(tx, campaignId)), status: campaign.status, narrowed: campaign.narrowed };
  });
}
const scope = async () => {
  const [row] = await database.inspect<Record<string, unknown>>(sql`
    select coverage_state as coverage, delta_cursor as cursor, delta_cursor_status as status,
           narrowed_at is not null as narrowed, assets_left_out as kept from scopes where scope_id = ${scopeId}`);
  return row;
};
const active = async (): Promise<string[]> => {
  const rows = await database.inspect<{ external_id: string }>(sql`
    select external_id from assets where tenant_id = ${tenantId} and status = 'active' order by 1`);
  return rows.map((row) => row.external_id);
};

describe.each(['feed', 'comparison'] as const)('of a source with a delta by %s', (mode) => {
  test('a first narrowed scan reads its part, and the scope was never covered', async () => {
    put('hr/a.txt', 'hr/b.pdf', 'it/c.txt');
    const done = await scan('inventory', mode, { folders: ['HR'], formats: ['txt'] });
    expect(await active()).toEqual(['hr/a.txt']);
    expect(done).toMatchObject({
      status: 'completed',
      narrowed: true,
      only: { folders: ['HR'], formats: ['txt'] },
    });
    expect(done.leftOut).toEqual([
      { reason: 'folder', ruleId: null, pattern: null, items: 1 },
      { reason: 'format', ruleId: null, pattern: null, items: 1 },
    ]);
    expect(await scope()).toMatchObject({ coverage: null, cursor: null, status: 'none', narrowed: true });
  });

  test('a narrowed scan ends nothing, and leaves coverage and cursor as they are', async () => {
    put('hr/a.txt', 'it/c.txt');
    await scan('inventory', mode);
    const before = await scope();
    source.remove(SITE, 'hr/a.txt');
    source.remove(SITE, 'it/c.txt');
    put('hr/b.txt');
    await scan('inventory', mode, { folders: ['hr'] });
    expect(await active()).toEqual(['hr/a.txt', 'hr/b.txt', 'it/c.txt']);
    expect(await scope()).toEqual({ ...before, narrowed: true });
    // The next whole scan ends what has gone.
    await scan('inventory', mode);
    expect(await active()).toEqual(['hr/b.txt']);
    expect(await scope()).toEqual({ ...before, narrowed: false });
  });

  test('what a rule leaves out is not read, and counted by rule', async () => {
    await setRules({ pattern: 'node_modules' }, { pattern: '*.bak' });
    put('a.txt', 'node_modules/x/b.txt', 'app/node_modules/c.txt', 'd.bak');
    const done = await scan('inventory', mode);
    expect(await active()).toEqual(['a.txt']);
    expect(done.narrowed).toBe(false);
    expect(done.leftOut).toEqual([
      { reason: 'rule', ruleId: expect.stringMatching(/^rul_/), pattern: 'node_modules', items: 2 },
      { reason: 'rule', ruleId: expect.stringMatching(/^rul_/), pattern: '*.bak', items: 1 },
    ]);
    expect(await scope()).toMatchObject({ coverage: 'baseline', narrowed: false, kept: 0 });
  });

  test('an asset that a new rule leaves out stays as it was read while its source has it', async () => {
    put('a.txt', 'old/b.txt', 'old/c.txt');
    await scan('inventory', mode);
    await setRules({ pattern: 'old' });
    expect(await scope()).toMatchObject({ coverage: 'stale' });
    source.put(SITE, 'old/b.txt', 'v2');
    source.remove(SITE, 'old/c.txt');
    const reads = source.reads;
    await scan('inventory', mode);
    expect(await active()).toEqual(['a.txt', 'old/b.txt']);
    expect(source.reads).toBe(reads);
    expect(await scope()).toMatchObject({ coverage: 'baseline', kept: 1 });
  });

  test('without the rule, the next delta reads what it left out', async () => {
    await setRules({ pattern: 'old' });
    put('a.txt', 'old/b.txt');
    await scan('inventory', mode);
    expect(await active()).toEqual(['a.txt']);
    await setRules();
    // A feed says nothing of what was never read, so the scope is listed again.
    await scan('delta', mode);
    expect(await active()).toEqual(['a.txt', 'old/b.txt']);
    expect((await scope())?.coverage).not.toBe('stale');
  });

  test('rules that change while a scan runs leave the scope stale', async () => {
    put('a.txt', 'old/b.txt');
    source.beforePage = async () => {
      source.beforePage = async () => undefined;
      await setRules({ pattern: 'old' });
    };
    await scan('inventory', mode);
    expect(await scope()).toMatchObject({ coverage: 'stale', cursor: null });
    await scan('delta', mode);
    expect((await scope())?.coverage).not.toBe('stale');
    expect(await scope()).toMatchObject({ kept: 1 });
  });
});

test('a kept asset that a feed reports is not read, and read again without the rule', async () => {
  put('a.txt', 'old/b.txt');
  await scan('inventory', 'feed');
  await setRules({ pattern: 'old' });
  await scan('inventory', 'feed');
  const reads = source.reads;
  const changes: DeltaChange[] = [{ type: 'upsert', item: source.put(SITE, 'old/b.txt', 'v2') }];
  source.feed.set(SITE, [changes]);
  const done = await scan('delta', 'feed');
  expect(done.leftOut).toMatchObject([{ reason: 'rule', pattern: 'old', items: 1 }]);
  expect(source.reads).toBe(reads);
  await setRules();
  source.feed.clear();
  await scan('delta', 'feed');
  expect(source.reads).toBe(reads + 1);
});

test('a rule is of one scope, of a family, or of all', async () => {
  await setRules(
    { pattern: 'all' },
    { pattern: 'ours', scopeId },
    { pattern: 'suite', family: 'm365' },
    { pattern: 'share', family: 'smb' },
  );
  const rules = await inTenant((tx) => rulesOfScope(tx, { scopeId, family: 'm365' }));
  expect(rules.map(({ pattern }) => pattern)).toEqual(['all', 'ours', 'suite']);
});

test('a rule that stays keeps its id, in the new order, and changes nothing', async () => {
  await setRules({ pattern: 'a' }, { pattern: 'b' });
  put('x.txt');
  await scan('inventory', 'comparison');
  const before = await inTenant((tx) => rulesOfScope(tx, { scopeId, family: 'm365' }));
  const changed = await setRules({ pattern: 'b' }, { pattern: 'a' });
  expect(changed).toEqual({ added: 0, removed: 0, scopesToScan: 0 });
  const after = await inTenant((tx) => rulesOfScope(tx, { scopeId, family: 'm365' }));
  expect(after).toEqual(before.toReversed());
  expect(await scope()).toMatchObject({ coverage: 'baseline' });
});

test('a narrowed inventory is none that makes a scheduled one needless', async () => {
  put('a.txt');
  await scan('inventory', 'feed');
  const begun = now;
  now += 86_400_000;
  await scan('inventory', 'feed', { folders: ['x'] });
  const families = [{ tenantId, family: 'm365' as const }];
  const due = (before: number) =>
    withEngineTx(database.db, (tx) => dueInventories(tx, families, { before, triedBefore: now }, 10));
  expect(await due(begun)).toMatchObject([{ scopeId }]);
});

test('calls and bytes of a scan are counted, also those of attempts that fail', async () => {
  put('a.txt', 'b.txt');
  let fails = true;
  source.beforeGet = async () => {
    if (fails) {
      fails = false;
      throw new Error('a bug');
    }
    return undefined;
  };
  const { used } = await scan('inventory', 'comparison');
  // A page, the catalogue of labels, one call that failed, and four for the file whose unit went through.
  expect(used).toEqual({ calls: 1 + 1 + 1 + 4, bytesRead: 'words'.length });
});
