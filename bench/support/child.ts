import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Workspace } from './workspace.ts';

const STOP_MS = 30_000;

/**
 * Runs a module of a bench in its own process. Resolves with its first message, which means that it is ready. The
 * module must exit when its channel closes, which also happens if this process is killed.
 * @param task sent to the module as its first message
 */
export async function startChild<Ready>(
  workspace: Pick<Workspace, 'atEnd'>,
  module: URL,
  task: object,
  env: Record<string, string> = {},
): Promise<Ready> {
  const { ready } = await startProcess<Ready>(workspace, module, task, env);
  return ready;
}

/** Like `startChild`, and also returns the process, for further messages. */
export async function startProcess<Ready>(
  { atEnd }: Pick<Workspace, 'atEnd'>,
  module: URL,
  task: object,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = fork(module, {
    execArgv: [],
    env: { ...process.env, ...env },
    // In its own session, so that Ctrl-C does not reach the service, which is still in use.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  atEnd(() => end(child));
  child.send(task);
  const ended = once(child, 'exit').then(() => {
    throw new Error('A process of the bench ended before it was ready');
  });
  const [ready] = await Promise.race([once(child, 'message'), ended]);
  return { child, ready: ready as Ready };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

/** In the child: receives the task, and handles the end of the channel. */
export async function taskOfParent<Task>(): Promise<Task> {
  const [task] = await once(process, 'message');
  return task as Task;
}

export function announce(ready: object, stop: () => Promise<unknown>): void {
  const end = () => void stop().finally(() => process.exit());
  // The parent may have ended in the meantime.
  if (process.connected) {
    process.once('disconnect', end);
    process.send?.(ready);
  } else {
    end();
  }
}
