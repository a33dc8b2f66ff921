import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { databaseProblem, sqlState } from '../db/errors.ts';
import { migrateConfigured } from '../db/migrate-configured.ts';
import { schemaVersion } from '../db/schema-version.ts';
import type { Db } from '../db/tx.ts';
import type { Logger } from '../observability/log.ts';
import type { FleetMember } from '../work/fleet.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
/** How often a process that waits looks whether the database is there and its schema that of the release. */
const LOOK_AGAIN_MS = 2_000;
const AFTER_FAILED_MIGRATION_MS = 30_000;

type Parts = {
  config: Config;
  /** Its transactions are refused until the schema is that of this release. */
  db: Db;
  probe: Db;
  fleet: Pick<FleetMember, 'join'>;
  log: Logger;
};

/**
 * Migrates the database and joins the fleet. If the database is away, or lacks migrations that this process may not
 * apply, it returns, and does so later. Until then all transactions are refused. Throws `MigrationError`.
 */
export async function openDatabase(parts: Parts, signal: AbortSignal): Promise<void> {
  parts.db.health.isClosed = true;
  const opening = new Opening(parts);
  if (await opening.open()) return;
  void openLater(opening, parts.log, signal);
}

async function openLater(opening: Opening, log: Logger, signal: AbortSignal): Promise<void> {
  let waitMs = LOOK_AGAIN_MS;
  while (!signal.aborted) {
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    waitMs = LOOK_AGAIN_MS;
    try {
      if (await opening.open()) return;
    } catch (error) {
      log.error('migration_failed', {}, error);
      waitMs = AFTER_FAILED_MIGRATION_MS;
    }
  }
}

class Opening {
  readonly #parts: Parts;
  #mayMigrate = true;
  #reported: 'database_away' | 'schema_behind' | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the schema is that of this release, or of the next one, on which this release works too. */
  async open(): Promise<boolean> {
    const { db, probe, fleet, log } = this.#parts;
    try {
      await this.#migrate();
      if ((await schemaVersion(probe)).missing > 0) return this.#waits('schema_behind');
    } catch (error) {
      if (databaseProblem(error) !== 'database_away') throw error;
      return this.#waits('database_away', error);
    }
    db.health.isClosed = false;
    await fleet.join();
    if (this.#reported !== null) log.info('own_part_works', { problem: this.#reported });
    return true;
  }

  /** A runtime login owns nothing, as it should be, and cannot migrate. Then an operator runs `npm run migrate`. */
  async #migrate(): Promise<void> {
    const { config, log } = this.#parts;
    if (!this.#mayMigrate) return;
    try {
      await migrateConfigured(config);
    } catch (error) {
      if (config.SVC_MIGRATION_DATABASE_URL !== undefined || sqlState(error) !== INSUFFICIENT_PRIVILEGE)
        throw error;
      this.#mayMigrate = false;
      log.warn('setting_missing', { setting: 'SVC_MIGRATION_DATABASE_URL' });
    }
  }

  #waits(problem: 'database_away' | 'schema_behind', error?: unknown): false {
    if (this.#reported !== problem) this.#parts.log.error('own_part_failed', { problem }, error);
    this.#reported = problem;
    return false;
  }
}
