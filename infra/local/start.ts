import { opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stopRequested } from '../../core/commands/stop-request.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { ensureConsole } from '../console/ensure-console.ts';
import { FAKE_CLOUDS, type FakeCloudName } from './fake-clouds.ts';
import { syncMessages } from './first-messages.ts';
import { scanFamily, subscribeTo } from './first-scan.ts';
import { passedOver } from './passed-over.ts';
import { LockHeldError } from './process-lock.ts';
import { progressBar } from './progress-bar.ts';
import { byDevelopmentSignIn, byProvider } from './sign-in-as.ts';
import { type LocalStack, startStack } from './stack.ts';
import { summarize } from './summary.ts';

const USAGE = `npm start -- [--port N] [--data DIR] [--share FOLDER | --blob | --s3 | --sql | --graph-fake | --drive-fake | --box-fake] [--idp] [--fresh] [--dev]

  --port N        port of the API on 127.0.0.1 (default 7071, 0 for any)
  --data DIR      where Postgres and Azurite keep their data (default .data)
  --share FOLDER  scan this folder, read-only, instead of the fixture tenant
  --blob          scan containers of the local storage emulator, with made-up files, instead of the fixture tenant
  --s3            scan buckets of a fake of S3, with made-up files, instead of the fixture tenant; begins again each time
  --sql           scan a database of the local Postgres, with made-up tables, instead of the fixture tenant
  --graph-fake    read a fake of Microsoft 365 as if it were live; begins again each time
  --drive-fake    the same with a fake of Google Drive
  --box-fake      the same with a fake of Box
  --idp           people sign in through a local identity provider, as in production
  --fresh         forget what earlier runs kept
  --dev           also serve the console from its sources, on the next port; its page takes each change over
`;

const root = path.resolve(import.meta.dirname, '../..');
const TENANT = 'dev' as TenantId;
const CLOUD_NAMES = Object.keys(FAKE_CLOUDS) as FakeCloudName[];

async function main(): Promise<void> {
  const stopping = new AbortController();
  const interrupted = stopRequested(PATIENCE).then(() => stopping.abort());
  const options = await readOptions();
  const { signal } = stopping;
  const log = (message: string) => console.error(message);
  const building = options.dev ? undefined : ensureConsole(signal, log);
  const stack = await startStack({ ...options, root, signal, log }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  await building;
  if (stack === null) return;
  console.log(`ready ${stack.url}`);
  const devServer = options.dev ? await serveConsole(stack.url) : null;
  if (options.fakeCloud !== null) console.log(fakeBanner(options.fakeCloud, stack.actsUrl ?? ''));
  const scanned = firstScan(stack, options, signal).catch((error: unknown) => {
    if (!signal.aborted) console.error(error instanceof Error ? error.message : error);
  });
  await interrupted;
  await scanned;
  await devServer?.close();
  await stack.stop();
}

async function serveConsole(url: string) {
  const { serveFromSources } = await import('../console/dev-server.ts');
  const server = await serveFromSources(url, Number(new URL(url).port) + 1);
  console.log(`the console from its sources ${server.url}`);
  return server;
}

async function firstScan(
  { url, databaseUrl, actsUrl }: LocalStack,
  options: Offered & { idp: boolean },
  signal: AbortSignal,
) {
  const { share, idp, fakeCloud } = options;
  const { family, scanning } = scannedSource(options);
  const bar = progressBar(`Scanning ${scanning}`, process.stdout);
  const signInAs = idp ? byProvider(url) : byDevelopmentSignIn(url);
  const scanned = await scanFamily(signInAs, family, bar.update, signal);
  bar.end();
  if (fakeCloud === 'graph' && !signal.aborted) await subscribeTo(signInAs, scanned.scopeIds);
  const leftOut = share === null ? [] : await passedOver(share, signal);
  if (signal.aborted) return;
  console.log(`\n${await summarize(databaseUrl, TENANT, { url, idp }, scanned, leftOut)}`);
  if (family === 'm365' && fakeCloud === null) console.log(await syncMessages(signInAs, signal));
  if (fakeCloud !== null) console.log(actsHint(fakeCloud, url, actsUrl ?? ''));
}

type Offered = {
  share: string | null;
  blob: boolean;
  s3: boolean;
  sql: boolean;
  fakeCloud: FakeCloudName | null;
};

function scannedSource({ share, blob, s3, sql, fakeCloud }: Offered) {
  if (share !== null) return { family: 'smb', scanning: 'the folder' };
  if (blob) return { family: 'blob', scanning: 'the containers' };
  if (s3) return { family: 's3', scanning: 'the buckets' };
  if (sql) return { family: 'sql', scanning: 'the tables' };
  if (fakeCloud === null) return { family: 'm365', scanning: 'the fixture tenant' };
  const { family, name } = FAKE_CLOUDS[fakeCloud];
  return { family, scanning: `the fake of ${name}` };
}

const fakeBanner = (
  fakeCloud: FakeCloudName,
  actsUrl: string,
) => `${FAKE_CLOUDS[fakeCloud].name} is a fake of ${FAKE_CLOUDS[fakeCloud].folder} on this machine. The service reads it as if it were live.
Its company, Nordwind, is made up. Fake and service begin again at each start. Act as its people: ${actsUrl}
`;

const actsHint = (fakeCloud: FakeCloudName, url: string, actsUrl: string) =>
  fakeCloud === 'graph'
    ? `The service is subscribed to every library. Change something as the people of Nordwind:

  ${actsUrl}

Then watch it arrive, signed in as pri_priya_nair: ${url}/api/admin/notifications/recent
`
    : `The service asks for changes every half minute. Change something as the people of Nordwind:

  ${actsUrl}

The page shows when the service knows of it.
`;

async function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '7071' },
      data: { type: 'string', default: path.join(root, '.data') },
      share: { type: 'string' },
      blob: { type: 'boolean', default: false },
      s3: { type: 'boolean', default: false },
      sql: { type: 'boolean', default: false },
      idp: { type: 'boolean', default: false },
      'graph-fake': { type: 'boolean', default: false },
      'drive-fake': { type: 'boolean', default: false },
      'box-fake': { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      dev: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError('--port must be 0 to 65535');
  const fakes = CLOUD_NAMES.filter((name) => values[`${name}-fake`]);
  const [fakeCloud = null] = fakes;
  const { blob, s3, sql } = values;
  if ([blob, s3, sql, values.share !== undefined].filter(Boolean).length + fakes.length > 1)
    throw new UsageError(
      `Name one of --share, --blob, --s3, --sql${CLOUD_NAMES.map((name) => `, --${name}-fake`).join('')}: one of them is scanned`,
    );
  const dataDir = path.resolve(values.data);
  return {
    port,
    // The fake forgets everything, so what the service knew of it has no use. Other data is left alone.
    dataDir: fakeCloud === null ? dataDir : path.join(dataDir, `${fakeCloud}-fake`),
    fakeCloud,
    share: values.share === undefined ? null : await folder(values.share),
    blob,
    s3,
    sql,
    idp: values.idp,
    dev: values.dev,
    fresh: values.fresh || fakeCloud !== null,
  };
}

async function folder(given: string): Promise<string> {
  const real = await realpath(given).catch(() => null);
  if (real === null || !(await stat(real)).isDirectory()) throw new UsageError('--share must name a folder');
  if (await isEmpty(real)) throw new Error('The folder is empty: there is nothing to scan.');
  return real;
}

async function isEmpty(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch(() => {
    throw new Error('The folder cannot be read.');
  });
  try {
    return (await entries.read()) === null;
  } finally {
    await entries.close();
  }
}

/** The first two signals stop gracefully. The third one exits at once, which still tells the servers to end. */
const PATIENCE = 3;

class UsageError extends Error {}

function wordsFor(error: unknown): unknown {
  if (error instanceof LockHeldError) {
    return 'The data folder is in use by another start: end that one, or name another folder with --data.';
  }
  return error instanceof Error ? error.message : error;
}

await main().catch((error: unknown) => {
  console.error(wordsFor(error));
  if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
    console.error(`\n${USAGE}`);
  }
  process.exitCode = 1;
});
// Resources of a failed start would keep the process alive.
process.exit();
