import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { recordedHead } from './read.sql.ts';
import type { ChainHead } from './verify.ts';

/** A checkpoint and its place among those of the tenant. */
export type StoredCheckpoint = SignedCheckpoint & {
  number: number;
  /** Place in the chain of the event that it signs. */
  seq: number;
};

const COLUMNS = sql`number, seq, record, public_key as "publicKey", signature`;

/** The tenant's checkpoints after a number, in order, at most `limit`. */
export const checkpointsAfter = (tx: Tx, afterNumber: number, limit: number): Promise<StoredCheckpoint[]> =>
  tx.query(sql`
    select ${COLUMNS} from audit_checkpoints
     where tenant_id = ${tx.tenantId} and number > ${afterNumber} order by number limit ${limit}`);

/** The tenant's checkpoints, newest first, at most `limit`. */
export const newestCheckpoints = (tx: Tx, limit: number): Promise<StoredCheckpoint[]> =>
  tx.query(sql`
    select ${COLUMNS} from audit_checkpoints
     where tenant_id = ${tx.tenantId} order by number desc limit ${limit}`);

/** Stores a checkpoint; 0 when another process has stored one of that number. */
export const insertCheckpoint = (
  tx: Tx,
  { number, record, publicKey, signature }: Omit<StoredCheckpoint, 'seq'>,
): Promise<number> =>
  tx.execute(sql`
    insert into audit_checkpoints (tenant_id, number, record, public_key, signature)
    values (${tx.tenantId}, ${number}, ${record}, ${publicKey}, ${signature})
    on conflict (tenant_id, number) do nothing`);

/** Where the chain ends, and what the newest checkpoint is to agree with. */
export type SigningState = {
  head: ChainHead;
  last: (StoredCheckpoint & { hashNow: string | null }) | null;
};

/**
 * What the next checkpoint of the tenant is made from; null for a tenant without events. `hashNow` is the hash that the event
 * signed last has now, null where it is gone.
 */
export async function signingState(tx: Tx): Promise<SigningState | null> {
  // The head is read last: it only moves on, so that it is never before a checkpoint which another process has just stored.
  const [last] = await newestCheckpoints(tx, 1);
  const head = await recordedHead(tx);
  if (head === null || head.seq === 0) return null;
  if (last === undefined) return { head, last: null };
  const [event] = await tx.query<{ hash: string }>(sql`
    select hash from audit_events where tenant_id = ${tx.tenantId} and seq = ${last.seq}`);
  return { head, last: { ...last, hashNow: event?.hash ?? null } };
}

/** Tenants whose newest checkpoint is not of their head, or of another key. */
export async function tenantsToSign(tx: EngineTx, keyId: string): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select h.tenant_id as "tenantId" from audit_heads h
      left join lateral (
        select seq, key_id from audit_checkpoints c
         where c.tenant_id = h.tenant_id order by c.number desc limit 1) last on true
     where h.seq > 0 and (last.seq is distinct from h.seq or last.key_id <> ${keyId})
     order by h.tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}
