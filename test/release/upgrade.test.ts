import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { migrate } from '../../core/db/migrate.ts';
import { dropDatabase, urlOf } from '../../core/db/provision.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { type App, PRESENT_APP, unpackApp } from '../support/release/app.ts';
import { BUSY } from '../support/release/busy-tenant.ts';
import { restoreDatabase } from '../support/release/filled-database.ts';
import { startLoad } from '../support/release/load.ts';
import { nextMigrations } from '../support/release/next-migration.ts';
import { type AppProcess, startHost, startWorker } from '../support/release/processes.ts';
import {
  FILES,
  presentVersion,
  type RecordedRelease,
  readCode,
  readDatabase,
  recordedReleases,
  releaseBefore,
  unpackMigrations,
} from '../support/release/recorded.ts';
import { lostAt, showEverything } from '../support/release/shown.ts';
import { filesTakenIn, NOTHING_WRONG, openDatabase, whatIsWrong } from '../support/release/truth.ts';
import { dumpSchema } from '../support/schema-dump.ts';
import { PERSONA } from '../support/seed.ts';

const cluster = inject('cluster');
const releases = await recordedReleases();
const before = releaseBefore(await presentVersion(), releases);
/** The oldest passes through all migrations of the others. */
const upgraded = NIGHTLY ? releases : [...new Set([...releases.slice(0, 1), before])];

let work: string;
const running: AppProcess[] = [];
const databases: string[] = [];

beforeAll(async () => {
  work = await mkdtemp(path.join(tmpdir(), 'upgrade-'));
});
afterAll(async () => {
  await Promise.all(running.map((each) => each.kill()));
  for (const name of databases) await dropDatabase(cluster.adminUrl, name);
  await rm(work, { recursive: true, force: true });
});

const urlAs = (name: string, login: typeof cluster.owner) =>
  urlOf(cluster.adminUrl, { database: name, login });

/** Restores the database of a release. */
async function restored(release: RecordedRelease) {
  const name = `upgrade_${process.pid}_${databases.length}`;
  databases.push(name);
  const migrations = await unpackMigrations(release, path.join(work, 'migrations'));
  const adminUrl = await restoreDatabase(cluster, name, await readDatabase(release), [migrations]);
  return { adminUrl, ownerUrl: urlAs(name, cluster.owner), url: urlAs(name, cluster.runtime) };
}

const kept = <P extends AppProcess>(process: P): P => {
  running.push(process);
  return process;
};

/** Roles belong to the cluster, where the present migrations have run. */
const withoutRoles = (schema: string) => schema.replace(/^role .*\n/gm, '');

test.each(upgraded)('the database of release $version is upgraded to the present schema', async (release) => {
  const { adminUrl, ownerUrl } = await restored(release);
  const schema = async () => withoutRoles(await withClient(adminUrl, dumpSchema));
  const fileOf = async (file: string) => withoutRoles(await readFile(file, 'utf8'));
  expect(await schema()).toBe(await fileOf(path.join(release.folder, FILES.schema)));
  await migrate(ownerUrl, { runtimeLogin: cluster.runtime.name });
  expect(await schema()).toBe(await fileOf(path.resolve(import.meta.dirname, '../schema.sql')));
});

test('what an upgrade could lose or double is found in a database', async () => {
  const { adminUrl, url } = await restored(before);
  const database = openDatabase({ adminUrl, url });
  onTestFinished(database.close);
  expect(await whatIsWrong(database, [])).toEqual(NOTHING_WRONG);
  await withClient(adminUrl, (admin) => admin.query(DAMAGE));
  const wrong = await whatIsWrong(database, ['never-taken-in']);
  expect(wrong.openUnits).toBe(1);
  for (const [kind, found] of Object.entries(wrong)) expect(found, kind).not.toEqual([]);
});

/** A unit that is open again, another one with two ends, and an event that somebody has changed. */
const DAMAGE = `
  set session_replication_role = replica;
  update work_units set status = 'pending'
   where unit_id = (select min(unit_id) from work_units where tenant_id = '${BUSY}');
  update campaigns set status = 'running'
   where campaign_id = (select campaign_id from work_units where tenant_id = '${BUSY}' order by unit_id limit 1);
  insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, created_at)
    select tenant_id, 'dlt', campaign_id, unit_id, 'corrupt', 'attempts_spent_unreported', 1, now()
      from work_units where tenant_id = '${BUSY}' order by unit_id desc limit 1;
  update audit_events set record = record || ' ' where tenant_id = '${BUSY}' and seq = 2`;

/** Their answers are compared. */
const READERS = [
  ...[PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor],
  ...(NIGHTLY ? [PERSONA.governanceAdmin, PERSONA.approver] : []),
];
const POLL_MS = 50;
/** Files that are taken in at each step of the upgrade. */
const AT_EACH_STEP = NIGHTLY ? 8 : 3;

test(`an installation of ${before.version} is upgraded while it serves and works`, async () => {
  const [{ adminUrl, ownerUrl, url }, old] = await Promise.all([
    restored(before),
    readCode(before).then((code) => unpackApp(code, work)),
  ]);
  const database = openDatabase({ adminUrl, url });
  onTestFinished(database.close);
  const worker = async (app: App) => kept(await startWorker(app, url, { concurrency: 2 }));
  const [host, oldWorker] = await Promise.all([startHost(old, url).then(kept), worker(old)]);
  const shown = await showEverything(host.url, READERS);
  expect(shown.reduce((sum, { answers }) => sum + answers.size, 0)).toBeGreaterThan(100);

  const load = await startLoad(host.url);
  const problems = () => [...load.failures, ...running.flatMap((each) => each.errors())];
  const worksOn = async () => {
    const from = await filesTakenIn(database);
    while ((await filesTakenIn(database)) < from + AT_EACH_STEP) {
      expect(problems()).toEqual([]);
      await sleep(POLL_MS);
    }
  };
  await worksOn();
  const next = await nextMigrations();
  onTestFinished(next.remove);
  const applied = await migrate(ownerUrl, { runtimeLogin: cluster.runtime.name, folder: next.folder });
  expect(applied).toContain('9999_next.sql');
  await worksOn();

  const [newHost] = await Promise.all([startHost(PRESENT_APP, url).then(kept), worker(PRESENT_APP)]);
  expect(await oldWorker.stop()).toBe(0);
  await load.moveTo(newHost.url);
  expect(await host.stop()).toBe(0);
  await worksOn();
  await load.finish();

  expect(problems()).toEqual([]);
  expect(load.added.size).toBeGreaterThan(3 * AT_EACH_STEP);
  expect(await whatIsWrong(database, load.added)).toEqual(NOTHING_WRONG);
  expect(await lostAt(newHost.url, shown)).toEqual([]);
});
