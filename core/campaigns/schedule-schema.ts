import { z } from 'zod';
import { NcrontabInvalid, parseFiveFields } from '../kernel/ncrontab.ts';
import { isTimeZone } from '../kernel/time-zone.ts';
import { SOURCE_FAMILIES } from '../kernel/vocabulary.ts';
import { QuietHoursSchema, WindowSchema } from './quiet-hours.ts';

export const SCHEDULED_KINDS = ['inventory', 'delta'] as const;
export type ScheduledKind = (typeof SCHEDULED_KINDS)[number];

const MOST_AN_HOUR = 1_000_000_000;

const CronSchema = z
  .string()
  .max(256)
  .superRefine((text, { addIssue }) => {
    try {
      parseFiveFields(text);
    } catch (error) {
      if (!(error instanceof NcrontabInvalid)) throw error;
      addIssue({ code: 'custom', message: error.message });
    }
  });

const TimesSchema = z
  .strictObject({
    cron: CronSchema.nullable().describe(
      'Five fields: minute hour day month weekday. A day must satisfy both its date and its weekday. Null: never by itself',
    ),
  })
  .nullable()
  .default(null);

const CeilingSchema = z.int().min(1).max(MOST_AN_HOUR).nullable();

const NO_SCANS = new Set<string>(['chat', 'mail']);

const QUIET_HOURS = 'Times at which no scan runs. Empty: none. Null: as the wider schedule says';
export const WHEN_RUNNING = ['skip', 'queue'] as const;
export const WHEN_LATE = ['run', 'skip'] as const;

/** What a schedule says, but for quiet hours and the times of scans. */
const PARTS = {
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, 'is no time zone: use a name such as Europe/Berlin, or UTC')
    .describe('Whose clocks `cron` and `quietHours` mean'),
  callsPerHour: CeilingSchema.describe('Most calls to the source in an hour of the clock. Null: no ceiling'),
  megabytesPerHour: CeilingSchema.describe(
    'Most megabytes of content that are read in an hour of the clock. Null: no ceiling',
  ),
  whenRunning: z
    .enum(WHEN_RUNNING)
    .describe(
      'If a scan of the scope has not ended when a run is due. `queue`: the run starts after it, once',
    ),
  whenLate: z
    .enum(WHEN_LATE)
    .describe(
      'If a run is late by more than five minutes, because the service was down. `run`: once, for all missed',
    ),
};

export const ScheduleChangeSchema = z
  .strictObject({
    family: z
      .enum(SOURCE_FAMILIES)
      .nullable()
      .default(null)
      .describe('Of all scopes of this family. Null, and no `scopeId`: of all scopes'),
    scopeId: z.string().min(1).max(64).nullable().default(null).describe('Of this scope alone'),
    revision: z.int().nonnegative().describe('The one that was read. 0: there was no schedule'),
    timeZone: PARTS.timeZone.default('UTC'),
    inventory: TimesSchema.describe('When an inventory starts. Null: as the wider schedule says'),
    delta: TimesSchema.describe('When a delta starts. Null: as the wider schedule says'),
    quietHours: QuietHoursSchema.nullable().default(null).describe(QUIET_HOURS),
    callsPerHour: PARTS.callsPerHour.default(null),
    megabytesPerHour: PARTS.megabytesPerHour.default(null),
    whenRunning: PARTS.whenRunning.default('skip'),
    whenLate: PARTS.whenLate.default('run'),
  })
  .superRefine(({ family, scopeId }, { addIssue }) => {
    if (family !== null && scopeId !== null)
      addIssue({ code: 'custom', path: ['scopeId'], message: 'must be null with a family' });
    if (family !== null && NO_SCANS.has(family))
      addIssue({
        code: 'custom',
        path: ['family'],
        message: 'has no scans: SVC_MESSAGE_SYNC_HOURS schedules its syncs',
      });
  });
export type ScheduleChange = z.output<typeof ScheduleChangeSchema>;

const Timestamp = z.iso.datetime();
const Count = z.int().nonnegative();

const LastRunsSchema = z
  .object({
    dueAt: Timestamp.describe('When they were due'),
    lateSeconds: Count.describe('How late the latest of them started'),
    missedTimes: Count.describe(
      'Further times that passed without a run and that they stand for, at most 1,000',
    ),
    started: Count.describe('Scans that started'),
    waiting: Count.describe('Scans that have yet to start: they are started one after the other, or queued'),
    skipped: Count.describe('Scopes that were left out, because they were late or a scan had not ended'),
    refused: Count.describe(
      'Scopes that could not be scanned: the source, the selection or the license refused',
    ),
  })
  .nullable();

export const ScheduledTimesSchema = z
  .object({
    cron: z.string().nullable().describe('Null: never by itself'),
    nextAt: Timestamp.nullable().describe('When the next runs are due'),
    last: LastRunsSchema.describe('The newest runs. Null: there were none'),
  })
  .nullable();

/** A schedule as it is stored, with its runs. */
export const ScheduleSchema = z.object({
  family: z.enum(SOURCE_FAMILIES).nullable().describe('Null: of all families, or of one scope'),
  scopeId: z.string().nullable().describe('Null: of more than one scope'),
  scopeName: z.string().nullable(),
  revision: z.int(),
  ...PARTS,
  quietHours: z.array(WindowSchema).nullable().describe(QUIET_HOURS),
  inventory: ScheduledTimesSchema.describe('When inventories start. Null: as the wider schedule says'),
  delta: ScheduledTimesSchema.describe('When deltas start. Null: as the wider schedule says'),
  thisHour: z
    .object({
      calls: Count.describe('Calls to the source'),
      megabytes: z.number().nonnegative().describe('Megabytes of content'),
    })
    .nullable()
    .describe('What scans have read in this hour of what it bounds. Null without a ceiling'),
  changedAt: Timestamp.describe('When it was last changed'),
  changedBy: z.string().describe('Who changed it last'),
});
export type Schedule = z.input<typeof ScheduleSchema>;
