import type { TenantId } from '../kernel/ids.ts';
import type { ErrorFields } from './error-fields.ts';
import type { LogEvent, SafeFields } from './log-fields.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One log line. `time` is ISO 8601. */
export type LogEntry = { time: string; level: LogLevel; event: LogEvent } & SafeFields &
  Partial<ErrorFields> & {
    /** Of an unexpected error: where in our own code it was thrown, the innermost `file:line` first. */
    errorFrames?: string;
  };

/** The last lines of this process, oldest overwritten first. */
export class LogRing {
  readonly #capacity: number;
  readonly #entries: LogEntry[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(entry: LogEntry): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** The newest `limit` lines, newest first, of the tenant and of no tenant at all. */
  recent(tenantId: TenantId, limit: number): LogEntry[] {
    const oldestFirst = [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
    return oldestFirst
      .reverse()
      .filter((entry) => entry.tenantId === undefined || entry.tenantId === tenantId)
      .slice(0, limit);
  }
}
