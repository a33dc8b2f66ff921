import { untilAborted } from '../abort.ts';
import { ConnectorError } from '../connector.ts';
import type { SqlSession } from './engine.ts';

/** Calls to one database at a time. Further ones wait. */
const AT_ONCE = 4;
/** A session that nobody uses is closed. */
const IDLE_MS = 10_000;
/** An older session is not used again: another one has the secret of today, and proves again what the login can do. */
const LIFETIME_MS = 5 * 60_000;

type Kept = { session: SqlSession; openedAt: number; timer?: NodeJS.Timeout };

/** Runs `use` with a session of its own for that time. The session ends when `use` rejects or the signal fires. */
export type WithSession = <T>(signal: AbortSignal, use: (session: SqlSession) => Promise<T>) => Promise<T>;

/** Sessions of one database. None is open until one is needed, and none stays open that nobody needs. */
export function createSessions(open: (signal: AbortSignal) => Promise<SqlSession>): WithSession {
  const idle: Kept[] = [];
  const waiting: (() => void)[] = [];
  let inUse = 0;

  const enter = async (signal: AbortSignal) => {
    if (inUse < AT_ONCE) {
      inUse += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    try {
      await untilAborted(signal, () => promise);
    } catch (error) {
      const at = waiting.indexOf(resolve);
      // The turn was given at the moment in which its user gave up.
      if (at === -1) leave();
      else waiting.splice(at, 1);
      throw error;
    }
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) inUse -= 1;
    else next();
  };

  const takeIdle = (): Kept | null => {
    const kept = idle.pop();
    if (kept === undefined) return null;
    clearTimeout(kept.timer);
    if (performance.now() - kept.openedAt < LIFETIME_MS) return kept;
    void kept.session.close();
    return takeIdle();
  };
  const keep = (kept: Kept) => {
    kept.timer = setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1);
      void kept.session.close();
    }, IDLE_MS).unref();
    idle.push(kept);
  };
  const openOne = async (signal: AbortSignal): Promise<Kept> => {
    const openedAt = performance.now();
    return { session: await open(signal), openedAt };
  };
  const run = async <T>(kept: Kept, signal: AbortSignal, use: (session: SqlSession) => Promise<T>) => {
    try {
      const value = await untilAborted(signal, () => use(kept.session));
      keep(kept);
      return value;
    } catch (error) {
      void kept.session.close();
      throw error;
    }
  };

  return async (signal, use) => {
    await enter(signal);
    try {
      const known = takeIdle();
      if (known === null) return await run(await openOne(signal), signal, use);
      try {
        return await run(known, signal, use);
      } catch (error) {
        // The server, or somebody on the way, has closed it meanwhile.
        if (!(error instanceof ConnectorError) || error.safeDiagnostic !== 'sql_unreachable') throw error;
        return await run(await openOne(signal), signal, use);
      }
    } finally {
      leave();
    }
  };
}
