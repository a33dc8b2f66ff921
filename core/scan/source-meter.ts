import { addUsage } from '../campaigns/holds.sql.ts';
import type { Connector, SourceFamily } from '../connectors/connector.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { momentOf, presentOf } from '../work/moment.sql.ts';
import { countedConnector } from './counted-connector.ts';
import { type ReadOfScope, scopesOf } from './source-meter.sql.ts';

/** What was read is stored after so long. Scans read on meanwhile, beyond a ceiling too. */
const STORE_AFTER_MS = 250;
/** A tenant without ceilings is asked again after so long. */
const NO_CEILINGS_MS = 5_000;

type Parts = { db: Db; clock: Clock; log: Logger };

/**
 * Counts what the scans of this process read of their sources, and adds it to what all processes have read in the hour, for
 * tenants with ceilings. One call is a page of a listing, an item, its permissions, its label or its content. Bytes are those
 * of contents. Counts of a process that is killed, of less than a second, are lost.
 */
export class SourceMeter {
  readonly #parts: Parts;
  readonly #read = new Map<TenantId, Map<string, ReadOfScope>>();
  /** Tenants that had no ceiling, and until when that is believed. */
  readonly #unbounded = new Map<TenantId, number>();
  /** Tenants of which the last count could not be stored. */
  readonly #failing = new Set<TenantId>();
  readonly #connectors = new WeakMap<Connector, Connector>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The same connectors. What they read is counted. */
  metered(
    connectorFor: (tenantId: TenantId, family: SourceFamily) => Connector,
  ): (tenantId: TenantId, family: SourceFamily) => Connector {
    return (tenantId, family) => {
      const connector = connectorFor(tenantId, family);
      const known = this.#connectors.get(connector);
      if (known !== undefined) return known;
      const metered = countedConnector(connector, (externalId, bytes) => {
        if (externalId !== null) this.#count(tenantId, { family, externalId, calls: 1, bytes });
      });
      this.#connectors.set(connector, metered);
      return metered;
    };
  }

  /** Stores what was counted. What fails is stored the next time; the first failure in a row is logged. */
  store(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storing.then(async () => {
      for (const [tenantId, read] of [...this.#read]) {
        this.#read.delete(tenantId);
        await this.#storeOf(tenantId, [...read.values()]);
      }
    });
    return this.#storing;
  }

  #count(tenantId: TenantId, read: ReadOfScope): void {
    if ((this.#unbounded.get(tenantId) ?? 0) > performance.now()) return;
    const key = `${read.family} ${read.externalId}`;
    const ofTenant = this.#read.get(tenantId) ?? new Map<string, ReadOfScope>();
    const { calls = 0, bytes = 0 } = ofTenant.get(key) ?? {};
    ofTenant.set(key, { ...read, calls: calls + read.calls, bytes: bytes + read.bytes });
    this.#read.set(tenantId, ofTenant);
    this.#timer ??= setTimeout(() => void this.store(), STORE_AFTER_MS).unref();
  }

  async #storeOf(tenantId: TenantId, read: readonly ReadOfScope[]): Promise<void> {
    const { db, clock, log } = this.#parts;
    if (db.health.isClosed) return;
    try {
      const isBounded = await withTx(db, { tenantId, mode: 'write' }, async (tx) =>
        addUsage(tx, await scopesOf(tx, read), await presentOf(tx, momentOf(clock))),
      );
      this.#failing.delete(tenantId);
      if (isBounded) this.#unbounded.delete(tenantId);
      else this.#unbounded.set(tenantId, performance.now() + NO_CEILINGS_MS);
    } catch (error) {
      if (!this.#failing.has(tenantId)) log.warn('source_usage_failed', { tenantId }, error);
      this.#failing.add(tenantId);
      for (const each of read) this.#count(tenantId, each);
    }
  }
}
