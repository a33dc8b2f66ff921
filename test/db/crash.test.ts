import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { type Act, chaosSeed, makeChaos, NOTHING_WRONG, randomFrom, whatIsWrong } from '../support/chaos.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { contradictions, doubleEffects, makeEffects, openUnits } from '../support/work-truth.ts';

let database: TestDatabase;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  database = await createTestDatabase();
  await makeEffects(database);
});
afterAll(async () => {
  // A test that failed may have left one behind, which would wait for ever.
  for (const child of children) child.kill('SIGKILL');
  await database.drop();
});

const times = (said: readonly string[], word: string) => said.filter((line) => line === word).length;

const SCRIPT = new URL('../support/worker-process.ts', import.meta.url).pathname;

function startWorker(clockOffset: number, mode: 'chaos' | 'slow' | 'failing') {
  const child = spawn(process.execPath, [SCRIPT, database.url, String(clockOffset), mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => said.push(line));
  /** Resolves when it has said `word` so many times, or has ended. */
  const says = async (word: string, count = 1) => {
    while (!over && times(said, word) < count) await Promise.race([once(lines, 'line'), ended]);
  };
  let over = false;
  // Not at its exit, when what it said last may not have been read yet.
  const ended = once(child, 'close').then(() => {
    over = true;
    children.delete(child);
  });
  children.add(child);
  return { child, said, says, ended };
}

const UNITS = NIGHTLY ? 1_000 : 500;
const WORKERS = 3;
const KILLS = NIGHTLY ? 4 : 2;
/** Far more processes than it takes: then something does not end. */
const MAX_PROCESSES = 80;

const ACTS: readonly [every: number, act: Act][] = [
  [450, 'kills'],
  [97, 'gives_up'],
  [89, 'refuses'],
  [23, 'stumbles'],
  [17, 'grows'],
];
const actOf = (n: number): Act => ACTS.find(([every]) => n % every === every - 1)?.[1] ?? 'works';

test('workers that are killed, and units that kill them: all settles, nothing twice', async () => {
  const seed = chaosSeed();
  const random = randomFrom(seed);
  const { campaignId, total } = await makeChaos(database, 'crash' as TenantId, UNITS, actOf, Date.now());
  let processes = 0;
  let kills = KILLS;
  const post = async () => {
    while ((await openUnits(database)) > 0 && processes < MAX_PROCESSES) {
      // Each one's clock is past the leases of all before it, which takes units from the living too.
      const worker = startWorker(++processes * (LEASE_MS + 1), 'chaos');
      await worker.says('started');
      if (kills-- > 0) {
        await Promise.race([sleep(50 + random() * 400), worker.ended]);
        worker.child.kill('SIGKILL');
      }
      await worker.ended;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, post));

  expect({ seed, ...(await whatIsWrong(database, [campaignId])) }).toEqual({ seed, ...NOTHING_WRONG });
  const campaigns = await database.inspect(
    sql`select status, units_total, units_dead from campaigns where campaign_id = ${campaignId}`,
  );
  const dying: readonly Act[] = ['kills', 'gives_up', 'refuses'];
  const dead = Array.from({ length: UNITS }, (_, n) => actOf(n)).filter((act) => dying.includes(act)).length;
  expect(campaigns).toEqual([{ status: 'completed', units_total: total, units_dead: dead }]);

  // Whoever settled the last unit may have been killed before it told the audit trail.
  await sweepCampaignEnds({ db: database.db, clock: Date.now }, new AbortController().signal);
  const ends = await database.inspect(sql`
    select record::jsonb #> '{event,details,unitsDead}' as dead from audit_events
     where record::jsonb #>> '{event,target,id}' = ${campaignId}`);
  expect(ends).toEqual([{ dead }]);
});

const SLOW_UNITS = 40;
/** Units that a worker process runs at once. */
const CONCURRENCY = 4;

async function makeSlow(tenantId: TenantId): Promise<() => Promise<{ status: string; effects: number }[]>> {
  const scopeId = await makeTenant(database, tenantId, Date.now());
  await makeCampaign(database.db, tenantId, scopeId, SLOW_UNITS, Date.now());
  return () =>
    database.inspect(sql`
      select u.unit_id, u.status, u.attempt, u.settled_at, count(e.effect_id)::int as effects
        from work_units u left join unit_effects e using (unit_id)
       where u.tenant_id = ${tenantId} group by u.unit_id order by u.unit_id`);
}

test('a worker that comes back after others did its work changes nothing', async () => {
  const units = await makeSlow('paused' as TenantId);
  const paused = startWorker(0, 'failing');
  await paused.says('begun', CONCURRENCY);
  paused.child.kill('SIGSTOP');

  const successor = startWorker(LEASE_MS + 1, 'chaos');
  await successor.ended;
  const settled = await units();
  expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['completed']));

  // It held a batch of 20: what it has begun ends with an effect, an outcome or a failure; the rest it begins now.
  paused.child.kill('SIGCONT');
  paused.child.stdin.write('go on\n');
  await paused.ended;
  expect(times(paused.said, 'settled')).toBe(1);
  expect(times(paused.said, 'refused')).toBeGreaterThanOrEqual(CONCURRENCY);
  expect(await units()).toEqual(settled);
  expect(await contradictions(database)).toEqual([]);
  expect(await doubleEffects(database)).toEqual([]);
});

test('a worker that comes back does not disturb the one that has its unit now', async () => {
  const units = await makeSlow('disturbed' as TenantId);
  const paused = startWorker(0, 'slow');
  await paused.says('begun', CONCURRENCY);
  paused.child.kill('SIGSTOP');
  // One unit of those whose lease has run out, and some that were still pending.
  const successor = startWorker(LEASE_MS + 1, 'slow');
  await successor.says('begun', CONCURRENCY);

  paused.child.kill('SIGCONT');
  paused.child.stdin.write('go on\n');
  await paused.ended;
  successor.child.stdin.write('go on\n');
  await successor.ended;
  expect([times(paused.said, 'settled'), times(paused.said, 'refused')]).toEqual([1, 1]);
  expect([times(successor.said, 'settled'), times(successor.said, 'refused')]).toEqual([1, 0]);
  expect(new Set((await units()).map(({ status }) => status))).toEqual(new Set(['completed']));
  expect(await contradictions(database)).toEqual([]);
  expect(await doubleEffects(database)).toEqual([]);
});
