import { type Db, type Tx, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { checkpointDigest, checkpointRecord, signedStatement } from './checkpoint.ts';
import { insertCheckpoint, type SigningState, signingState, tenantsToSign } from './checkpoints.sql.ts';
import type { AuditSigner } from './signing-key.ts';

export type SigningOptions = { signer: AuditSigner; clock: Clock; signal: AbortSignal };

export type SigningReport = {
  /** Checkpoints that were stored. */
  signed: number;
  /** Tenants whose chain is not what their newest checkpoint says: nothing is signed on top of that. */
  notAsSigned: TenantId[];
};

/**
 * Signs the head of every tenant whose chain moved since its newest checkpoint, or whose newest checkpoint is of another key.
 * May run anywhere, at any time, also twice at once. A tenant that cannot be signed keeps no other waiting; its error
 * is thrown at the end.
 */
export async function signCheckpoints(db: Db, options: SigningOptions): Promise<SigningReport> {
  const { signer, signal } = options;
  const tenants = await withEngineTx(db, (tx) => tenantsToSign(tx, signer.keyId), signal);
  const report: SigningReport = { signed: 0, notAsSigned: [] };
  const errors: unknown[] = [];
  for (const tenantId of tenants) {
    try {
      const outcome = await withTx(db, { tenantId, mode: 'write', signal }, (tx) => signHead(tx, options));
      if (outcome === 'not_as_signed') report.notAsSigned.push(tenantId);
      if (outcome === 'signed') report.signed++;
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Checkpoints of some tenants were not signed');
  return report;
}

async function signHead(
  tx: Tx,
  { signer, clock }: SigningOptions,
): Promise<'signed' | 'not_as_signed' | 'nothing_to_sign'> {
  const state = await signingState(tx);
  if (state === null) return 'nothing_to_sign';
  const { head, last } = state;
  if (last !== null && !isAsSigned(last, head.seq, tx.tenantId)) return 'not_as_signed';
  // Another process has signed it since this one looked for what there is to sign.
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
  // Where another process came first, its checkpoint is as good.
  return (await insertCheckpoint(tx, signed)) === 1 ? 'signed' : 'nothing_to_sign';
}

function isAsSigned(last: NonNullable<SigningState['last']>, headSeq: number, tenantId: TenantId): boolean {
  const statement = signedStatement(last);
  return (
    statement !== null &&
    statement.tenantId === tenantId &&
    statement.seq <= headSeq &&
    statement.hash === last.hashNow
  );
}
