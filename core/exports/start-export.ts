import type { AuditGroup } from '../audit/append.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';
import { claiming } from '../db/pool.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { EXPORT_MEDIA_TYPES, type ExportFormat } from './export-format.ts';

/** Exports under way in a process at once: each keeps the database busy for as long as its client takes. */
const MAX_EXPORTS = 4;
let underWay = 0;

/** Who exports, in which request, and what it needs of the process. */
export type ExportRequest = {
  runtime: { db: Db; clock: Clock; audit: AuditGroup; stopping: AbortSignal };
  principal: Principal;
  correlationId: string;
  now: number;
};

/** Runs a read in a transaction of its own, so that no connection is held while a client takes its time. */
export type Reading = <T>(read: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * The answer that streams an export: its beginning and its end are audited, and nothing happens before the body is asked
 * for. Throws `conflict` while as many are under way as there may be.
 * @param exported.filters names of the filters that were given; their values are nobody's business but the caller's
 * @param exported.details further details of the audit events
 */
export function startExport(
  { runtime, principal, correlationId, now }: ExportRequest,
  exported: {
    kind:
      | 'assets'
      | 'findings'
      | 'actions'
      | 'tasks'
      | 'audit'
      | 'decisions'
      | 'scans'
      | 'principals'
      | 'queue';
    format: ExportFormat;
    filters: readonly string[];
    details?: AuditEntry['details'];
  },
  text: (reading: Reading) => AsyncIterable<string>,
): { contentType: string; fileName: string; body: AsyncIterable<string> } {
  if (underWay >= MAX_EXPORTS)
    throw new ServiceError(
      'conflict',
      'Too many exports are under way. Try again when one of them has ended.',
    );
  const { kind, format, filters, details } = exported;
  const { tenantId, principalId } = principal;
  const audit = (type: string, at: number) => {
    const entry: AuditEntry = {
      category: 'evidence_access',
      type,
      target: { kind: 'export', id: kind },
      details: { ...details, format, filters: filters.length === 0 ? 'none' : [...filters].sort().join('.') },
    };
    return runtime.audit.append({ tenantId, principalId, correlationId, now: at }, entry);
  };
  const db = claiming(runtime.db, 'export');
  const reading: Reading = (read) => withTx(db, { tenantId, mode: 'read', signal: runtime.stopping }, read);
  async function* body(): AsyncGenerator<string> {
    underWay++;
    try {
      await audit('export_started', now);
      yield* text(reading);
      await audit('export_completed', runtime.clock());
    } finally {
      underWay--;
    }
  }
  return {
    contentType: `${EXPORT_MEDIA_TYPES[format]}; charset=utf-8`,
    fileName: `${kind}-${new Date(now).toISOString().slice(0, 10)}.${format}`,
    body: body(),
  };
}
