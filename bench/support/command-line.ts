import { parseArgs } from 'node:util';

/** Every bench may be asked for its duration in seconds and for a JSON object as its last line. */
export type BenchOptions = { seconds: number; json: boolean; folder: string | undefined };

/**
 * Reads `[--seconds N] [--json]` and, where the usage names one, a folder. Prints the usage and ends the process where
 * that is asked for or what was given cannot be read.
 */
export function readOptions(usage: string, defaultSeconds: number): BenchOptions {
  try {
    const { values, positionals } = parseArgs({
      options: {
        seconds: { type: 'string', default: `${defaultSeconds}` },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: usage.includes('[FOLDER]'),
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const seconds = Number(values.seconds);
    if (!(seconds >= 1 && seconds <= 3600)) throw new RangeError('--seconds must be 1 to 3600');
    return { seconds, json: values.json, folder: positionals[0] };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(1);
  }
}
