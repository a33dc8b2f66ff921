import { signedStatement } from '../../audit/checkpoint.ts';
import { signingState } from '../../audit/checkpoints.sql.ts';
import { isAsSigned } from '../../audit/sign-checkpoints.ts';
import { sql } from '../../db/sql.ts';
import { type Db, type Tx, withEngineTx, withTx } from '../../db/tx.ts';
import type { TenantId } from '../../kernel/ids.ts';

/** The chain of a tenant beside its newest checkpoint. */
export type TrailState = {
  hasCheckpoint: boolean;
  /** Whether the checkpoint is valid, and the chain is as it was signed. */
  isAsSigned: boolean;
  /** The time of the first event that no checkpoint signs, in milliseconds; null if there is none. */
  unsignedSince: number | null;
};

/** Tenants with events, at most `limit`. */
export async function tenantsWithTrail(db: Db, limit: number): Promise<TenantId[]> {
  const rows = await withEngineTx(db, (tx) =>
    tx.query<{ tenantId: TenantId }>(
      sql`select tenant_id as "tenantId" from audit_heads where seq > 0 order by 1 limit ${limit}`,
    ),
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Null if the tenant has no events. */
export const readTrailState = (db: Db, tenantId: TenantId, signal: AbortSignal): Promise<TrailState | null> =>
  withTx(db, { tenantId, mode: 'read', signal }, async (tx) => {
    const state = await signingState(tx);
    if (state === null) return null;
    const { head, last } = state;
    return {
      hasCheckpoint: last !== null,
      isAsSigned: last === null || isAsSigned(last, head.seq, tenantId),
      unsignedSince: await timeOfEvent(
        tx,
        (last === null ? 0 : (signedStatement(last)?.seq ?? last.seq)) + 1,
      ),
    };
  });

async function timeOfEvent(tx: Tx, seq: number): Promise<number | null> {
  const [event] = await tx.query<{ at: string }>(sql`
    select record::jsonb #>> '{event,at}' as at from audit_events where tenant_id = ${tx.tenantId} and seq = ${seq}`);
  return event === undefined ? null : Date.parse(event.at);
}
