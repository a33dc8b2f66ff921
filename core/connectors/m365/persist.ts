import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectorError } from '../connector.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';
import { isThrottling, type NoAnswer, nextTry } from './retry.ts';
import { type Came, isContent, type Outgoing } from './transport.ts';

/** Waits between two tries. Throws `ConnectorError` if the signal fires. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitWhile: Wait = async (ms, signal) => {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw new ConnectorError('transient', 'aborted');
  }
};

/** Makes a call until it is answered with 2xx or an expected status, or is no longer worth repeating. */
export type Persist = <T>(
  call: Outgoing['call'],
  expect: readonly number[],
  attempt: () => Promise<Came<T> | NoAnswer>,
  signal: AbortSignal,
) => Promise<Came<T>>;

export const createPersist =
  (wait: Wait): Persist =>
  async (call, expect, attempt, signal) => {
    const once = !isContent(call) && ALLOWED_CALLS[call].once === true;
    for (let tried = 1; ; tried++) {
      const came = await attempt();
      if (isAnswer(came, expect)) return came;
      const next = nextTry(call, came, { tried, once, random: Math.random() });
      if (next.kind === 'failed') throw next.error;
      await wait(next.afterMs, signal);
    }
  };

const isAnswer = <T>(came: Came<T> | NoAnswer, expect: readonly number[]): came is Came<T> =>
  came.kind === 'status' &&
  !isThrottling(came.status) &&
  ((came.status >= 200 && came.status < 300) || expect.includes(came.status));
