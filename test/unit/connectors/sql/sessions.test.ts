import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConnectorError } from '../../../../core/connectors/connector.ts';
import { type SqlSession, sqlFailure } from '../../../../core/connectors/sql/engine.ts';
import { createSessions } from '../../../../core/connectors/sql/sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const live = new AbortController().signal;

/** Sessions that do nothing, counted. */
function counted() {
  const seen = { opened: 0, open: 0, most: 0 };
  const open = async (): Promise<SqlSession> => {
    seen.opened += 1;
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    return {
      schemas: async (names) => [...names],
      close: async () => {
        seen.open -= 1;
      },
    } as Partial<SqlSession> as SqlSession;
  };
  return { seen, sessions: createSessions(open) };
}

test('one session serves one call after the other, and is closed when nobody uses it', async () => {
  const { seen, sessions } = counted();
  for (let call = 0; call < 5; call++) await sessions(live, async () => call);
  expect(seen).toMatchObject({ opened: 1, open: 1 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen.open).toBe(0);
});

test('four calls run at a time, and the others wait for their turn', async () => {
  const { seen, sessions } = counted();
  const gates = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  let running = 0;
  let most = 0;
  const calls = gates.map(({ promise }) =>
    sessions(live, async () => {
      most = Math.max(most, ++running);
      await promise;
      running -= 1;
    }),
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(running).toBe(4);
  for (const { resolve } of gates) resolve();
  await Promise.all(calls);
  expect([most, seen.most]).toEqual([4, 4]);
});

test('a session is closed after a call that failed', async () => {
  const { seen, sessions } = counted();
  const failed = sessions(live, () => Promise.reject(sqlFailure('sql_refused')));
  await expect(failed).rejects.toMatchObject({ safeDiagnostic: 'sql_refused' });
  expect(seen.open).toBe(0);
  await sessions(live, async () => 'again');
  expect(seen.opened).toBe(2);
});

test('a session that was lost while it was idle is replaced, once', async () => {
  const { seen, sessions } = counted();
  await sessions(live, async () => 'first');
  let calls = 0;
  const lost = () => {
    calls += 1;
    return Promise.reject(sqlFailure('sql_unreachable'));
  };
  await expect(sessions(live, lost)).rejects.toMatchObject({ safeDiagnostic: 'sql_unreachable' });
  expect([calls, seen.opened, seen.open]).toEqual([2, 2, 0]);
});

test('a session that is five minutes old is not used again', async () => {
  const { seen, sessions } = counted();
  for (let second = 0; second < 301; second += 7) {
    await sessions(live, async () => second);
    await vi.advanceTimersByTimeAsync(7_000);
  }
  await sessions(live, async () => 'later');
  expect(seen.opened).toBe(2);
});

test('who gives up in the queue or in a call leaves the turn to the next', async () => {
  const { seen, sessions } = counted();
  const never = () => new Promise<never>(() => undefined);
  const stop = new AbortController();
  const stuck = Array.from({ length: 6 }, () => sessions(stop.signal, never));
  const ends = Promise.allSettled(stuck);
  await vi.advanceTimersByTimeAsync(0);
  const patient = sessions(live, async () => 'mine');
  stop.abort();
  for (const end of await ends) {
    if (end.status === 'fulfilled') return expect.unreachable();
    expect(end.reason).toBeInstanceOf(ConnectorError);
    expect(end.reason).toMatchObject({ safeDiagnostic: 'aborted' });
  }
  expect(await patient).toBe('mine');
  expect(seen.open).toBe(1);
});
