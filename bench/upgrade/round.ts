import { migrate } from '../../core/db/migrate.ts';
import { createPool } from '../../core/db/pool.ts';
import { dropDatabase, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import { takeBackLeases } from '../../core/work/lease.sql.ts';
import { type App, PRESENT_APP } from '../../test/support/release/app.ts';
import {
  type FilledDatabase,
  readRows,
  restoreDatabase,
} from '../../test/support/release/filled-database.ts';
import { startLoad, takeInAll } from '../../test/support/release/load.ts';
import { nextMigrations } from '../../test/support/release/next-migration.ts';
import { type AppProcess, startHost } from '../../test/support/release/processes.ts';
import { filesTakenIn, openDatabase, whatIsWrong } from '../../test/support/release/truth.ts';
import type { Cluster } from '../support/database.ts';
import { type Crew, killWorkers, startCrew } from './crew.ts';

export type RoundCounts = {
  answers: number;
  filesAdded: number;
  filesTakenIn: number;
  workersKilled: number;
  /** Units that needed more than one attempt. */
  unitsRetried: number;
  backupsRestored: number;
  rowsRestored: number;
};

export type Round = {
  counts: RoundCounts;
  slowestAnswerMs: number;
  /** What must not be. Empty after a good round. */
  problems: string[];
};

type Installation = { adminUrl: string; ownerUrl: string; url: string };

/** What a round starts, to be ended however it ends. */
type Started = { crews: Crew[]; hosts: AppProcess[]; databases: string[]; ends: (() => Promise<void>)[] };

export type Effort = {
  /** Seconds for which workers are killed in each of the three phases. */
  killing: number;
  /** Workers of each release. */
  workers: number;
  /** Whether leases in a restored database run out by themselves, as nobody there renews them. */
  patient: boolean;
};

/**
 * Upgrades an installation of the release before under load, and kills workers all the time. Backups are taken before
 * and after the migration, while everybody works, and the service goes on from each in another database.
 */
export async function upgradeRound(
  cluster: Cluster,
  { database: recorded, migrations, app }: { database: FilledDatabase; migrations: string; app: App },
  name: string,
  { killing, workers, patient }: Effort,
): Promise<Round> {
  const started: Started = { crews: [], hosts: [], databases: [], ends: [] };
  const crewOf = async (each: App, url: string) => {
    const crew = await startCrew(each, url, workers);
    started.crews.push(crew);
    return crew;
  };
  const hostOf = async (each: App, url: string) => {
    const host = await startHost(each, url);
    started.hosts.push(host);
    return host;
  };
  const restore = async (
    copy: string,
    filled: FilledDatabase,
    folders: readonly string[],
  ): Promise<Installation> => {
    started.databases.push(copy);
    await restoreDatabase(cluster, copy, filled, folders);
    const as = (login?: Cluster['owner']) =>
      urlOf(cluster.adminUrl, { database: copy, ...(login !== undefined && { login }) });
    return { adminUrl: as(), ownerUrl: as(cluster.owner), url: as(cluster.runtime) };
  };
  const problems: string[] = [];
  const check = async (what: string, installation: Installation, added: Iterable<string>) => {
    const opened = openDatabase(installation);
    try {
      for (const [kind, found] of Object.entries(await whatIsWrong(opened, added)))
        if (JSON.stringify(found) !== '0' && JSON.stringify(found) !== '[]')
          problems.push(`${what}: ${kind} ${JSON.stringify(found)}`);
      return await countsOf(opened);
    } finally {
      await opened.close();
    }
  };

  try {
    const live = await restore(name, recorded, [migrations]);
    const next = await nextMigrations();
    started.ends.push(next.remove);
    const [oldHost, oldCrew] = await Promise.all([hostOf(app, live.url), crewOf(app, live.url)]);
    const load = await startLoad(oldHost.url);
    /** A backup now, of an installation in use. The answered additions are in it. */
    const backUp = async () => ({ added: [...load.added], filled: await readRows(live.adminUrl) });
    /** Goes on from a backup in another database, where no worker of the installation is. */
    const goOnFrom = async (
      { added, filled }: Awaited<ReturnType<typeof backUp>>,
      each: App,
      copy: string,
      folders: readonly string[],
    ) => {
      const restored = await restore(copy, filled, folders);
      if (!patient) await endLeases(restored);
      const [host, crew] = await Promise.all([hostOf(each, restored.url), crewOf(each, restored.url)]);
      await takeInAll(host.url);
      await Promise.all([crew.stop(), host.stop()]);
      await check(`restored as ${copy}`, restored, added);
      return filled.tables.reduce((sum, { rows }) => sum + rows.length, 0);
    };

    let killed = await killWorkers([oldCrew], killing);
    const before = await backUp();
    await migrate(live.ownerUrl, { runtimeLogin: cluster.runtime.name, folder: next.folder });
    const [newHost, newCrew] = await Promise.all([
      hostOf(PRESENT_APP, live.url),
      crewOf(PRESENT_APP, live.url),
    ]);
    killed += await killWorkers([oldCrew, newCrew], killing);
    await load.moveTo(newHost.url);
    await Promise.all([oldHost.stop(), oldCrew.stop()]);
    killed += await killWorkers([newCrew], killing);
    const after = await backUp();
    const [, ...rows] = await Promise.all([
      load.finish(),
      goOnFrom(before, app, `${name}_before`, [migrations]),
      goOnFrom(after, PRESENT_APP, `${name}_after`, [migrations, next.folder]),
    ]);
    await Promise.all([newHost.stop(), newCrew.stop()]);

    const units = await check('upgraded', live, load.added);
    for (const [failure, times] of load.failures) problems.push(`${times} times: ${failure}`);
    problems.push(...started.hosts.flatMap((host) => host.errors()));
    const { count: answers, slowestMs } = load.answers();
    return {
      counts: {
        answers,
        filesAdded: load.added.size,
        ...units,
        workersKilled: killed,
        backupsRestored: rows.length,
        rowsRestored: rows.reduce((sum, count) => sum + count, 0),
      },
      slowestAnswerMs: Math.round(slowestMs),
      problems,
    };
  } finally {
    await Promise.all([...started.crews, ...started.hosts].map((each) => each.kill()));
    for (const end of started.ends) await end();
    for (const each of started.databases) await dropDatabase(cluster.adminUrl, each);
  }
}

async function endLeases({ url }: Installation): Promise<void> {
  const db = createPool(url, { max: 1, applicationName: 'bench' });
  await withEngineTx(db, takeBackLeases).finally(db.close);
}

async function countsOf(database: ReturnType<typeof openDatabase>) {
  const [row] = await database.inspect<{ n: number }>(
    sql`select count(*)::int as n from work_units where attempt > 1`,
  );
  return { filesTakenIn: await filesTakenIn(database), unitsRetried: row?.n ?? 0 };
}
