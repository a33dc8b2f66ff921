import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentStateCounts } from '../../core/assets/content-state-counts.sql.ts';
import { controlCampaign } from '../../core/campaigns/campaign-control.sql.ts';
import { recentDeadLetters, retryDeadLetter } from '../../core/campaigns/dead-letters.sql.ts';
import type { SourceItem } from '../../core/connectors/connector.ts';
import { violatedConstraint } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { type EngineTx, type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import { type CampaignId, newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import {
  oldestCursorSince,
  oldestPendingSince,
  type QueueCounts,
  queueCounts,
} from '../../core/operations/counts.sql.ts';
import { upsertListedAssets } from '../../core/scan/inventory.sql.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { enqueueUnits, type NewUnit } from '../../core/work/enqueue.sql.ts';
import { LEASE_MS, leaseUnits } from '../../core/work/lease.sql.ts';
import { type Settlement, settleUnits } from '../../core/work/settle.sql.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

const START = Date.UTC(2026, 0, 1);
const STATES = ['not_fetched', 'available', 'partial', 'unsupported', 'failed', 'inaccessible'] as const;

let database: TestDatabase;
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
});
afterAll(() => database.drop());

/** What another test left would be leased too. */
async function newTenant(): Promise<{ tenantId: TenantId; scopeId: ScopeId }> {
  await database.inspect(
    sql`update campaigns set status = 'cancelled' where status in ('pending', 'running', 'paused')`,
  );
  const tenantId = `counts-${tenants++}` as TenantId;
  return { tenantId, scopeId: await makeTenant(database, tenantId, START) };
}
const write = <T>(tenantId: TenantId, fn: (tx: Tx) => Promise<T>) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);
const read = <T>(tenantId: TenantId, fn: (tx: Tx) => Promise<T>) =>
  withTx(database.db, { tenantId, mode: 'read' }, fn);

const item = (n: number): SourceItem => ({
  externalId: `item-${String(n).padStart(3, '0')}`,
  name: `${n}.txt`,
  path: `folder/${n}.txt`,
  kind: 'file',
  sizeBytes: 1,
  mimeType: null,
  sourceUrl: null,
  sourceVersion: 'v1',
  contentVersion: 'c1',
  createdAt: null,
  modifiedAt: null,
  modifiedBy: null,
});

describe('assets by content state', () => {
  const SCOPES = 5;
  const some = fc.uniqueArray(fc.nat(29), { minLength: 1, maxLength: 20 });
  const act = fc.oneof(
    fc.record({ kind: fc.constant('list' as const), items: some }),
    fc.record({ kind: fc.constant('look' as const), items: some, state: fc.constantFrom(...STATES) }),
    fc.record({ kind: fc.constant('lose' as const), items: some }),
    fc.record({ kind: fc.constant('walked' as const), items: some }),
  );
  type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
  const transaction = fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 4 }), fails: fc.boolean() });

  async function perform(tx: Tx, scopeId: ScopeId, act: Act, step: string): Promise<void> {
    const items = act.items.map(item);
    const ids = items.map(({ externalId }) => externalId);
    const ofScope = sql`tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`;
    if (act.kind === 'look') {
      await tx.query(sql`
        update assets set content_state = ${act.state} where ${ofScope} and external_id = any(${ids}::text[])`);
    } else if (act.kind === 'lose') {
      await tx.query(sql`
        update assets set status = 'deleted' where ${ofScope} and external_id = any(${ids}::text[])`);
    } else {
      await upsertListedAssets(tx, scopeId, step as CampaignId, items, START);
      if (act.kind === 'walked') {
        await tx.query(sql`
          update assets set status = 'deleted' where ${ofScope} and external_id <> all(${ids}::text[])`);
      }
    }
  }

  const counted = async (tx: Tx) =>
    Object.fromEntries(Object.entries(await contentStateCounts(tx)).filter(([, assets]) => assets !== 0));
  const actual = async (tx: Tx) => {
    const rows = await tx.query<{ state: string; assets: number }>(sql`
      select content_state as state, count(*) as assets from assets
       where tenant_id = ${tx.tenantId} and status = 'active' group by 1`);
    return Object.fromEntries(rows.map(({ state, assets }) => [state, assets]));
  };

  test('are exact in every snapshot under concurrent changes and rollback', async () => {
    const seen = new Set<string>();
    // Runs that are made at random hardly ever miss a state; this one never does.
    const everyState = STATES.map((state, n) => ({
      acts: [
        { kind: 'list' as const, items: [n] },
        { kind: 'look' as const, items: [n], state },
      ],
      fails: false,
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(transaction, { maxLength: 6 }), { minLength: 2, maxLength: SCOPES }),
        async (writers) => {
          const { tenantId } = await newTenant();
          const scopes = await write(tenantId, async (tx) => {
            const sites = Array.from({ length: SCOPES }, (_, n) => ({
              externalId: `site-${n}`,
              name: 'Site',
              kind: 'site',
            }));
            await registerScopes(tx, 'm365', 'mock', sites, START);
            return tx.query<{ scope_id: ScopeId }>(sql`select scope_id from scopes where selected`);
          });
          let writing = true;
          const check = () =>
            read(tenantId, async (tx) => {
              const real = await actual(tx);
              expect(await counted(tx)).toEqual(real);
              for (const state of Object.keys(real)) seen.add(state);
            });
          // A scope each, so that counters are all that they could wait for or deadlock on.
          const writer = async (transactions: (typeof writers)[number], who: number) => {
            const scopeId = scopes[who]?.scope_id;
            if (scopeId === undefined) throw new Error('too few scopes');
            for (const [index, { acts, fails }] of transactions.entries()) {
              const attempt = write(tenantId, async (tx) => {
                for (const each of acts) await perform(tx, scopeId, each, `cmp_${index}`);
                if (fails) throw new RangeError('rolled back');
              });
              if (fails) await expect(attempt).rejects.toThrow('rolled back');
              else await attempt;
            }
          };
          const reading = (async () => {
            while (writing) await check();
          })();
          await Promise.all(writers.map(writer)).finally(() => {
            writing = false;
          });
          await reading;
          await check();
        },
      ),
      { numRuns: propertyRuns(20), examples: [[[everyState, []]]] },
    );
    expect(seen).toEqual(new Set(STATES));
  });

  test('keep no writer waiting for another one that has not committed', async () => {
    const { tenantId, scopeId } = await newTenant();
    await write(tenantId, (tx) =>
      upsertListedAssets(tx, scopeId, 'cmp_1' as CampaignId, [item(1), item(2)], START),
    );
    const look = (n: number) => (tx: Tx) =>
      perform(tx, scopeId, { kind: 'look', items: [n], state: 'available' }, 'cmp_1');
    await write(tenantId, async (tx) => {
      await look(1)(tx);
      await write(tenantId, async (other) => {
        await other.query(sql`set local lock_timeout = 1`);
        await look(2)(other);
      });
    });
    expect(await read(tenantId, counted)).toEqual({ available: 2 });
  });

  test('take no more slots than there are writers at once', async () => {
    const { tenantId, scopeId } = await newTenant();
    for (let n = 0; n < 20; n++) {
      await write(tenantId, (tx) => upsertListedAssets(tx, scopeId, 'cmp_1' as CampaignId, [item(n)], START));
    }
    const slots = await database.inspect(
      sql`select not_fetched::int from tenant_counters where tenant_id = ${tenantId}`,
    );
    expect(slots).toEqual([{ not_fetched: 20 }]);
  });
});

describe('work units by status', () => {
  const actual = async (tx: Tx): Promise<QueueCounts> => {
    const [row] = await tx.query<QueueCounts>(sql`
      select count(*) filter (where u.status = 'pending' and c.status <> 'cancelled') as pending,
             count(*) filter (where u.status = 'leased') as leased,
             count(*) filter (where u.status = 'completed') as completed,
             count(*) filter (where u.status = 'dead') as dead,
             count(*) filter (where u.status = 'cancelled' or (u.status = 'pending' and c.status = 'cancelled')) as cancelled
        from work_units u join campaigns c using (tenant_id, campaign_id) where u.tenant_id = ${tx.tenantId}`);
    if (row === undefined) throw new Error('no row');
    return row;
  };
  const STEPS = ['start', 'enqueue', 'lease', 'settle', 'pause', 'resume', 'cancel', 'retry'] as const;
  const step = fc.record({
    kind: fc.constantFrom(...STEPS, 'lease' as const, 'settle' as const),
    amount: fc.integer({ min: 1, max: 8 }),
    result: fc.constantFrom('completed', 'completed', 'dead', 'retry', 'handed_back'),
  });
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  const settlementOf = (unit: WorkUnit, result: Settlement['result'], now: number): Settlement => ({
    unitId: unit.unitId,
    attempt: unit.attempt,
    result,
    runAfter: result === 'retry' ? now : null,
    retryClass: result === 'dead' ? 'permanent' : null,
    safeDiagnostic: result === 'dead' ? 'gone' : null,
    deadLetterId: result === 'dead' ? newId('dlq', now) : null,
    stages: {},
  });

  /** What one worker or person does, one step after the other; what the service refuses is no step. */
  async function act(
    tenantId: TenantId,
    scopeId: ScopeId,
    steps: readonly Step[],
    who: number,
  ): Promise<void> {
    const owner = `wrk_${who}`;
    const held: WorkUnit[] = [];
    const all = { kind: 'tenant' } as const;
    const newest = async (tx: Tx) => {
      const [row] = await tx.query<{ id: CampaignId }>(
        sql`select campaign_id as id from campaigns order by created_at desc, campaign_id desc limit 1`,
      );
      return row?.id ?? null;
    };
    const settle = async (amount: number, result: Settlement['result']) => {
      const batch = held.splice(0, amount).map((unit) => settlementOf(unit, result, START));
      await withEngineTx(database.db, (tx) => settleUnits(tx, owner, batch, START));
    };
    const perform = async ({ kind, amount, result }: Step): Promise<unknown> => {
      if (kind === 'start') return makeCampaign(database.db, tenantId, scopeId, amount, START);
      if (kind === 'settle') return settle(amount, result);
      if (kind === 'lease') {
        const lease = (tx: EngineTx) => leaseUnits(tx, owner, { units: amount, orphans: 0 }, START);
        return held.push(...(await withEngineTx(database.db, lease)));
      }
      return write(tenantId, async (tx) => {
        if (kind === 'enqueue') {
          const into = await newest(tx);
          if (into === null) return null;
          const unit = (n: number): NewUnit => ({
            kind: 'process_asset',
            logicalKey: `late:${who}:${n}`,
            payload: {},
          });
          return enqueueUnits(
            tx,
            into,
            Array.from({ length: amount }, (_, n) => unit(n)),
            START,
          );
        }
        if (kind !== 'retry') return controlCampaign(tx, all, (await newest(tx)) ?? 'cmp_none', kind, START);
        const [letter] = await recentDeadLetters(tx, 1);
        return letter && retryDeadLetter(tx, all, letter.id, START);
      });
    };
    for (const each of steps) {
      await perform(each).catch((error: unknown) => {
        // Nothing is added to a campaign that is complete.
        if (!(error instanceof ServiceError) && violatedConstraint(error) !== 'campaigns_completed')
          throw error;
      });
    }
    await settle(held.length, 'completed');
  }

  test('are exact in every snapshot, whatever workers and people do at once', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 16 }), { minLength: 2, maxLength: 4 }),
        async (actors) => {
          const { tenantId, scopeId } = await newTenant();
          let acting = true;
          const check = () =>
            read(tenantId, async (tx) => {
              const real = await actual(tx);
              expect(await queueCounts(tx)).toEqual(real);
              for (const [status, count] of Object.entries(real)) if (count > 0) seen.add(status);
            });
          const reading = (async () => {
            while (acting) await check();
          })();
          await Promise.all(actors.map((steps, who) => act(tenantId, scopeId, steps, who))).finally(() => {
            acting = false;
          });
          await reading;
          await check();
        },
      ),
      {
        numRuns: propertyRuns(40),
        // So that no status, and no campaign that completes, is left to chance.
        examples: [
          [
            [
              [
                { kind: 'start', amount: 1, result: 'completed' },
                { kind: 'lease', amount: 1, result: 'completed' },
                { kind: 'settle', amount: 1, result: 'completed' },
              ],
              [],
            ],
          ],
          [
            [
              [
                { kind: 'start', amount: 8, result: 'completed' },
                { kind: 'lease', amount: 4, result: 'completed' },
                { kind: 'settle', amount: 2, result: 'completed' },
                { kind: 'settle', amount: 1, result: 'dead' },
                { kind: 'cancel', amount: 1, result: 'completed' },
              ],
              [],
            ],
          ],
        ],
      },
    );
    expect(seen).toEqual(new Set(['pending', 'leased', 'completed', 'dead', 'cancelled']));
    const ended = await database.inspect<{ status: string }>(sql`select distinct status from campaigns`);
    expect(ended).toContainEqual({ status: 'completed' });
  });

  test('of campaigns that are stored as ended are counted as those that end', async () => {
    const { tenantId, scopeId } = await newTenant();
    await database.inspect(sql`
      insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, units_total,
                             units_completed, units_dead, created_at)
      select ${tenantId}, 'cmp_' || n, ${scopeId}, 'inventory', case n when 1 then 'cancelled' else 'completed' end, 'cor_1',
             10, case n when 1 then 3 else 8 end, 2, now() from generate_series(1, 3) n`);
    const counts = { pending: 0, leased: 0, completed: 19, dead: 6, cancelled: 5 };
    expect(await read(tenantId, queueCounts)).toEqual(counts);
  });

  test('the oldest pending unit is that of an active campaign that nobody paused', async () => {
    const { tenantId, scopeId } = await newTenant();
    const since = () => read(tenantId, oldestPendingSince);
    expect(await since()).toBeNull();
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, START + 5_000);
    expect(await since()).toBe(START + 5_000);
    const [unit] = await withEngineTx(database.db, (tx) =>
      leaseUnits(tx, 'w', { units: 1, orphans: 0 }, START + LEASE_MS),
    );
    if (unit === undefined) throw new Error('nothing was leased');
    const later = { ...settlementOf(unit, 'retry', 0), runAfter: START + 9_000 };
    await withEngineTx(database.db, (tx) => settleUnits(tx, 'w', [later], START + 6_000));
    expect(await since()).toBe(START + 5_000);
    await write(tenantId, (tx) => controlCampaign(tx, { kind: 'tenant' }, campaignId, 'pause', START));
    expect(await since()).toBeNull();
    expect(await read(tenantId, queueCounts)).toMatchObject({ pending: 3 });
  });

  test('the newest dead letters come first, of this tenant alone', async () => {
    const letters = async (count: number) => {
      const { tenantId, scopeId } = await newTenant();
      await makeCampaign(database.db, tenantId, scopeId, count, START);
      for (let n = 0; n < count; n++) {
        const at = START + n;
        const [unit] = await withEngineTx(database.db, (tx) =>
          leaseUnits(tx, 'w', { units: 1, orphans: 0 }, at),
        );
        if (unit?.tenantId !== tenantId) throw new Error('another tenant’s unit was leased');
        await withEngineTx(database.db, (tx) => settleUnits(tx, 'w', [settlementOf(unit, 'dead', at)], at));
      }
      return tenantId;
    };
    const mine = await letters(4);
    await letters(2);
    const newest = await read(mine, (tx) => recentDeadLetters(tx, 3));
    expect(newest.map(({ createdAt }) => Date.parse(createdAt) - START)).toEqual([3, 2, 1]);
    expect(newest[0]).toMatchObject({
      kind: 'process_asset',
      retryClass: 'permanent',
      safeDiagnostic: 'gone',
      attempt: 1,
      retriedAt: null,
    });
  });
});

test('the oldest delta cursor is one that is valid, of a scope that is still selected', async () => {
  const { tenantId, scopeId } = await newTenant();
  const since = () => read(tenantId, oldestCursorSince);
  const set = (status: string, selected: boolean) =>
    write(tenantId, (tx) =>
      tx.query(sql`
        update scopes set delta_cursor_status = ${status}, selected = ${selected}, delta_cursor_at = ${new Date(START)}
         where scope_id = ${scopeId}`),
    );
  expect(await since()).toBeNull();
  await set('valid', true);
  expect(await since()).toBe(START);
  await set('resync_required', true);
  expect(await since()).toBeNull();
  await set('valid', false);
  expect(await since()).toBeNull();
});
