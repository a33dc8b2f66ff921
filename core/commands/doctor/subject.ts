import {
  type Config,
  ConfigError,
  languageWorkerArguments,
  loadConfig,
  unknownSettings,
} from '../../config/config.ts';
import { createPool } from '../../db/pool.ts';
import type { Db } from '../../db/tx.ts';
import { probeQueue, type QueueProbe } from '../../platform/storage-probe.ts';
import { aheadOf } from './ask.ts';
import { readServerFacts, type ServerFacts } from './database-facts.sql.ts';
import { type Discovered, discoverProvider } from './discover-provider.ts';

type WithClock = { aheadMs: number | null };

/**
 * The deployment that is examined. What several checks look at is read once, by the first of them: the others need that
 * check, so they run when the reading has succeeded.
 */
export type Subject = {
  /** What keeps the configuration from being loaded. */
  problems: readonly string[];
  /** Variables that look like settings. */
  unknownSettings: readonly string[];
  /** Null where there is no Functions host. */
  languageWorkerArguments: string | null;
  /** Only for checks that need `configuration.settings`. */
  readonly config: Config;
  /** The database with the runtime login. */
  readonly db: Db;
  server(): Promise<ServerFacts & WithClock>;
  queue(signal: AbortSignal): Promise<QueueProbe & WithClock>;
  provider(signal: AbortSignal): Promise<Discovered>;
};

export const APPLICATION_NAME = 'doctor';

/**
 * Loads the configuration. Connects to nothing yet.
 * @param env takes the place of the environment of the process
 */
export function openSubject(env?: Readonly<Record<string, string>>): Subject {
  const loaded = tryToLoad(env);
  const db = once(() =>
    createPool(configOf(loaded).SVC_DATABASE_URL, { max: 1, applicationName: APPLICATION_NAME }),
  );
  const server = once(async () => {
    const since = Date.now();
    const facts = await readServerFacts(db());
    return { ...facts, aheadMs: facts.now - (since + Date.now()) / 2 };
  });
  const queue = once(async (signal: AbortSignal) => {
    const probe = await probeQueue(configOf(loaded), signal);
    return { ...probe, aheadMs: aheadOf(probe.date, Date.now()) };
  });
  return {
    problems: loaded instanceof ConfigError ? loaded.problems : [],
    unknownSettings: unknownSettings(env),
    languageWorkerArguments: languageWorkerArguments(env),
    get config() {
      return configOf(loaded);
    },
    get db() {
      return db();
    },
    server,
    queue,
    provider: once((signal: AbortSignal) => discoverProvider(configOf(loaded), signal)),
  };
}

function tryToLoad(env?: Readonly<Record<string, string>>): Config | ConfigError {
  try {
    return loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function configOf(loaded: Config | ConfigError): Config {
  if (loaded instanceof ConfigError) throw loaded;
  return loaded;
}

/** The first call makes it, with its arguments. */
function once<Args extends unknown[], T>(make: (...args: Args) => T): (...args: Args) => T {
  let made: { value: T } | undefined;
  return (...args) => {
    made ??= { value: make(...args) };
    return made.value;
  };
}
