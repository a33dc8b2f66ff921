import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { recordedHead } from './read.sql.ts';
import type { ChainHead } from './verify.ts';

/** A checkpoint and its position among those of the tenant. */
export type StoredCheckpoint = SignedCheckpoint & {
  number: number;
  /** Position in the chain of the event that it signs. */
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

/** The tenant's newest checkpoint that was signed before a time (ISO 8601, UTC, with milliseconds), if there is one. */
export async function newestSignedBefore(tx: Tx, time: string): Promise<StoredCheckpoint | undefined> {
  // Texts of this form are ordered as the times are.
  const [newest] = await tx.query<StoredCheckpoint>(sql`
    select ${COLUMNS} from audit_checkpoints
     where tenant_id = ${tx.tenantId} and (record::jsonb ->> 'at') collate "C" < ${time}
     order by number desc limit 1`);
  return newest;
}

/** Stores a checkpoint. Returns 0 if another process has stored one with the same number. */
export const insertCheckpoint = (
  tx: Tx,
  { number, record, publicKey, signature }: Omit<StoredCheckpoint, 'seq'>,
): Promise<number> =>
  tx.execute(sql`
    insert into audit_checkpoints (tenant_id, number, record, public_key, signature)
    values (${tx.tenantId}, ${number}, ${record}, ${publicKey}, ${signature})
    on conflict (tenant_id, number) do nothing`);

/** The end of the chain, and the newest checkpoint to compare it with. */
export type SigningState = {
  head: ChainHead;
  last: (StoredCheckpoint & { hashNow: string | null }) | null;
};

/**
 * The data for the tenant's next checkpoint. Null if the tenant has no events. `hashNow` is the present hash of the
 * event that was signed last, or null if the event no longer exists.
 */
export async function signingState(tx: Tx): Promise<SigningState | null> {
  // The head is read last. It only moves forward, so it cannot be older than a checkpoint that another process has
  // just stored.
  const [last] = await newestCheckpoints(tx, 1);
  const head = await recordedHead(tx);
  if (head === null || head.seq === 0) return null;
  if (last === undefined) return { head, last: null };
  const [event] = await tx.query<{ hash: string }>(sql`
    select hash from audit_events where tenant_id = ${tx.tenantId} and seq = ${last.seq}`);
  return { head, last: { ...last, hashNow: event?.hash ?? null } };
}

/** Tenants whose newest checkpoint does not sign their head, or was signed with another key. */
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
