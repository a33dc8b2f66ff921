import { inspect } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { errorFields, isUnexpected } from './error-fields.ts';
import { type LogEvent, type LogFields, safeFields } from './log-fields.ts';
import { type LogEntry, type LogLevel, LogRing } from './log-ring.ts';
import { ownFrames } from './own-frames.ts';

const RING_ENTRIES = 500;
const RECENT_ENTRIES = 100;

/** Refuses what `LogFields` does not name, also in an object that was not written in place. */
type OnlyLogFields<F> = F & { readonly [K in Exclude<keyof F, keyof LogFields>]: never };

/** Of `thrown`, only a class and a code from closed sets are written, and of an unexpected error its place in our code. */
type Write = <F extends LogFields>(event: LogEvent, fields?: OnlyLogFields<F>, thrown?: unknown) => void;

export type Logger = { readonly [L in LogLevel]: Write } & {
  /**
   * The last 100 lines of this process, newest first: the tenant's and those of no tenant. From `info` on they are kept
   * whatever level is written, so that operations sees what happens where stdout is quiet.
   */
  recentLogs(tenantId: TenantId): LogEntry[];
};

/**
 * A logger of JSON lines. Only allowlisted events and fields are written, whatever is passed. `destination` takes
 * the place of stdout, which is written synchronously: some microseconds a line, and neither a crash nor a slow reader
 * loses any. `stacks`, in development only, takes message and stack of unexpected errors, which can hold data.
 */
export function createLogger(options: {
  level: LogLevel;
  clock: Clock;
  destination?: DestinationStream;
  stacks?: { write(text: string): void };
}): Logger {
  const { level: least, clock } = options;
  const sink = pino(
    {
      level: least,
      // No host name; `process` tells replicas and restarts apart.
      base: { service: 'data-governance-service', process: newId('prc', clock()) },
      timestamp: false,
      formatters: { level: (level) => ({ level }) },
    },
    options.destination,
  );
  const ring = new LogRing(RING_ENTRIES);

  const writer =
    (level: LogLevel): Write =>
    (event, fields, thrown) => {
      const isWritten = sink.isLevelEnabled(level);
      if (!isWritten && level === 'debug') return;
      const line = {
        time: new Date(clock()).toISOString(),
        event,
        ...(fields && safeFields(fields)),
        ...(thrown !== undefined && shownOf(thrown)),
      };
      if (isWritten && isUnexpected(thrown) && thrown !== undefined) {
        options.stacks?.write(`${event}: ${inspect(thrown)}\n`);
      }
      if (isWritten) sink[level](line);
      if (level !== 'debug') ring.add({ level, ...line });
    };

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    recentLogs: (tenantId) => ring.recent(tenantId, RECENT_ENTRIES),
  };
}

function shownOf(thrown: unknown) {
  const frames = isUnexpected(thrown) ? ownFrames(thrown) : [];
  return { ...errorFields(thrown), ...(frames.length > 0 && { errorFrames: frames.join(', ') }) };
}
