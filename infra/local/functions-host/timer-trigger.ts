import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TimerFunction } from './function-metadata.ts';
import type { Invoker } from './invoker.ts';
import { nextOccurrence, type Schedule } from './schedule.ts';

/** Times as ISO 8601 in UTC. The `Last` of a timer that never ran is year 1, the default date of .NET. */
const ScheduleStatus = z.object({
  Last: z.iso.datetime(),
  Next: z.iso.datetime(),
  LastUpdated: z.iso.datetime(),
});
type ScheduleStatus = z.infer<typeof ScheduleStatus>;

/** Stores the schedule of a timer between two runs of the host. */
export type ScheduleMonitor = {
  read(name: string): Promise<ScheduleStatus | undefined>;
  write(name: string, status: ScheduleStatus): Promise<void>;
};

/** One small file per timer in `folder`. An unreadable file counts as missing. */
export function fileScheduleMonitor(folder: string): ScheduleMonitor {
  const fileOf = (name: string) => join(folder, `${name}.timer.json`);
  return {
    async read(name) {
      try {
        return ScheduleStatus.parse(JSON.parse(await readFile(fileOf(name), 'utf8')));
      } catch {
        return undefined;
      }
    },
    async write(name, status) {
      await mkdir(folder, { recursive: true });
      await writeFile(`${fileOf(name)}.new`, JSON.stringify(status));
      await rename(`${fileOf(name)}.new`, fileOf(name));
    },
  };
}

export type Trigger = {
  start(): Promise<void>;
  /** Takes no new work. Resolves when running invocations have ended. */
  stop(): Promise<void>;
};

type Reason = 'scheduled' | 'startup' | 'pastDue';

const NEVER = '0001-01-01T00:00:00.000Z';
const MINUTE_MS = 60_000;
/** `setTimeout` overflows beyond 24.8 days, so long waits are split. */
const LONGEST_WAIT_MS = 86_400_000;

/** If the schedule has no further occurrence, `Next` is the latest possible date. */
const nextAfter = (schedule: Schedule, after: number) =>
  nextOccurrence(schedule, after) ?? Date.UTC(9999, 11, 31);

/** Whether the timer runs more than once a minute. The host stores no status for such timers. */
export function isTooFrequentToMonitor(schedule: Schedule): boolean {
  if (schedule.kind === 'interval') return schedule.ms < MINUTE_MS;
  const everyMinute =
    schedule.minutes.length === 60 &&
    schedule.hours.length === 24 &&
    schedule.days.size === 31 &&
    schedule.months.size === 12 &&
    schedule.weekdays.size === 7;
  return everyMinute && schedule.seconds.length > 1;
}

/**
 * Whether a stored status belongs to this schedule: its `Next` follows from its `Last`. Otherwise the schedule has
 * changed, and an occurrence of the old one is neither awaited nor late.
 */
export function followsSchedule(schedule: Schedule, { Last, Next, LastUpdated }: ScheduleStatus): boolean {
  return nextAfter(schedule, Date.parse(Last === NEVER ? LastUpdated : Last)) === Date.parse(Next);
}

/** What the worker receives, with the host's names and .NET dates. */
function toTimerInfo(status: ScheduleStatus | undefined, pastDue: boolean): string {
  const dotnet = (iso: string) => iso.replace(/(?:\.000)?Z$/, '+00:00');
  return JSON.stringify({
    Schedule: { AdjustForDST: true },
    ScheduleStatus:
      status === undefined
        ? null
        : { Last: dotnet(status.Last), Next: dotnet(status.Next), LastUpdated: dotnet(status.LastUpdated) },
    IsPastDue: pastDue,
  });
}

/** Runs one timer function by its schedule. The next wait begins after a run has ended, so runs never overlap. */
export function createTimerTrigger(
  served: TimerFunction,
  invoker: Invoker,
  monitor: ScheduleMonitor | undefined,
  onMonitorError: (functionName: string) => void,
): Trigger {
  const { schedule } = served;
  const isMonitored = served.useMonitor && !isTooFrequentToMonitor(schedule);
  const store = isMonitored ? monitor : undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let status: ScheduleStatus = { Last: NEVER, Next: NEVER, LastUpdated: NEVER };

  async function record(next: ScheduleStatus): Promise<void> {
    status = next;
    try {
      await store?.write(served.name, next);
    } catch {
      onMonitorError(served.name);
    }
  }

  function wait(): void {
    if (stopped) return;
    const left = Date.parse(status.Next) - Date.now();
    if (left > LONGEST_WAIT_MS) timer = setTimeout(wait, LONGEST_WAIT_MS);
    else runIn(Math.max(0, left), 'scheduled');
  }

  function runIn(ms: number, reason: Reason): void {
    timer = setTimeout(() => {
      running = run(reason);
    }, ms);
  }

  async function run(reason: Reason): Promise<void> {
    const started = Date.now();
    const info = toTimerInfo(isMonitored ? status : undefined, reason === 'pastDue');
    try {
      await invoker.invoke(served, { data: { json: info } });
    } catch {
      // The invoker has reported the error. The schedule continues.
    }
    // A timer that fired slightly early must not run twice for the same occurrence.
    const at = reason === 'scheduled' ? Math.max(started, Date.parse(status.Next)) : started;
    const iso = new Date(at).toISOString();
    await record({ Last: iso, Next: new Date(nextAfter(schedule, at)).toISOString(), LastUpdated: iso });
    wait();
  }

  return {
    async start() {
      const now = Date.now();
      const recorded = await store?.read(served.name);
      if (recorded !== undefined && followsSchedule(schedule, recorded)) {
        status = recorded;
      } else {
        const next = new Date(nextAfter(schedule, now)).toISOString();
        await record({ Last: NEVER, Next: next, LastUpdated: new Date(now).toISOString() });
      }
      const late = now > Date.parse(status.Next);
      if (late) runIn(0, 'pastDue');
      else if (served.runOnStartup) runIn(0, 'startup');
      else wait();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
