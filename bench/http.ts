import { loadConfig } from '../core/config/config.ts';
import type { Statement } from '../core/db/sql.ts';
import type { Tx } from '../core/db/tx.ts';
import { listAssets } from '../core/search/asset-list.sql.ts';
import { scanFamily } from '../infra/local/first-scan.ts';
import { DEVELOPMENT_TENANT_ID } from '../infra/local/seed.ts';
import { byDevelopmentSignIn } from '../infra/local/sign-in-as.ts';
import { renderTable } from '../infra/local/table.ts';
import type { BareTask } from './http/bare-server.ts';
import type { ServiceReady } from './http/service.ts';
import { startChild } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { ratioOf } from './support/comparison.ts';
import { applyLoad, type LoadResult } from './support/load.ts';
import { interleaved, median } from './support/rounds.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- http [--seconds N] [--json]

Measures the requests per second of the service, compared with bare node:http with the same queries on the same
database.

  --seconds N  approximate time to measure (default 20)
  --json       end with one JSON object on the last line`;

const options = readOptions(USAGE);

const ROUNDS = options.smoke ? 1 : 5;
const CONNECTIONS = 32;
const PATHS = { health: '/api/health', authMe: '/api/auth/me', assets: '/api/assets' } as const;
/** The rows that the service reads for a list, one more than it returns. */
const LIST_LIMIT = 201;
/** A role that sees all assets of the tenant. */
const ROLE = 'governance_admin';

type Servers = { ours: string; bare: string; cookie: string };

/** The service with a scanned fixture tenant, and the bare server on the same database, each in its own process. */
async function startServers(workspace: Workspace): Promise<Servers> {
  const dataDir = workspace.folder;
  const service = await startChild<ServiceReady>(
    workspace,
    new URL('./http/service.ts', import.meta.url),
    { dataDir, few: options.smoke },
    { SVC_LOG_LEVEL: 'error' },
  );
  await scanFamily(byDevelopmentSignIn(service.url), 'm365', () => undefined, new AbortController().signal);
  const config = loadConfig({ SVC_DATABASE_URL: service.databaseUrl, SVC_ENV: 'development' });
  const task: BareTask = {
    databaseUrl: service.databaseUrl,
    poolSize: config.SVC_DATABASE_POOL_SIZE,
    sessionSecret: service.sessionSecret,
    idleMinutes: config.SVC_SESSION_IDLE_MINUTES,
    tenantId: DEVELOPMENT_TENANT_ID,
    list: await listStatement(),
  };
  const bare = await startChild<{ url: string }>(
    workspace,
    new URL('./http/bare-server.ts', import.meta.url),
    task,
  );
  return { ours: service.url, bare: bare.url, cookie: await signIn(service.url) };
}

/** The statement that the product uses for the list. */
async function listStatement(): Promise<BareTask['list']> {
  const made: Statement[] = [];
  const recorder = {
    tenantId: DEVELOPMENT_TENANT_ID,
    query: async (statement: Statement) => {
      made.push(statement);
      return [];
    },
  };
  await listAssets(recorder as unknown as Tx, { kind: 'tenant' }, {}, LIST_LIMIT);
  const [statement] = made;
  if (statement === undefined || made.length > 1) throw new Error('The list is no longer one statement');
  return {
    text: statement.text,
    values: [...statement.values],
    prepared: statement.isFixed,
  };
}

async function signIn(url: string): Promise<string> {
  const personas = await fetch(`${url}/api/auth/dev/personas`);
  const { items } = (await personas.json()) as { items: { principalId: string; roles: string[] }[] };
  const principalId = items.find(({ roles }) => roles.includes(ROLE))?.principalId;
  const login = await fetch(`${url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`Sign-in was answered with ${login.status}`);
  return cookie;
}

async function itemCount(url: string, cookie: string): Promise<number> {
  const response = await fetch(`${url}${PATHS.assets}`, { headers: { cookie } });
  return ((await response.json()) as { items: unknown[] }).items.length;
}

const middle = (results: readonly LoadResult[]) => ({
  rps: Math.round(median(results.map(({ rps }) => rps))),
  p50: Math.round(median(results.map(({ p50 }) => p50)) * 100) / 100,
  p95: Math.round(median(results.map(({ p95 }) => p95)) * 100) / 100,
});

type Middle = ReturnType<typeof middle>;
type Measured = { ours: Middle; bare: Middle; ratio: number };

async function measure({ ours, bare, cookie }: Servers, path: string, seconds: number): Promise<Measured> {
  const samples = await interleaved(
    ROUNDS,
    () => applyLoad([ours], () => ({ path, cookie }), CONNECTIONS, seconds),
    () => applyLoad([bare], () => ({ path, cookie }), CONNECTIONS, seconds),
  );
  const both = { ours: middle(samples.ours), bare: middle(samples.bare) };
  return { ...both, ratio: ratioOf(both.ours.rps, both.bare.rps) };
}

/** Each path has an uncounted round. Every round has two sides. */
const seconds = options.seconds / (Object.keys(PATHS).length * (ROUNDS + 1) * 2);

const { figures, items } = await inWorkspace(async (workspace) => {
  const servers = await startServers(workspace);
  return {
    items: await itemCount(servers.ours, servers.cookie),
    figures: {
      health: await measure(servers, PATHS.health, seconds),
      authMe: await measure(servers, PATHS.authMe, seconds),
      assets: await measure(servers, PATHS.assets, seconds),
    },
  };
});

console.log(`${CONNECTIONS} connections. The list contains ${items} assets. The service logs at level error and its log is
discarded, so that the terminal does not affect the result. The load generator takes the same share of the machine for
both sides.
`);
const row = (name: string, { ours, bare, ratio }: Measured) => [
  name,
  ours.rps,
  bare.rps,
  ratio.toFixed(2),
  ...[ours.p50, ours.p95, bare.p50, bare.p95].map((latency) => latency.toFixed(1)),
];
console.log(
  renderTable(
    ['GET', 'ours/s', 'bare/s', 'ratio', 'ours p50 ms', 'p95', 'bare p50 ms', 'p95'],
    [row(PATHS.health, figures.health), row(PATHS.authMe, figures.authMe), row(PATHS.assets, figures.assets)],
  ),
);
if (options.json) console.log(JSON.stringify(figures));
