import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const script = path.join(import.meta.dirname, 'replay.ts');

export type Line = { file: string; [name: string]: unknown };

/** What the script prints of a folder, as text, and as lines by the file of the recordings. */
export async function printedOf(folder: string, ...options: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, folder, ...options]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { byFile: Object.groupBy(lines, ({ file }) => file), stdout };
}
