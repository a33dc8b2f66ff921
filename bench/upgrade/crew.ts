import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../test/support/release/app.ts';
import { type AppProcess, startWorker } from '../../test/support/release/processes.ts';

/** Workers of one release on a database. Killed ones are replaced. */
export type Crew = {
  /** Kills one of them without warning, and starts another. */
  killOne(): Promise<void>;
  /** Asks all to end in order. Throws if one fails to. */
  stop(): Promise<void>;
  /** Kills all of them. */
  kill(): Promise<void>;
};

const CONCURRENCY = 2;
const LONGEST_PAUSE_MS = 4_000;

export async function startCrew(app: App, databaseUrl: string, size: number): Promise<Crew> {
  const start = () => startWorker(app, databaseUrl, { concurrency: CONCURRENCY });
  let workers: AppProcess[] = await Promise.all(Array.from({ length: size }, start));
  const all = async (act: (worker: AppProcess) => Promise<unknown>) => {
    const members = workers;
    workers = [];
    await Promise.all(members.map(act));
  };
  return {
    killOne: async () => {
      const [killed] = workers.splice(Math.floor(Math.random() * workers.length), 1);
      await killed?.kill();
      workers.push(await start());
    },
    stop: () =>
      all(async (worker) => {
        const code = await worker.stop();
        if (code !== 0) throw new Error(`A worker ended with ${code}:\n${worker.errors().join('\n')}`);
      }),
    kill: () => all((worker) => worker.kill()),
  };
}

/** Kills workers of these crews at random times until `seconds` have passed. Returns how many. */
export async function killWorkers(crews: readonly Crew[], seconds: number): Promise<number> {
  const deadline = performance.now() + seconds * 1000;
  for (let killed = 0; ; killed++) {
    await sleep(Math.min(Math.random() * LONGEST_PAUSE_MS, Math.max(deadline - performance.now(), 0)));
    if (performance.now() >= deadline) return killed;
    await crews[Math.floor(Math.random() * crews.length)]?.killOne();
  }
}
