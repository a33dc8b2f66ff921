import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Document } from './documents.ts';
import type { Answer, Task } from './reader.ts';

/** Longer than the product allows itself for one file. */
const HANG_MS = 60_000;

/** How a side did on a file; `crash` and `hang` are what it did to its process. */
export type Outcome = Document & { answer: Answer | 'crash' | 'hang' };

/** Starts a process for this side alone, so that its memory is its own. */
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

/** A side whose process is replaced when a file crashes it or makes it hang. */
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
 * Gives the files one after the other to each of the sides, by turns and each in its turn first, so that whatever else
 * the machine does falls on all of them. One round before is not counted: a scanner reads for hours, and no side is to
 * be charged for what it loads and compiles with the first of a kind. Resolves with the outcomes by side.
 * @param module what runs in each process: `reader.ts`, compiled
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
