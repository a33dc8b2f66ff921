import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from './buildah.ts';
import type { Service } from './compose-file.ts';
import { runProgram } from './run-program.ts';
import { type Placed, runtimeSpec } from './runtime-spec.ts';

const SECONDS = 1_000;

/** A container of an OCI runtime, with a root file system of its own above that of the image. */
export type Container = {
  name: string;
  service: Service;
  /** Milliseconds of the clock of this process. */
  startedAt: number;
  /** Whether it runs still. */
  running(): boolean;
  /** Its exit code, once it has ended. */
  ended: Promise<number>;
  /** What it has written to stdout and stderr. */
  output(): Promise<string>;
  /** Runs a program in it. Throws if that fails. */
  exec(args: readonly string[], withinMs: number): Promise<string>;
  /** The first process, seen from outside: `/proc/PID` has its state and its root. */
  pid(): Promise<number>;
  /** How long the main thread of its first process could have run so far and had no processor. */
  secondsWithoutProcessor(): Promise<number>;
  /** Asks it to end, and ends it after the patience. Returns the milliseconds that it took. */
  stop(patienceMs: number): Promise<number>;
  /** Paths below the root that are not of the image: what was written outside mounts, and places of mounts. */
  written(): Promise<string[]>;
};

/** Starts a container whose image is unpacked at `rootfs`. The image stays as it is. */
export async function startContainer(work: Work, name: string, placed: Placed): Promise<Container> {
  const folder = path.join(work, 'containers', `${name}-${Date.now()}`);
  const [upper, scratch, merged, bundle] = ['upper', 'scratch', 'merged', 'bundle'].map((part) =>
    path.join(folder, part),
  ) as [string, string, string, string];
  for (const each of [upper, scratch, merged, bundle]) await mkdir(each, { recursive: true });
  await runProgram(
    'mount',
    [
      ...['-t', 'overlay', 'overlay', merged],
      ...['-o', `lowerdir=${placed.rootfs},upperdir=${upper},workdir=${scratch}`],
    ],
    { withinMs: 10 * SECONDS },
  );
  await writeFile(
    path.join(bundle, 'config.json'),
    JSON.stringify(runtimeSpec({ ...placed, rootfs: merged })),
  );

  const id = path.basename(folder);
  const crun = ['--root', path.join(work, 'crun'), '--cgroup-manager=disabled'];
  const logFile = path.join(folder, 'output');
  const log = await open(logFile, 'w');
  const startedAt = performance.now();
  const child = spawn('crun', [...crun, 'run', '--bundle', bundle, id], {
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  let running = true;
  const ended = once(child, 'exit').then(([code]) => {
    running = false;
    return (code as number | null) ?? -1;
  });
  const call = (args: readonly string[], withinMs = 10 * SECONDS) =>
    runProgram('crun', [...crun, ...args], { withinMs });
  const pid = async () => (JSON.parse(await call(['state', id])) as { pid: number }).pid;
  return {
    name,
    service: placed.service,
    startedAt,
    running: () => running,
    ended,
    output: () => readFile(logFile, 'utf8'),
    exec: (args, withinMs) => call(['exec', id, ...args], withinMs),
    pid,
    secondsWithoutProcessor: async () => {
      // Nanoseconds: running, ready to run without a processor.
      const [, waited] = (await readFile(`/proc/${await pid()}/schedstat`, 'utf8')).split(' ');
      return Number(waited) / 1e9;
    },
    stop: async (patienceMs) => {
      const askedAt = performance.now();
      if (!running) return 0;
      await call(['kill', id, 'SIGTERM']);
      const late = new AbortController();
      void sleep(patienceMs, undefined, { signal: late.signal }).then(
        () => call(['kill', id, 'SIGKILL']),
        () => undefined,
      );
      await ended;
      late.abort();
      return performance.now() - askedAt;
    },
    written: () => readdir(upper, { recursive: true }),
  };
}
