import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SIDES } from './peers.ts';

/** A file, and the strings to look for in its text. */
export type Task = { file: string; wanted: readonly string[]; unwanted: readonly string[] };

/**
 * The strings that were found, the reading time by the clock and of all processors, and the peak memory of the
 * process so far.
 */
export type Answer = {
  state: string;
  reason: string | null;
  found: string[];
  forbidden: string[];
  ms: number;
  cpuMs: number;
  peakRssMb: number;
};

const collapsed = (text: string) => text.replace(/\s+/g, ' ');

const read = await SIDES[process.argv[2] ?? '']?.load();
if (read === undefined) throw new RangeError('Unknown side');

// The output of a reader is not a result. Its unhandled errors must not end the run.
process.on('unhandledRejection', () => {});
for (const method of ['log', 'warn', 'error', 'info', 'debug'] as const) console[method] = () => {};

process.on('message', async ({ file, wanted, unwanted }: Task) => {
  const bytes = await readFile(file);
  const began = performance.now();
  const spent = process.cpuUsage();
  const reading = await read(bytes, path.basename(file)).catch(() => ({
    text: '',
    state: 'threw',
    reason: null,
  }));
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(spent);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  // If there is nothing to look for, a copy of the text would only increase the peak memory.
  const text = wanted.length + unwanted.length > 0 ? collapsed(reading.text) : '';
  const found = wanted.filter((one) => text.includes(collapsed(one).trim()));
  const forbidden = unwanted.filter((one) => text.includes(collapsed(one)));
  const { state, reason } = reading;
  const answer: Answer = { state, reason, found, forbidden, ms, cpuMs: (user + system) / 1000, peakRssMb };
  process.send?.(answer);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
