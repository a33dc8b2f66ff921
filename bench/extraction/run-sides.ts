import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Document } from './documents.ts';
import type { Answer, Task } from './reader.ts';

/** Longer than the product's limit for one file. */
const HANG_MS = 60_000;

/** The outcome of a side for a file. `crash` and `hang` refer to its process. */
export type Outcome = Document & { answer: Answer | 'crash' | 'hang' };

/** Starts a process for this side alone, so that its memory can be measured. */
async function start(module: string, side: string): Promise<ChildProcess> {
  const child = fork(module, [side], { execArgv: [], stdio: 'ignore' });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${side} does not start`);
  });
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return child;
}

async function ask(child: ChildProcess, task: Task): Promise<Outcome['answer']> {
  const waited = new AbortController();
  const { signal } = waited;
  const deadline = setTimeout(() => waited.abort(), HANG_MS);
  child.send(task);
  try {
    const answer = once(child, 'message', { signal }).then(([message]) => message as Answer);
    return await Promise.race([answer, once(child, 'exit', { signal }).then(() => 'crash' as const)]);
  } catch {
    return 'hang';
  } finally {
    clearTimeout(deadline);
    waited.abort();
  }
}

/** A side whose process is replaced after a crash or a hang. */
async function open(module: string, side: string) {
  let child = await start(module, side);
  return {
    async read(task: Task): Promise<Outcome['answer']> {
      const answer = await ask(child, task);
      if (answer === 'crash' || answer === 'hang') {
        child.kill('SIGKILL');
        child = await start(module, side);
      }
      return answer;
    },
    async close(): Promise<void> {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

type Reader = Awaited<ReturnType<typeof open>>;

/**
 * Gives the files to each side, alternating and with a changing order, so that other load on the machine affects all
 * sides.
 * One round before does not count, because a scanner runs for hours and the code that a side loads and compiles for
 * the first file of a kind is not part of the result.
 * @param module the compiled `reader.ts`, which runs in each process
 * @returns the outcomes by side
 */
export async function runSides(
  module: string,
  sides: readonly string[],
  folder: string,
  documents: readonly Document[],
): Promise<Outcome[][]> {
  const readers: Reader[] = [];
  try {
    for (const side of sides) readers.push(await open(module, side));
    await readAll(readers, folder, documents);
    return await readAll(readers, folder, documents);
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

async function readAll(
  readers: readonly Reader[],
  folder: string,
  documents: readonly Document[],
): Promise<Outcome[][]> {
  const outcomes: Outcome[][] = readers.map(() => []);
  for (const [turn, document] of documents.entries()) {
    const { mustContain: wanted, mustNotContain: unwanted } = document;
    const task = { file: path.join(folder, document.path), wanted, unwanted };
    const each = [...readers.entries()];
    for (const [at, reader] of turn % 2 === 0 ? each : each.toReversed()) {
      outcomes[at]?.push({ ...document, answer: await reader.read(task) });
    }
  }
  return outcomes;
}
