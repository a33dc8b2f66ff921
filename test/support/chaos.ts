import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../core/db/sql.ts';
import type { Db } from '../../core/db/tx.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { CampaignId, TenantId } from '../../core/kernel/ids.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { makeCampaign, makeTenant } from './campaign.ts';
import type { TestDatabase } from './database.ts';
import { contradictions, doubleEffects, leaveEffect, openUnits } from './work-truth.ts';

/**
 * What a unit of a chaos campaign does. `works`: leaves its effect and completes. `grows`: also adds units that work.
 * `stumbles`: fails twice, then works. `gives_up`: fails at every attempt. `refuses`: fails permanently. `kills`:
 * kills its process.
 */
export type Act = 'works' | 'grows' | 'stumbles' | 'gives_up' | 'refuses' | 'kills';

const STUMBLES = 2;
const GROWS_BY = 2;

/** The possible ends of units by act: the class and diagnostic of the dead letter, or null. */
const ENDS: Readonly<Record<Act, readonly (string | null)[]>> = {
  works: [null],
  grows: [null],
  stumbles: [null],
  // A worker that died may have taken the last attempt with it.
  gives_up: ['transient share_unreachable', 'corrupt attempts_spent_unreported'],
  refuses: ['permanent scope_gone'],
  kills: ['corrupt attempts_spent_unreported'],
};

/** Creates a tenant with a campaign of units that behave as `actOf` says. Also returns the final number of units. */
export async function makeChaos(
  database: TestDatabase,
  tenantId: TenantId,
  units: number,
  actOf: (n: number) => Act,
  now: number,
): Promise<{ campaignId: CampaignId; total: number }> {
  const scopeId = await makeTenant(database, tenantId, now);
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, units, now, (n) => ({
    n,
    act: actOf(n),
  }));
  // More attempts for units that would succeed, because workers may die while they hold them.
  await database.inspect(sql`
    update work_units set max_attempts = 20
     where tenant_id = ${tenantId} and payload ->> 'act' not in ('gives_up', 'kills')`);
  const growing = Array.from({ length: units }, (_, n) => actOf(n)).filter((act) => act === 'grows').length;
  return { campaignId, total: units + growing * GROWS_BY };
}

/** Finds errors in a database after chaos campaigns have ended. `NOTHING_WRONG` means that there are none. */
export async function whatIsWrong(database: TestDatabase, campaignIds: readonly CampaignId[]) {
  const wrong = await Promise.all(campaignIds.map((campaignId) => wrongEnds(database, campaignId)));
  return {
    open: await openUnits(database),
    wrongEnds: wrong.flat(),
    contradictions: await contradictions(database),
    doubleEffects: await doubleEffects(database),
  };
}

export const NOTHING_WRONG = { open: 0, wrongEnds: [], contradictions: [], doubleEffects: [] };

/** Units that did not end as their act says, and units that have not ended. */
async function wrongEnds({ inspect }: TestDatabase, campaignId: CampaignId): Promise<object[]> {
  const ends = await inspect<{ act: Act; status: string; letter: string | null; units: number }>(sql`
    select coalesce(u.payload ->> 'act', 'works') as act, u.status, d.retry_class || ' ' || d.safe_diagnostic as letter,
           count(*)::int as units
      from work_units u left join dead_letters d using (unit_id)
     where u.campaign_id = ${campaignId} group by 1, 2, 3 order by 1, 2, 3`);
  return ends.filter(({ act, status, letter }) => {
    const settled = letter === null ? status === 'completed' : status === 'dead';
    return !settled || !ENDS[act].includes(letter);
  });
}

/** Runs units of a chaos campaign. Each takes a few milliseconds. */
export const chaosHandler =
  (db: Db, clock: Clock): UnitHandler =>
  async (unit) => {
    const { n, act } = unit.payload as { n: number; act: Act };
    await sleep(n % 4);
    if (act === 'kills') process.kill(process.pid, 'SIGKILL');
    if (act === 'refuses') throw new UnitFailure('permanent', 'scope_gone');
    if (act === 'gives_up' || (act === 'stumbles' && unit.attempt <= STUMBLES)) {
      throw new UnitFailure('transient', 'share_unreachable');
    }
    await withLeasedTx(db, unit, async (tx) => {
      if (act === 'grows') {
        const more = Array.from({ length: GROWS_BY }, (_, child) => ({
          kind: 'process_asset' as const,
          logicalKey: `grown:${n}:${child}`,
          payload: { n: child, act: 'works' },
        }));
        await enqueueUnits(tx, unit.campaignId, more, clock());
      }
      await leaveEffect(tx, unit);
    });
    return { observe: 'computed' };
  };

/** A linear congruential generator of numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The seed of a test run: new each time, or `CHAOS_SEED` to repeat a run. Tests print it when they fail. */
export const chaosSeed = (): number => Number(process.env.CHAOS_SEED ?? Date.now() % 2 ** 31);
