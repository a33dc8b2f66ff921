import { spawn } from 'node:child_process';
import { fewAtATime } from '../../core/kernel/few-at-a-time.ts';
import { startSmokeServer } from './database.ts';
import { inWorkspace } from './workspace.ts';

const AT_ONCE = 2;

/** Each takes over ten seconds in its smallest form, and runs what `npm test` or `npm run test:release` tests. */
const NIGHTLY_ONLY = [
  'analyst',
  'clouds',
  'cold-start',
  'console',
  'delta',
  'graph',
  'http',
  'messages',
  'read-models',
  'rescore',
  'scale',
  'scan',
  'sources',
  'upgrade',
];

type Bench = { name: string; file: string };

/**
 * Runs the benches, two at a time, and prints a line for each. They share a database server. With `NIGHTLY=1`, runs
 * also the long ones. Returns whether all succeeded.
 */
export const smokeAll = (benches: readonly Bench[]): Promise<boolean> =>
  inWorkspace(async (workspace) => {
    const isNightly = process.env.NIGHTLY === '1';
    const chosen = benches.filter(({ name }) => isNightly || !NIGHTLY_ONLY.includes(name));
    return smokeEach(chosen, await startSmokeServer(workspace));
  });

async function smokeEach(benches: readonly Bench[], env: Record<string, string>): Promise<boolean> {
  const run = async (bench: Bench): Promise<boolean> => {
    const began = performance.now();
    const { failure, output } = await smoke(bench, env);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${bench.name.padEnd(16)} ${seconds.padStart(5)} s  ${failure ?? 'ok'}`);
    if (failure !== null) console.log(output);
    return failure === null;
  };
  return (await fewAtATime(benches, run, { atOnce: AT_ONCE })).every(Boolean);
}

/** Runs one bench in its own process. `failure` is null if it succeeded and its figures could be parsed. */
async function smoke(
  { file }: Bench,
  env: Record<string, string>,
): Promise<{ failure: string | null; output: string }> {
  const child = spawn(process.execPath, [file, '--smoke', '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  let figures = '';
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    figures += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const failure =
    code !== 0 ? `ended with exit code ${code}` : isObject(lastLine(figures)) ? null : 'told no figures';
  return { failure, output: Buffer.concat(chunks).toString() };
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
