import { type Db, type Tx, withTx } from '../db/tx.ts';
import { appendAudit } from './append.sql.ts';
import { type AuditEntry, type AuditSource, auditText } from './event.ts';

/** Runs `fn` in a write transaction and commits it together with the events that `fn` adds to its list. */
export const withAuditedTx = <T>(
  db: Db,
  source: AuditSource,
  fn: (tx: Tx, events: AuditEntry[]) => Promise<T>,
): Promise<T> =>
  withTx(db, { tenantId: source.tenantId, mode: 'write' }, async (tx) => {
    const events: AuditEntry[] = [];
    const value = await fn(tx, events);
    await appendAudit(
      tx,
      events.map((entry) => auditText(source, entry)),
    );
    return value;
  });
