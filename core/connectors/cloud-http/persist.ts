import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectorError } from '../connector.ts';
import type { Came } from './exchange.ts';
import { type NoAnswer, nextTry, type RetryRules } from './retry.ts';

/** Waits between two tries. Throws `ConnectorError` if the signal fires. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitWhile: Wait = async (ms, signal) => {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new ConnectorError('transient', 'aborted');
  }
};

/** Makes a call until it is answered with 2xx or an expected status, or is no longer worth repeating. */
export type Persist<C extends string> = <T>(
  call: C,
  expect: readonly number[],
  attempt: () => Promise<Came<T> | NoAnswer>,
  signal: AbortSignal,
) => Promise<Came<T>>;

export const createPersist =
  <C extends string>(rules: RetryRules<C>, wait: Wait, countRetry: (call: C) => void): Persist<C> =>
  async (call, expect, attempt, signal) => {
    for (let tried = 1; ; tried++) {
      const came = await attempt();
      if (isAnswer(rules, call, came, expect)) return came;
      const next = nextTry(rules, call, came, { tried, once: rules.isOnce(call), random: Math.random() });
      if (next.kind === 'failed') throw next.error;
      await wait(next.afterMs, signal);
      countRetry(call);
    }
  };

const isAnswer = <C extends string, T>(
  { isThrottling, refusesAll }: RetryRules<C>,
  call: C,
  came: Came<T> | NoAnswer,
  expect: readonly number[],
): came is Came<T> =>
  came.kind === 'status' &&
  !isThrottling(came.status, came.codes) &&
  ((came.status >= 200 && came.status < 300) ||
    (expect.includes(came.status) && !refusesAll?.(call, came.status, came.codes)));
