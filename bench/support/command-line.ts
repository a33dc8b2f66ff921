import { parseArgs } from 'node:util';

export type BenchOptions = {
  json: boolean;
  /** How long to measure, about. */
  seconds: number;
  folder: string | undefined;
};

const DEFAULT_SECONDS = 20;

/**
 * Reads `--json` and, where the usage names them, `--seconds N` and a folder. Prints the usage and ends the process
 * where that is asked for or what was given cannot be read.
 */
export function readOptions(usage: string): BenchOptions {
  try {
    const { values, positionals } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        ...(usage.includes('--seconds') && { seconds: { type: 'string' } }),
      },
      allowPositionals: usage.includes('[FOLDER]'),
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
    if (!(seconds >= 1 && seconds <= 3600)) throw new RangeError('--seconds must be 1 to 3600');
    if (positionals.length > 1) throw new RangeError('One folder at a time');
    return { json: values.json === true, seconds, folder: positionals[0] };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(1);
  }
}
