import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export type BenchOptions = {
  json: boolean;
  /** Runs everything once with little data, to check that it works. The figures are no measurements. */
  smoke: boolean;
  /** Through the API of a running service. */
  http: boolean;
  /** The approximate time to measure. */
  seconds: number;
  folder: string | undefined;
  /** The kind of value whose misses and false hits are listed. */
  misses: string | undefined;
  /** Only files with these extensions, each with its dot. */
  only: readonly string[] | undefined;
  /** The number of assets to measure with. */
  assets: number;
  /** The file for query plans. */
  plans: string | undefined;
};

const DEFAULT_SECONDS = 20;
const DEFAULT_ASSETS = 100_000;
const SMOKE = { seconds: 0.1, assets: 250, folder: fileURLToPath(new URL('../smoke', import.meta.url)) };

const WITH_VALUE = {
  seconds: { type: 'string' },
  misses: { type: 'string' },
  only: { type: 'string' },
  assets: { type: 'string' },
  plans: { type: 'string' },
} as const;

/** The options with a value that the usage names. */
const namedIn = (usage: string) =>
  Object.fromEntries(
    Object.entries(WITH_VALUE).filter(([name]) => usage.includes(`--${name}`)),
  ) as typeof WITH_VALUE;

/**
 * Reads `--json`, `--smoke` and a folder, and if the usage names them, `--http`, `--seconds N`, `--misses TYPE`, `--only LIST`,
 * `--assets N` and `--plans FILE`.
 * Prints the usage and exits if asked to, or if the arguments are invalid.
 */
export function readOptions(
  usage: string,
  byDefault: { assets?: number; seconds?: number } = {},
): BenchOptions {
  try {
    const { values, positionals } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        ...(usage.includes('--http') && { http: { type: 'boolean', default: false } as const }),
        ...namedIn(usage),
      },
      allowPositionals: usage.includes('[FOLDER]'),
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const smoke = values.smoke === true;
    const seconds = smoke ? SMOKE.seconds : Number(values.seconds ?? byDefault.seconds ?? DEFAULT_SECONDS);
    if (!smoke && !(seconds >= 1 && seconds <= 3600)) throw new RangeError('--seconds must be 1 to 3600');
    const assets = smoke ? SMOKE.assets : Number(text(values.assets) ?? byDefault.assets ?? DEFAULT_ASSETS);
    if (!smoke && !(Number.isInteger(assets) && assets >= 1_000))
      throw new RangeError('--assets must be 1000 or more');
    if (positionals.length > 1) throw new RangeError('Name at most one folder');
    return {
      json: values.json === true,
      smoke,
      http: values.http === true,
      seconds,
      folder: positionals[0] ?? (smoke ? SMOKE.folder : undefined),
      misses: text(values.misses),
      assets,
      plans: text(values.plans),
      only: text(values.only)?.toLowerCase().split(','),
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(1);
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
