import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { nodeProblem } from '../../core/kernel/needed-node.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { compare, type Outcome, type Pair } from './compared.ts';
import { afterInterruptions, directRequests, edgeRequests } from './edge-requests.ts';
import { exchange, type Session, wire } from './exchange.ts';
import { compareFirstScans, inTheMiddle, scanFixture } from './first-scan.ts';
import { startLanguageWorker } from './language-worker.ts';
import { namingFrom, requestsTo, unusualRequests } from './requests.ts';
import { serveByWorker, type Worker, type WorkerHost } from './worker-host.ts';
import { APP, type Ground, type World } from './world.ts';

/** The Functions host kills a worker that has not ended by then. */
const GRACE_MS = 5_000;
const PERSONAS = ['platform_admin', 'governance_admin', 'domain_owner', 'auditor'] as const;

type Report = (group: string, outcome: Outcome, note?: string) => void;

/** Has the worker do whatever the service does, and compares it with the local host. */
export async function tryWorker(given: Worker, world: World, report: Report): Promise<void> {
  const grounds = { worker: await world.ground('worker'), local: await world.ground('local') };
  const { app, endpoints: all } = await loadFunctions();
  // Here they answer 404, and their schemas say nothing of what they take.
  const endpoints = all.filter(({ idpOnly }) => idpOnly !== true);
  const local = await world.localHost(grounds.local);

  const scanning = await serveByWorker(given, grounds.worker, { triggers: true });
  const declared = [...app.functions.values()].map(({ metadata }) => metadata);
  const { loadedMs, memoryMib } = scanning.worker;
  const idle = `loaded in ${Math.round(loadedMs)} ms, then ${Math.round(memoryMib)} MiB`;
  report('functions', indexed(scanning, declared), idle);
  const scans = await compareFirstScans(
    { url: scanning.url, ground: grounds.worker },
    { url: local, ground: grounds.local },
  );
  report('first scan', scans, `${scans.units} units`);
  report('timers', await timersOf(scanning));
  const ended = await scanning.close();
  report('end', endedWell(ended), `within ${Math.round(ended.ms)} ms`);

  // On the data of the local host, so that both have the same.
  const answering = await serveByWorker(given, grounds.local, { triggers: false });
  const pair: Pair = { worker: answering.url, local };
  const sessions = await signIn(local);
  const { platform_admin: admin } = sessions;
  const naming = await namingFrom(grounds.local, endpoints);
  report('requests', await compare(pair, requestsTo(endpoints, naming, sessions)));
  report('unusual requests', await compare(pair, unusualRequests(admin)));
  report('edge requests', await compare(pair, edgeRequests(admin)));
  const health = answering.functions.find(({ name }) => name === 'health-show-liveness');
  if (health?.kind !== 'http') throw new Error('The app has no function that tells its health.');
  report('requests past the host', await directRequests(answering.worker, health));
  report('interrupted requests', await afterInterruptions(answering.url, answering.worker, admin));
  await answering.close();

  const { ms, ...handedBack } = await endDuringScan(given, await world.ground('ended'));
  report('end during a scan', handedBack, `within ${Math.round(ms)} ms`);
  report('a Node that is too old', await tooOld(given, grounds.local));
}

type Metadata = { name: string; bindings: Record<string, object> };

/** Names and bindings, as the app declares them. */
function indexed({ worker }: WorkerHost, declared: readonly Metadata[]): Outcome {
  const linesOf = (functions: readonly Metadata[]) =>
    // The worker sends the name of a binding apart from it.
    functions.map(({ name, bindings }) => `${name} ${JSON.stringify({ ...bindings }, withoutName)}`);
  const theirs = linesOf(worker.functions.map(({ metadata }) => metadata));
  const ours = linesOf(declared);
  return {
    tried: ours.length,
    differences: [
      ...theirs.filter((line) => !ours.includes(line)).map((line) => `only the worker has ${line}`),
      ...ours.filter((line) => !theirs.includes(line)).map((line) => `the worker lacks ${line}`),
    ],
  };
}

const withoutName = (key: string, value: unknown) => (key === 'name' ? undefined : value);

async function timersOf({ functions, worker }: WorkerHost): Promise<Outcome> {
  const timers = functions.filter(({ kind }) => kind === 'timer');
  const info = { Schedule: { AdjustForDST: true }, ScheduleStatus: null, IsPastDue: false };
  const differences: string[] = [];
  for (const timer of timers) {
    await worker.invoker
      .invoke(timer, { data: { json: JSON.stringify(info) } })
      .catch((error: Error) => differences.push(`${timer.name}: ${error.message}`));
  }
  return { tried: timers.length, differences };
}

const endedWell = ({ ms, code }: { ms: number; code: number | null }): Outcome => ({
  tried: 1,
  differences: ms < GRACE_MS && code === 0 ? [] : [`it ended after ${Math.round(ms)} ms with ${code}`],
});

async function signIn(url: string) {
  const personas = await exchange(url, wire({ method: 'GET', target: '/api/auth/dev/personas' }));
  const { items } = JSON.parse(personas?.body ?? '') as { items: { principalId: string; roles: string[] }[] };
  const sessions: [string, Session][] = [];
  for (const role of PERSONAS) {
    const principalId = items.find(({ roles }) => roles.includes(role))?.principalId;
    const login = await exchange(
      url,
      wire({ method: 'POST', target: '/api/auth/dev/login', body: JSON.stringify({ principalId }) }),
    );
    const { csrfToken } = JSON.parse(login?.body ?? '') as { csrfToken: string };
    sessions.push([role, { cookie: login?.headers['set-cookie']?.split(';')[0] ?? '', csrfToken }]);
  }
  return Object.fromEntries(sessions) as Record<(typeof PERSONAS)[number], Session>;
}

/** In the middle of a scan the worker hands back its units, leaves the fleet and ends in time. */
async function endDuringScan(given: Worker, ground: Ground): Promise<Outcome & { ms: number }> {
  const scanning = await serveByWorker(given, ground, { triggers: true });
  const stopped = new AbortController();
  const scan = scanFixture(scanning.url, stopped.signal).catch(() => undefined);
  await inTheMiddle(ground);
  const ended = await scanning.close();
  stopped.abort();
  await scan;
  const [left] = await ground.query<{ leased: number; pending: number; scanners: number }>(
    `select (select count(*) from work_units where status = 'leased')::int as leased,
            (select count(*) from work_units where status = 'pending')::int as pending,
            (select count(*) from scanners)::int as scanners`,
  );
  const wellLeft = left !== undefined && left.leased === 0 && left.pending > 0 && left.scanners === 0;
  return {
    ms: ended.ms,
    tried: 2,
    differences: [...endedWell(ended).differences, ...(wellLeft ? [] : [`it left ${JSON.stringify(left)}`])],
  };
}

/** Nodes of this machine that are too old, and one that pretends: the worker reports which Node is needed. */
async function tooOld(given: Worker, { env }: Ground): Promise<Outcome> {
  const pretending = {
    node: given.node,
    nodeOptions: [
      '--import',
      `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`,
    ],
  };
  const installed = new Set(
    (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node')),
  );
  const old = [...installed].filter((node) => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return stdout && nodeProblem(stdout.trim().slice(1)) !== null;
  });
  const differences: string[] = [];
  const nodes = [pretending, ...old.map((node) => ({ node }))];
  for (const options of nodes) {
    const said = await startLanguageWorker({ ...given, ...options, app: APP, env }).then(
      async (worker) => {
        await worker.terminate();
        return 'nothing';
      },
      (error: Error) => error.message,
    );
    if (!said.includes('This service needs Node')) differences.push(`${options.node}: it says ${said}`);
  }
  return { tried: nodes.length, differences };
}
