import type { z } from 'zod';
import { ConnectorError, type ContentRead } from '../connector.ts';
import { type Came, createExchange, type Exchange, type ExchangeParts } from './exchange.ts';
import { createPersist, type Persist, type Wait, waitWhile } from './persist.ts';
import { readContent } from './read-body.ts';
import type { NoAnswer } from './retry.ts';
import type { Outgoing, SourceRules } from './source-rules.ts';

export type AnswerOptions<T, E extends number = never> = {
  /** Of the answer's body. An answer without a body is `undefined`, whose schema is `z.undefined()`. */
  schema: z.ZodType<T>;
  /** Statuses that the caller treats itself. All others but 2xx become a `ConnectorError`. What asks to wait always does. */
  expect?: readonly E[];
  signal: AbortSignal;
};

export type Answered<T> = {
  ok: true;
  status: number;
  body: T;
  /** The `Location` header as it came. It is checked before it is followed. */
  location: string | null;
};

/** An answer with a status that the caller expects. */
type Refused<E extends number> = {
  ok: false;
  status: E;
  /**
   * The codes of the error, in letters, digits, `_`, `.` and `-`. Messages are dropped. Put no code in a log or diagnostic
   * unless it is one of a closed set.
   */
  codes: readonly string[];
  location: string | null;
};

export type Answer<T, E extends number = never> = Answered<T> | ([E] extends [never] ? never : Refused<E>);

export type CallsParts<C extends string> = ExchangeParts<C> & {
  /** Counts a call that is made again. Absent: nobody counts. */
  countRetry?: (call: C) => void;
  /** Waits between two tries. Replaced in tests only. */
  wait?: Wait;
};

/** The calls of one source: the way out, with retries and checked answers. */
export type Calls<C extends string> = {
  exchange: Exchange<C>;
  persist: Persist<C>;
  /** The answer of attempts to make a call, repeated as its failures allow. */
  answer<T, E extends number>(
    call: C,
    attempt: () => Promise<Came<unknown> | NoAnswer>,
    options: AnswerOptions<T, E>,
  ): Promise<Answer<T, E>>;
  /** A call that is answered with bytes. `too_large` past `maxBytes`. */
  bytes<E extends number>(
    request: Outgoing<C>,
    options: Pick<AnswerOptions<ContentRead, E>, 'expect' | 'signal'> & { maxBytes: number },
  ): Promise<Answer<ContentRead, E>>;
};

/** For a call with a short answer. */
export const CALL_TIMEOUT_MS = 60_000;
/** For the largest file that is read, over a slow line. */
export const READ_TIMEOUT_MS = 300_000;
/** Compressed bytes would be counted as others than those that are read. */
export const UNCOMPRESSED = { 'Accept-Encoding': 'identity' };

export function createCalls<C extends string>(
  rules: SourceRules<C>,
  { wait = waitWhile, countRetry = () => undefined, ...parts }: CallsParts<C>,
): Calls<C> {
  const exchange = createExchange(rules, parts);
  const persist = createPersist(rules, wait, countRetry);
  return {
    exchange,
    persist,
    answer: async (call, attempt, { schema, expect = [], signal }) => {
      const came = await persist(call, expect, attempt, signal);
      if (came.status >= 300) return refused(came);
      const parsed = schema.safeParse(came.body);
      if (!parsed.success) throw new ConnectorError('permanent', `${rules.source}_${call}_malformed`);
      return { ok: true, status: came.status, body: parsed.data, location: came.location };
    },
    bytes: async (request, { maxBytes, expect = [], signal }) => {
      const attempt = () => exchange(request, (response) => readContent(response, maxBytes), signal);
      const came = await persist(request.call, expect, attempt, signal);
      if (came.body === undefined) return refused(came);
      return { ok: true, status: came.status, body: came.body, location: came.location };
    },
  };
}

/** `persist` lets 2xx and expected statuses through, so any other status here is one of `E`. */
function refused<T, E extends number>({ status, codes, location }: Came<unknown>): Answer<T, E> {
  const answer: Refused<E> = { ok: false, status: status as E, codes, location };
  return answer as Answer<T, E>;
}
