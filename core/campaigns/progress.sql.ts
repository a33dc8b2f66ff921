import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isAtCeiling, isQuiet } from '../work/held.sql.ts';
import { atMoment, type Moment } from '../work/moment.sql.ts';
import { someoneLeases } from '../work/scanners.sql.ts';
import { CampaignSchema } from './campaign-schema.ts';
import type { CampaignRow, Readable } from './campaigns.sql.ts';

const Count = z.int().nonnegative();

const ProgressSchema = z.object({
  done: Count.describe('Work units that have ended: completed or dead'),
  total: Count.describe('Work units that are known so far'),
  growing: z
    .boolean()
    .describe('Whether more units may be added: the scope or the tenant is still being listed'),
  perMinute: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'Units a minute since the start or the last resume. Null while nothing runs or has ended, and for a reader who ' +
        'governs neither the scope nor the tenant',
    ),
  remainingSeconds: Count.nullable().describe(
    'What is left at this rate. Null without a rate and while `growing`',
  ),
});

/** A campaign as it is now: what the detail of a scan and its events have in common. */
export const CampaignStateSchema = CampaignSchema.extend({
  progress: ProgressSchema,
  waitingFor: z
    .enum(['scanner', 'retry', 'resume', 'quiet_hours', 'ceiling'])
    .nullable()
    .describe(
      '`scanner`: work is due and every scanner is drained or offline. `retry`: what is left is tried again later. ' +
        '`resume`: a person paused it. `quiet_hours`: a schedule lets no scan run now. `ceiling`: scans have read as ' +
        'much in this hour as a schedule allows',
    ),
  waitingUntil: z.iso
    .datetime()
    .nullable()
    .describe(
      'When it goes on, while it waits for a `retry`, the end of `quiet_hours`, or the hour of a `ceiling`',
    ),
  scheduled: z
    .object({
      dueAt: z.iso.datetime().describe('When it was due'),
      lateSeconds: Count.describe('How much later it started'),
      missedTimes: Count.describe(
        'Further times that passed without a run and that it stands for, at most 1,000',
      ),
    })
    .nullable()
    .describe('The time of the schedule that started it. Null: no schedule did'),
});
export type CampaignState = z.input<typeof CampaignStateSchema>;

type Pace = {
  startedAt: Date | null;
  pacedFrom: Date | null;
  pacedDone: number;
  settled: number;
  growing: boolean;
  nextDue: Date | null;
  now: Date;
  quietUntil: Date | null;
  ceilingUntil: Date | null;
  scheduledFor: Date | null;
  lateSeconds: number | null;
  missedTimes: number | null;
};

/** Of the units of a campaign, those that may add others. The index `work_units_growing` has the same condition. */
const MAY_ADD = sql`u.status in ('pending', 'leased') and (u.kind in ('inventory_page', 'delta_run') or u.payload ? 'planAfter')`;

/** The campaign with its progress and what it waits for, as far as its reader may know. */
export async function withProgress<C extends CampaignRow & Readable>(
  tx: Tx,
  campaign: C,
  moment: Moment,
): Promise<C & Pick<CampaignState, 'progress' | 'waitingFor' | 'waitingUntil' | 'scheduled'>> {
  const at = atMoment(moment);
  const [pace] = await tx.query<Pace>(sql`
    select c.started_at as "startedAt", c.paced_from as "pacedFrom", c.paced_done as "pacedDone",
           c.units_completed + c.units_dead as settled, ${at} as now,
           case when ${isQuiet(sql`c.`, at)} then c.quiet_until end as "quietUntil",
           case when ${isAtCeiling(sql`c.`, at)} then c.ceiling_until end as "ceilingUntil",
           c.scheduled_for as "scheduledFor", c.missed_times as "missedTimes",
           greatest(0, extract(epoch from c.created_at - c.scheduled_for))::int as "lateSeconds",
           exists (select from work_units u
                    where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id and ${MAY_ADD}) as growing,
           (select u.run_after from work_units u
             where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id and u.status = 'pending'
             order by u.run_after limit 1) as "nextDue"
      from campaigns c where c.tenant_id = ${tx.tenantId} and c.campaign_id = ${campaign.campaignId}`);
  if (pace === undefined) throw new Error('The campaign has gone during a transaction');
  const { status, workUnits } = campaign;
  const isOpen = status === 'pending' || status === 'running' || status === 'paused';
  const { pending, leased, completed, dead, cancelled } = workUnits;
  const growing = isOpen && pace.growing;
  // The rate of all units would say how much of the scope is foreign.
  const perMinute = campaign.readable === 'all' && status === 'running' ? rateOf(pace) : null;
  const waits = isOpen && status !== 'paused' && pending > 0 && leased === 0;
  const waiting = status === 'paused' ? RESUME : waits ? waitingOf(pace) : null;
  const isDue = waits && waiting === null && pace.nextDue !== null;
  return {
    ...campaign,
    progress: {
      done: completed + dead,
      total: pending + leased + completed + dead + cancelled,
      growing,
      perMinute,
      remainingSeconds:
        perMinute === null || growing ? null : Math.ceil(((pending + leased) / perMinute) * 60),
    },
    waitingFor: isDue && !(await someoneLeases(tx, moment)) ? 'scanner' : (waiting?.for ?? null),
    waitingUntil: waiting?.until?.toISOString() ?? null,
    scheduled: scheduledOf(pace),
  };
}

type Waiting = { for: NonNullable<CampaignState['waitingFor']>; until: Date | null };
const RESUME: Waiting = { for: 'resume', until: null };

/** What holds back all that is pending. Null if something of it is due. */
function waitingOf({ quietUntil, ceilingUntil, nextDue, now }: Pace): Waiting | null {
  if (quietUntil !== null) return { for: 'quiet_hours', until: quietUntil };
  if (ceilingUntil !== null) return { for: 'ceiling', until: ceilingUntil };
  return nextDue !== null && nextDue > now ? { for: 'retry', until: nextDue } : null;
}

function scheduledOf({ scheduledFor, lateSeconds, missedTimes }: Pace): CampaignState['scheduled'] {
  if (scheduledFor === null) return null;
  return { dueAt: scheduledFor.toISOString(), lateSeconds: lateSeconds ?? 0, missedTimes: missedTimes ?? 0 };
}

function rateOf({ startedAt, pacedFrom, pacedDone, settled, now }: Pace): number | null {
  const from = pacedFrom ?? startedAt;
  const done = settled - pacedDone;
  if (from === null || done <= 0) return null;
  const seconds = Math.max(1, (now.getTime() - from.getTime()) / 1000);
  return Math.round((done / seconds) * 600) / 10 || null;
}
