import { untilAborted } from '../abort.ts';
import { callSlots } from '../call-slots.ts';
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
  const inTurn = callSlots(AT_ONCE);

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

  return (signal, use) =>
    inTurn(signal, async () => {
      const known = takeIdle();
      if (known === null) return run(await openOne(signal), signal, use);
      try {
        return await run(known, signal, use);
      } catch (error) {
        // The server, or somebody on the way, has closed it meanwhile.
        if (!(error instanceof ConnectorError) || error.safeDiagnostic !== 'sql_unreachable') throw error;
        return run(await openOne(signal), signal, use);
      }
    });
}
