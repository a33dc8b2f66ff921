import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../../infra/local/api-client.ts';
import { removePostgres } from '../../infra/local/postgres.ts';

const root = path.resolve(import.meta.dirname, '../..');
const FILES = 400;

let folder: string;
let data: string;
const running = new Set<Started>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'share-'));
  data = await mkdtemp(path.join(tmpdir(), 'stack-'));
  for (let n = 0; n < FILES; n++) {
    const below = path.join(folder, `folder ${n % 7}`);
    await mkdir(below, { recursive: true });
    const text = `Invoice ${n}\n${'Please transfer the amount due to IBAN DE89370400440532013000. '.repeat(200)}`;
    await writeFile(path.join(below, `Invoice ${n}.txt`), text);
  }
});
afterAll(async () => {
  for (const started of running) started.child.kill('SIGKILL');
  await removePostgres(path.join(data, 'postgres'));
  await rm(data, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

type Started = {
  child: ChildProcess;
  ended: Promise<unknown>;
  lines: string[];
  line(start: string): Promise<string>;
};

/** `npm start` as a person runs it, without npm. */
function start(...options: string[]): Started {
  const child = spawn(
    process.execPath,
    [path.join(root, 'infra/local/start.ts'), '--port', '0', '--data', data, '--share', folder, ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SVC_LOG_LEVEL: 'error' } },
  );
  const lines: string[] = [];
  const waiting: { start: string; resolve: (line: string) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const { start: wanted, resolve } of waiting) if (line.startsWith(wanted)) resolve(line);
  });
  const started: Started = {
    child,
    ended: once(child, 'exit'),
    lines,
    line: (wanted) =>
      new Promise((resolve) => {
        const there = lines.find((line) => line.startsWith(wanted));
        if (there !== undefined) resolve(there);
        else waiting.push({ start: wanted, resolve });
      }),
  };
  running.add(started);
  void started.ended.then(() => running.delete(started));
  return started;
}

const address = async (started: Started) => (await started.line('ready ')).slice('ready '.length);

type Scans = { items: { campaignId: string; status: string; workUnits: Record<string, number> }[] };

test('a stack that is killed in mid-scan goes on where it was, and ends cleanly', {
  timeout: 120_000,
}, async () => {
  const first = start();
  const url = await address(first);
  const client = await signIn(url, 'pri_priya_nair');
  let completed = 0;
  while (completed < 30) {
    const { items } = await client.get<Scans>('/api/scans');
    completed = items[0]?.workUnits.completed ?? 0;
  }
  first.child.kill('SIGKILL');
  await first.ended;

  const second = start();
  const again = await address(second);
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

test('wrong options are refused with the usage', async () => {
  for (const wrong of [['--port', 'x'], ['--share', '/does/not/exist'], ['--unknown']]) {
    const child = spawn(process.execPath, [path.join(root, 'infra/local/start.ts'), ...wrong], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(said).toContain('npm start -- [--port N]');
  }
});
