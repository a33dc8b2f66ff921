import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Workspace } from './workspace.ts';

const STOP_MS = 30_000;

/**
 * Runs a module of a bench in a process of its own and resolves with the first message that it sends, which says that
 * it is ready. It is to end when its channel closes, which also happens when this process is killed.
 * @param task what the module gets as its first message
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

/** The same, with the process, for what it is to be told later. */
export async function startProcess<Ready>(
  { atEnd }: Pick<Workspace, 'atEnd'>,
  module: URL,
  task: object,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = fork(module, {
    execArgv: [],
    env: { ...process.env, ...env },
    // In a session of its own, so that Ctrl-C reaches us and not the service that we are still using.
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

/** The other side: the task, and what to do when the process is no longer needed. */
export async function taskOfParent<Task>(): Promise<Task> {
  const [task] = await once(process, 'message');
  return task as Task;
}

export function announce(ready: object, stop: () => Promise<unknown>): void {
  const end = () => void stop().finally(() => process.exit());
  // The parent may have ended while this process was getting ready.
  if (process.connected) {
    process.once('disconnect', end);
    process.send?.(ready);
  } else {
    end();
  }
}
