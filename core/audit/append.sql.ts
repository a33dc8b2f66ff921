import { CommitGroup } from '../db/commit-group.ts';
import { sql } from '../db/sql.ts';
import type { Db, Tx } from '../db/tx.ts';
import { type AuditEntry, type AuditSource, auditText } from './event.ts';

/**
 * Appends events to the tenant's chain in the transaction of the change. Call it last, because it locks the tenant's
 * head until the commit.
 */
export async function appendAudit(tx: Tx, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  await tx.query(sql`select audit_append(${texts}::text[])`);
}

/** Appends events that belong to no change, such as denials and reads, in groups. */
export class AuditGroup {
  readonly #group: CommitGroup<string>;

  constructor(db: Db) {
    this.#group = new CommitGroup(db, appendAudit);
  }

  /** Resolves once the event is durable. */
  append(source: AuditSource, entry: AuditEntry): Promise<void> {
    return this.#group.add(source.tenantId, auditText(source, entry));
  }
}
