import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The peer of the verification of an export: hashes each line with SHA-256. Returns their number. */
export async function hashLines(file: string): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (hash('sha256', line).length !== 64) throw new Error('Not a hash');
    lines++;
  }
  return lines;
}
