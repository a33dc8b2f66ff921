import { GraphError } from './errors.ts';
import type { Family } from './route.ts';

/** Faults that change a page of a delta. */
export type PageFault =
  /** No item, and a link to go on. */
  | { kind: 'emptyPage' }
  /** The link of a page is the link that led to it. */
  | { kind: 'repeatLink' }
  /** Each item of the page comes twice, the first time with an old name. */
  | { kind: 'repeatItems' };

/** Faults on the way. */
export type TransportFault =
  | { kind: 'delay'; ms: number }
  /** Half of the body, then the connection ends. */
  | { kind: 'cut' }
  /** The connection ends without an answer. */
  | { kind: 'reset' }
  | { kind: 'slow'; chunkBytes: number; everyMs: number }
  | { kind: 'brokenJson' }
  /** A page of a gateway in place of JSON. */
  | { kind: 'html'; status: number }
  /** Links in body and headers lead to another origin. */
  | { kind: 'foreignLink'; origin: string };

/** Answers in place of the right one. */
type AnswerFault =
  | {
      kind: 'error';
      status: number;
      code: string;
      message?: string;
      innerCode?: string;
      headers?: Record<string, string>;
    }
  /** `retryAfter`: seconds, also as a date, or none. */
  | { kind: 'throttle'; status?: 429 | 503; retryAfter: number | { dateIn: number } | null };

export type Fault = PageFault | TransportFault | AnswerFault;

export type FaultSpec = {
  on: Family | readonly Family[];
  fault: Fault;
  /** How many calls it strikes; default 1. */
  times?: number;
  /** How many calls pass before; default 0. */
  after?: number;
  /** Only calls whose path and query this accepts. */
  where?: (path: string) => boolean;
};

const TRANSPORT = new Set<Fault['kind']>([
  ...(['delay', 'cut', 'reset', 'slow', 'brokenJson', 'html', 'foreignLink'] as const),
]);
const PAGE = new Set<Fault['kind']>(['emptyPage', 'repeatLink', 'repeatItems']);

export const isTransport = (fault: Fault): fault is TransportFault => TRANSPORT.has(fault.kind);
export const isPage = (fault: Fault): fault is PageFault => PAGE.has(fault.kind);

/** The faults to come, in the order in which they were asked for. */
export function faultScript() {
  const script: (FaultSpec & { left: number; wait: number })[] = [];
  return {
    add(spec: FaultSpec): void {
      script.push({ ...spec, left: spec.times ?? 1, wait: spec.after ?? 0 });
    },
    clear(): void {
      script.length = 0;
    },
    /** The faults that strike this call: at most one of each entry. */
    strike(family: Family, path: string): Fault[] {
      return script.flatMap((entry) => {
        if (entry.left === 0 || ![entry.on].flat().includes(family)) return [];
        if (entry.where !== undefined && !entry.where(path)) return [];
        if (entry.wait > 0) {
          entry.wait -= 1;
          return [];
        }
        entry.left -= 1;
        return [entry.fault];
      });
    },
  };
}

/** Recorded: `TooManyRequests` with and without `Retry-After`, in seconds and as a date, up to 120 s. */
export function throttled(
  retryAfter: number | { dateIn: number } | null,
  now: number,
  status: 429 | 503 = 429,
): GraphError {
  const value =
    retryAfter === null
      ? null
      : typeof retryAfter === 'number'
        ? String(retryAfter)
        : new Date(now + retryAfter.dateIn * 1000).toUTCString();
  const headers: Record<string, string> = value === null ? {} : { 'retry-after': value };
  return status === 429
    ? new GraphError(429, 'activityLimitReached', 'The application has been throttled.', {
        headers,
        innerCode: 'throttledRequest',
      })
    : new GraphError(503, 'serviceNotAvailable', 'The service is not available.', { headers });
}

/** Throws the answer that a fault puts in place of the right one. */
export function raise(fault: Fault, now: number): void {
  if (fault.kind === 'throttle') throw throttled(fault.retryAfter, now, fault.status);
  if (fault.kind !== 'error') return;
  const { status, code, message = code, headers = {}, innerCode = null } = fault;
  throw new GraphError(status, code, message, { headers, innerCode });
}
