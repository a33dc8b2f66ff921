import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AuditCategory, AuditDetail } from './event.ts';
import type { ChainHead, StoredEvent } from './verify.ts';

/** An event as the API shows it, with its position in the chain. */
export type AuditEvent = {
  seq: number;
  hash: string;
  previousHash: string;
  at: string;
  category: AuditCategory;
  type: string;
  principalId: string | null;
  correlationId: string;
  target: { kind: string; id: string } | null;
  details: Record<string, AuditDetail>;
  policyDecision: string | null;
};

type StoredRecord = {
  chain: { prev: string; seq: number };
  event: Omit<AuditEvent, 'seq' | 'hash' | 'previousHash'>;
};

/** Parses a stored event. */
export function shownEvent({ record, hash }: Pick<StoredEvent, 'record' | 'hash'>): AuditEvent {
  const { chain, event } = JSON.parse(record) as StoredRecord;
  return { ...event, seq: chain.seq, hash, previousHash: chain.prev };
}

/** The tenant's events after a sequence number, in order; at most `limit`. */
export async function chainPage(tx: Tx, afterSeq: number, limit: number): Promise<StoredEvent[]> {
  const rows = await tx.query<Omit<StoredEvent, 'tenantId'>>(sql`
    select seq, record, hash from audit_events
     where tenant_id = ${tx.tenantId} and seq > ${afterSeq}
     order by seq limit ${limit}`);
  // All rows belong to this tenant. Selecting the constant column would make a verification a tenth slower.
  return rows.map(({ seq, record, hash }) => ({ tenantId: tx.tenantId, seq, record, hash }));
}

/** The recorded end of the chain. Null for a tenant without events. */
export async function recordedHead(tx: Tx): Promise<ChainHead | null> {
  const [row] = await tx.query<ChainHead>(sql`
    select seq, hash from audit_heads where tenant_id = ${tx.tenantId}`);
  return row ?? null;
}
