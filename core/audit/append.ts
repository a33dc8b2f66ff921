import { sql } from '../db/sql.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type AuditEntry, type AuditSource, auditText } from './event.ts';

/**
 * Appends events to the tenant's chain in the transaction of the change. Call it last: it holds the tenant's head
 * until the commit.
 */
export async function appendAudit(tx: Tx, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  await tx.query(sql`select audit_append(${texts}::text[])`);
}

/** Events of one commit, at most. */
const GROUP_SIZE = 200;
/** Events that may wait; past it the caller is refused rather than the memory filled. */
const WAITING_MAX = 10_000;

type Waiting = { text: string; done: () => void; failed: (error: unknown) => void };

/**
 * Appends events that belong to no change (denials, reads). All that arrive while a commit is under way share the
 * next one, so a flood of denials costs a commit per 200. `append` resolves once the event is durable.
 */
export class AuditGroup {
  readonly #db: Db;
  readonly #waiting = new Map<TenantId, Waiting[]>();
  readonly #busy = new Set<TenantId>();
  #count = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  append(source: AuditSource, entry: AuditEntry): Promise<void> {
    if (this.#count >= WAITING_MAX) return Promise.reject(new Error('audit_backlog_full'));
    const text = auditText(source, entry);
    return new Promise((done, failed) => {
      const queue = this.#waiting.get(source.tenantId) ?? [];
      queue.push({ text, done, failed });
      this.#waiting.set(source.tenantId, queue);
      this.#count++;
      if (!this.#busy.has(source.tenantId)) void this.#drain(source.tenantId);
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
          appendAudit(
            tx,
            group.map((waiting) => waiting.text),
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
