import { type Db, type Tx, withEngineTx, withSigningTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { checkpointDigest, checkpointRecord, signedStatement } from './checkpoint.ts';
import { insertCheckpoint, type SigningState, signingState, tenantsToSign } from './checkpoints.sql.ts';
import type { AuditSigner } from './signing-key.ts';

/** When checkpoints are signed unless a setting says otherwise: every 15 minutes. */
export const CHECKPOINT_SCHEDULE = '0 */15 * * * *';

export type SigningOptions = { signer: AuditSigner; clock: Clock; signal: AbortSignal };

export type SigningReport = {
  /** Number of stored checkpoints. */
  signed: number;
  /** Tenants whose chain differs from their newest checkpoint. Their heads are not signed. */
  notAsSigned: TenantId[];
};

/**
 * Signs the head of every tenant whose chain has grown since its newest checkpoint, or whose newest checkpoint was
 * signed with another key. Concurrent and repeated runs are safe. If one tenant fails, the others are still signed,
 * and an `AggregateError` is thrown at the end.
 */
export async function signCheckpoints(db: Db, options: SigningOptions): Promise<SigningReport> {
  const { signer, signal } = options;
  const tenants = await withEngineTx(db, (tx) => tenantsToSign(tx, signer.keyId), signal);
  const report: SigningReport = { signed: 0, notAsSigned: [] };
  const errors: unknown[] = [];
  for (const tenantId of tenants) {
    try {
      const outcome = await withSigningTx(db, { tenantId, signal }, (tx) => signHead(tx, options));
      if (outcome === 'not_as_signed') report.notAsSigned.push(tenantId);
      if (outcome === 'signed') report.signed++;
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Could not sign the checkpoints of some tenants');
  return report;
}

/** Signs the head of one tenant, if it is as it was signed and has moved. */
export async function signHead(
  tx: Tx,
  { signer, clock }: Pick<SigningOptions, 'signer' | 'clock'>,
): Promise<'signed' | 'not_as_signed' | 'nothing_to_sign'> {
  const state = await signingState(tx);
  if (state === null) return 'nothing_to_sign';
  const { head, last } = state;
  if (last !== null && !isAsSigned(last, head.seq, tx.tenantId)) return 'not_as_signed';
  // Another process has signed it in the meantime.
  if (last?.seq === head.seq && signedStatement(last)?.keyId === signer.keyId) return 'nothing_to_sign';
  const number = (last?.number ?? 0) + 1;
  const record = checkpointRecord({
    at: new Date(clock()).toISOString(),
    hash: head.hash,
    keyId: signer.keyId,
    number,
    previous: last === null ? null : checkpointDigest(last),
    seq: head.seq,
    tenantId: tx.tenantId,
  });
  const signed = { number, record, publicKey: signer.publicKey, signature: signer.sign(record) };
  // If another process was faster, its checkpoint serves as well.
  return (await insertCheckpoint(tx, signed)) === 1 ? 'signed' : 'nothing_to_sign';
}

/** Whether the newest checkpoint has a valid signature, and the chain still holds the event that it signs. */
export function isAsSigned(
  last: NonNullable<SigningState['last']>,
  headSeq: number,
  tenantId: TenantId,
): boolean {
  const statement = signedStatement(last);
  return (
    statement !== null &&
    statement.tenantId === tenantId &&
    statement.seq <= headSeq &&
    statement.hash === last.hashNow
  );
}
