import { opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stopRequested } from '../../core/commands/stop-request.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { scanFamily } from './first-scan.ts';
import { passedOver } from './passed-over.ts';
import { LockHeldError } from './process-lock.ts';
import { progressBar } from './progress-bar.ts';
import { byDevelopmentSignIn, byProvider } from './sign-in-as.ts';
import { type LocalStack, startStack } from './stack.ts';
import { summarize } from './summary.ts';

const USAGE = `npm start -- [--port N] [--data DIR] [--share FOLDER] [--idp] [--fresh]

  --port N        port of the API on 127.0.0.1 (default 7071, 0 for any)
  --data DIR      where Postgres and Azurite keep their data (default .data)
  --share FOLDER  scan this folder, read-only, instead of the fixture tenant
  --idp           people sign in through a local identity provider, as in production
  --fresh         forget what earlier runs kept
`;

const root = path.resolve(import.meta.dirname, '../..');
const TENANT = 'dev' as TenantId;

async function main(): Promise<void> {
  const stopping = new AbortController();
  const interrupted = stopRequested(PATIENCE).then(() => stopping.abort());
  const options = await readOptions();
  const stack = await startStack({
    ...options,
    root,
    signal: stopping.signal,
    log: (message) => console.error(message),
  }).catch((error: unknown) => {
    if (stopping.signal.aborted) return null;
    throw error;
  });
  if (stack === null) return;
  console.log(`ready ${stack.url}`);
  const scanned = firstScan(stack, options, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) console.error(error instanceof Error ? error.message : error);
  });
  await interrupted;
  await scanned;
  await stack.stop();
}

async function firstScan(
  { url, databaseUrl }: LocalStack,
  { share, idp }: { share: string | null; idp: boolean },
  signal: AbortSignal,
) {
  const bar = progressBar(
    share === null ? 'Scanning the fixture tenant' : 'Scanning the folder',
    process.stdout,
  );
  const signInAs = idp ? byProvider(url) : byDevelopmentSignIn(url);
  const scanned = await scanFamily(signInAs, share === null ? 'm365' : 'smb', bar.update, signal);
  bar.end();
  const leftOut = share === null ? [] : await passedOver(share, signal);
  if (signal.aborted) return;
  console.log(`\n${await summarize(databaseUrl, TENANT, { url, idp }, scanned, leftOut)}`);
}

async function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '7071' },
      data: { type: 'string', default: path.join(root, '.data') },
      share: { type: 'string' },
      idp: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError('--port must be 0 to 65535');
  return {
    port,
    dataDir: path.resolve(values.data),
    share: values.share === undefined ? null : await folder(values.share),
    idp: values.idp,
    fresh: values.fresh,
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
