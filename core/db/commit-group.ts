import type { TenantId } from '../kernel/ids.ts';
import { type Db, type Tx, withTx } from './tx.ts';

/** Maximum number of items in one commit. */
const GROUP_SIZE = 200;
/** Maximum number of waiting items. Further ones are refused, so that they do not fill the memory. */
const MAX_WAITING = 10_000;

type Waiting<Item> = { item: Item; done: () => void; failed: (error: unknown) => void };

/**
 * Writes items of tenants that belong to no transaction. Items that arrive during a commit share the next one. Many
 * items therefore cost one commit per 200, and one connection per tenant.
 */
export class CommitGroup<Item> {
  readonly #db: Db;
  readonly #write: (tx: Tx, items: readonly Item[]) => Promise<void>;
  readonly #waiting = new Map<TenantId, Waiting<Item>[]>();
  readonly #busy = new Set<TenantId>();
  #count = 0;

  /** @param write stores items in the order of their arrival */
  constructor(db: Db, write: (tx: Tx, items: readonly Item[]) => Promise<void>) {
    this.#db = db;
    this.#write = write;
  }

  /** Resolves once the item is durable. */
  add(tenantId: TenantId, item: Item): Promise<void> {
    if (this.#count >= MAX_WAITING) return Promise.reject(new Error('commit_backlog_full'));
    return new Promise((done, failed) => {
      const queue = this.#waiting.get(tenantId) ?? [];
      queue.push({ item, done, failed });
      this.#waiting.set(tenantId, queue);
      this.#count++;
      if (!this.#busy.has(tenantId)) void this.#drain(tenantId);
    });
  }

  async #drain(tenantId: TenantId): Promise<void> {
    this.#busy.add(tenantId);
    let queue = this.#waiting.get(tenantId);
    while (queue !== undefined && queue.length > 0) {
      const group = queue.splice(0, GROUP_SIZE);
      this.#count -= group.length;
      try {
        await withTx(this.#db, { tenantId, mode: 'write' }, (tx) =>
          this.#write(
            tx,
            group.map((waiting) => waiting.item),
          ),
        );
        for (const waiting of group) waiting.done();
      } catch (error) {
        for (const waiting of group) waiting.failed(error);
      }
      queue = this.#waiting.get(tenantId);
    }
    this.#waiting.delete(tenantId);
    this.#busy.delete(tenantId);
  }
}
