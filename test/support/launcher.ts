import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../..', import.meta.url));

export type LauncherRun<T> = {
  /** The result of the launcher without its functions. */
  started: T;
  stop(): Promise<void>;
  /** Sends SIGKILL, so that no handler runs. Resolves when the process has ended. */
  kill(): Promise<void>;
};

/**
 * Starts a local server in its own process, so that a test can kill the launcher.
 * @param from the checkout of the launcher, the uid it runs as, and the Node that runs it
 */
export async function runLauncher<T>(
  kind: 'postgres' | 'azurite',
  dataDir: string,
  from: { checkout?: string; uid?: number; gid?: number; node?: string; umask?: number } = {},
): Promise<LauncherRun<T>> {
  const { checkout = HERE, node = process.execPath, ...identity } = from;
  const child = fork(path.join(checkout, 'test/support/launcher-process.ts'), [kind, dataDir], {
    ...identity,
    execPath: node,
    execArgv: [],
    cwd: '/',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  const exited = once(child, 'exit');
  const [message] = (await Promise.race([once(child, 'message'), exited])) as [
    { started: T } | { failed: string } | number,
  ];
  if (typeof message !== 'object' || 'failed' in message) {
    throw new Error(typeof message === 'object' ? message.failed : 'The launcher has ended');
  }
  const endBy = async (act: () => void) => {
    act();
    await exited;
  };
  return {
    started: message.started,
    stop: () => endBy(() => child.send('stop')),
    kill: () => endBy(() => child.kill('SIGKILL')),
  };
}
