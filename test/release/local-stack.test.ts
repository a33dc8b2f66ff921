import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { signIn, signInThroughProvider } from '../../infra/local/api-client.ts';
import { claimDataFolder } from '../../infra/local/data-folder.ts';
import { removePostgres } from '../../infra/local/postgres.ts';
import { acquireLock } from '../../infra/local/process-lock.ts';
import { signInAtProvider } from '../../infra/local/sign-in-at-provider.ts';
import {
  addressOf,
  type StartedStack,
  startStackProcess,
  stopStackProcess,
} from '../support/stack-process.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** More than a page of an inventory. */
const FILES = 210;
const FOLDERS = 7;
const IN_FIRST_FOLDER = Math.ceil(FILES / FOLDERS);

let folder: string;
let data: string;
const running = new Set<StartedStack>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'share-'));
  data = await mkdtemp(path.join(tmpdir(), 'stack-'));
  for (let n = 0; n < FILES; n++) {
    const below = path.join(folder, `folder ${n % FOLDERS}`);
    await mkdir(below, { recursive: true });
    const text = `Invoice ${n}\n${'Please transfer the amount due to IBAN DE89370400440532013000. '.repeat(20)}`;
    await writeFile(path.join(below, `Invoice ${n}.txt`), text);
  }
  await symlink(folder, path.join(folder, 'folder 0', 'loop'));
});
afterAll(async () => {
  for (const started of running) started.child.kill('SIGKILL');
  await removePostgres(path.join(data, 'postgres'));
  await rm(data, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

/** Starts with the folder and data of this file. */
function start(...options: string[]): StartedStack {
  const started = startStackProcess(['--data', data, '--share', folder, ...options]);
  running.add(started);
  void started.ended.then(() => running.delete(started));
  return started;
}

type Scans = { items: { campaignId: string; status: string; workUnits: Record<string, number> }[] };

test('a stack that is killed in mid-scan goes on where it was, and ends cleanly', async () => {
  const first = start();
  const url = await addressOf(first);
  const client = await signIn(url, 'pri_priya_nair');
  let completed = 0;
  while (completed < 30) {
    const { items } = await client.get<Scans>('/api/scans');
    completed = items[0]?.workUnits.completed ?? 0;
    await sleep(10);
  }
  first.child.kill('SIGKILL');
  await first.ended;

  const second = start();
  const again = await addressOf(second);
  await second.line('Owner ');
  const looking = await signIn(again, 'pri_priya_nair');
  const { items } = await looking.get<Scans>('/api/scans');
  // The killed campaign is the one that went on: the new start found it active.
  expect(items).toHaveLength(1);
  const detail = await looking.get<{ stageOutcomes: { outcome: string; stage: string; count: number }[] }>(
    `/api/scans/${items[0]?.campaignId}`,
  );
  expect(items[0]).toMatchObject({
    status: 'completed',
    workUnits: { completed: FILES + Math.ceil(FILES / 200), dead: 0, pending: 0, leased: 0 },
  });
  const observed = detail.stageOutcomes.filter(({ stage }) => stage === 'observe');
  expect(observed.reduce((sum, { count }) => sum + count, 0)).toBe(FILES);
  expect(second.lines.find((line) => line.startsWith('available'))).toMatch(
    new RegExp(`available +${FILES}$`),
  );

  second.child.kill('SIGTERM');
  const [code] = (await second.ended) as [number | null];
  expect(code).toBe(0);
  await expect(fetch(`${again}/api/health`)).rejects.toThrow();
});

test('another folder is another scope, a stop is quick, and two stops do no harm', async () => {
  const other = path.join(folder, 'folder 0');
  const started = start('--share', other);
  const url = await addressOf(started);
  await started.line('Owner ');
  // The tables are of this folder alone.
  expect(started.lines.find((line) => line.startsWith('available'))).toMatch(
    new RegExp(`available +${IN_FIRST_FOLDER}$`),
  );
  expect(started.lines).toContain('1 symbolic link was passed over: a link is never followed.');
  const client = await signIn(url, 'pri_priya_nair');
  const { items } = await client.get<{ items: { name: string; selected: boolean; assetCount: number }[] }>(
    '/api/sources',
  );
  expect(items.map(({ name, selected, assetCount }) => [name, selected, assetCount])).toEqual(
    expect.arrayContaining([
      ['folder 0', true, IN_FIRST_FOLDER],
      [path.basename(folder), false, FILES],
    ]),
  );
  const settings = path.join(data, 'service.env');
  const doctor = await run(
    process.execPath,
    [`--env-file=${settings}`, 'core/commands/doctor.ts', '--json', '--only', 'database.schema,sources.smb'],
    { cwd: root, env: { PATH: process.env.PATH } },
  );
  expect(JSON.parse(doctor.stdout)).toMatchObject({
    checks: expect.arrayContaining([
      expect.objectContaining({ id: 'database.schema', status: 'pass' }),
      expect.objectContaining({ id: 'sources.smb', status: 'pass' }),
    ]),
  });
  expect((await stat(settings)).mode & 0o777).toBe(0o600);
  await stopStackProcess(started);
  await expect(access(settings)).rejects.toThrow('ENOENT');

  const again = start();
  await addressOf(again);
  const asked = performance.now();
  await stopStackProcess(again);
  expect(performance.now() - asked).toBeLessThan(5_000);
  // Nobody holds the database any more.
  await removePostgres(path.join(data, 'postgres'));
});

test('with --idp people sign in through a provider, and without it as before', async () => {
  const options = ['--share', path.join(folder, 'folder 1')];
  const started = start(...options, '--idp');
  const url = await addressOf(started);
  await started.line('Sign in through the identity provider');
  await started.line(`  ${url}`);
  const login = `${url}/api/auth/idp/login`;
  const owner = await signInThroughProvider(url, 'pri_lena_vogel');
  expect(await owner.get('/api/auth/me')).toMatchObject({ principalId: 'pri_lena_vogel', authMode: 'idp' });
  for (const refused of ['pri_noor_haddad', 'newcomer']) {
    expect((await signInAtProvider(login, refused)).status).toBe(403);
  }
  await expect(signIn(url, 'pri_lena_vogel')).rejects.toThrow('404');
  await stopStackProcess(started);

  const again = start(...options);
  const client = await signIn(await addressOf(again), 'pri_lena_vogel');
  expect(await client.get('/api/auth/me')).toMatchObject({ authMode: 'dev' });
  await stopStackProcess(again);
});

/** Runs the launcher to its end, which it is expected to find at once. */
async function refusalOf(...options: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    [path.join(root, 'infra/local/start.ts'), '--port', '0', ...options],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  return said;
}

/** A folder that goes with the test. */
async function place(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'refused-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a taken port is refused before anything is made', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const unmade = path.join(await place(), 'data');
  expect(await refusalOf('--port', `${port}`, '--data', unmade)).toBe(
    `Port ${port} is already in use: end what uses it, or choose another one with --port.\n`,
  );
  await expect(access(unmade)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a data folder that cannot be made is refused with the next step', async () => {
  const file = path.join(await place(), 'file');
  await writeFile(file, 'mine');
  for (const impossible of [file, path.join(file, 'data'), '/proc/none/data', `/tmp/${'x'.repeat(300)}`]) {
    expect(await refusalOf('--data', impossible)).toMatch(
      /^The data folder cannot be created or written \([A-Z]+\)\. Choose another one with --data\.\n$/,
    );
  }
});

test('a data folder in use is refused with the next step', async () => {
  const used = await place();
  await claimDataFolder(used);
  await mkdir(path.join(used, 'postgres'));
  const lock = acquireLock(path.join(used, 'postgres', 'lock'));
  onTestFinished(lock.release);
  expect(await refusalOf('--data', used)).toBe(
    'The data folder is in use by another start: end that one, or name another folder with --data.\n',
  );
});

test.each([
  ['the cluster is made', 'cluster.making'],
  ['the database starts', 'postgres.log'],
])('a start that is asked to end while %s ends in order', async (_, sign) => {
  const fresh = await place();
  const started = start('--data', fresh);
  const isThere = () =>
    access(path.join(fresh, 'postgres', sign)).then(
      () => true,
      () => false,
    );
  while (!(await isThere())) await sleep(5);
  started.child.kill('SIGTERM');
  const asked = performance.now();
  expect(await started.ended).toEqual([0, null]);
  expect(performance.now() - asked).toBeLessThan(10_000);
  expect(started.lines).toEqual([]);
  // Nobody holds the database any more.
  await removePostgres(path.join(fresh, 'postgres'));
});

test('wrong options are refused with the usage', async () => {
  for (const wrong of [['--port', 'x'], ['--share', '/does/not/exist'], ['--unknown']])
    expect(await refusalOf(...wrong)).toContain('npm start -- [--port N]');
});

test('folders that cannot serve are refused with a sentence, and left as they are', async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'refused-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const empty = path.join(place, 'empty');
  const taken = path.join(place, 'taken');
  await mkdir(empty);
  await mkdir(path.join(taken, 'azurite'), { recursive: true });
  await writeFile(path.join(taken, 'azurite', 'precious.txt'), 'mine');
  expect(await refusalOf('--share', empty)).toContain('The folder is empty');
  expect(await refusalOf('--share', place, '--data', path.join(place, 'data'))).toContain('--data');
  expect(await refusalOf('--data', taken, '--fresh')).toContain('--data');
  expect((await readdir(place, { recursive: true })).toSorted()).toEqual(
    ['empty', 'taken', 'taken/azurite', 'taken/azurite/precious.txt'].toSorted(),
  );
});
