import type { Tx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { appendAudit } from './append.sql.ts';
import { checkpointDigest, signedStatement } from './checkpoint.ts';
import { checkpointsAfter, type StoredCheckpoint } from './checkpoints.sql.ts';
import { auditText } from './event.ts';
import { chainPage, recordedHead } from './read.sql.ts';
import {
  actAs,
  type Held,
  hashOfEvent,
  lockTrail,
  type SetAside,
  setAside,
  setHead,
} from './set-aside.sql.ts';
import { signHead } from './sign-checkpoints.ts';
import type { AuditSigner } from './signing-key.ts';
import { auditTrail, isCheckpoint } from './trail.ts';
import { type BreakReason, checkEvent, emptyChain } from './verify.ts';

const PAGE = 1_000;

export type Examined = Held & {
  /** All that are stored. */
  events: number;
  checkpoints: number;
  /** The first thing that does not hold. Null if all does. */
  reason: BreakReason | null;
};

/**
 * How far a trail holds. Forged checkpoints prove nothing about events. A checkpoint that is signed by a trusted key and
 * contradicts the events proves that they were rewritten: then only those up to the last checkpoint that fits hold.
 * @param trustedKeys ids of keys of the deployment
 */
export async function examineTrail(tx: Tx, trustedKeys: ReadonlySet<string>): Promise<Examined> {
  const chain = emptyChain();
  const keys = new Set(trustedKeys);
  let signed: Held = { head: { ...chain.head }, checkpoint: null };
  let isRewritten = false;
  let chainReason: BreakReason | null = null;
  let reason: BreakReason | null = null;
  const trail = auditTrail({
    after: null,
    readPage: (afterSeq) => chainPage(tx, afterSeq, PAGE),
    readCheckpoints: (afterNumber) => checkpointsAfter(tx, afterNumber, PAGE),
  });
  let signsBroken = false;
  let events = 0;
  let checkpoints = 0;
  for await (const items of trail) {
    for (const item of items) {
      if (!isCheckpoint(item)) {
        events++;
        chainReason ??= checkEvent(chain, tx.tenantId, item);
        reason ??= chainReason;
        continue;
      }
      checkpoints++;
      const found = await examineCheckpoint(tx, item, signed, keys);
      signsBroken ||= found.reason !== null || chainReason !== null;
      if (!signsBroken) signed = { head: found.head, checkpoint: item };
      isRewritten ||= found.contradicts;
      reason ??= found.reason;
    }
  }
  const head = await recordedHead(tx);
  const isAsRecorded =
    (head?.seq ?? 0) === chain.head.seq && (head?.hash ?? chain.head.hash) === chain.head.hash;
  return {
    head: isRewritten ? signed.head : chain.head,
    checkpoint: signed.checkpoint,
    events,
    checkpoints,
    reason: reason ?? (isAsRecorded ? null : 'head_mismatch'),
  };
}

async function examineCheckpoint(
  tx: Tx,
  item: StoredCheckpoint,
  { checkpoint: last }: Held,
  keys: Set<string>,
) {
  const signed = signedStatement(item);
  const statement = signed?.tenantId === tx.tenantId ? signed : null;
  const head = { seq: statement?.seq ?? 0, hash: statement?.hash ?? '' };
  if (statement === null) return { reason: 'checkpoint_forged' as const, contradicts: false, head };
  const hashNow = await hashOfEvent(tx, statement.seq);
  const isLinked =
    statement.number === (last?.number ?? 0) + 1 &&
    statement.previous === (last === null ? null : checkpointDigest(last));
  if (hashNow !== statement.hash) {
    const reason: BreakReason = hashNow === null ? 'tail_cut' : 'checkpoint_mismatch';
    return { reason, contradicts: keys.has(statement.keyId), head };
  }
  if (!isLinked) return { reason: 'checkpoint_gap' as const, contradicts: false, head };
  keys.add(statement.keyId);
  return { reason: null, contradicts: false, head };
}

export type Resumed = Examined & { setAside: SetAside };

/**
 * Continues a broken trail from where it holds. What follows is set aside. An event says so, and a checkpoint signs it.
 * Returns null if everything holds. In a transaction of the login that owns the schema.
 */
export async function resumeTrail(
  tx: Tx,
  { signer, trustedKeys, clock }: { signer: AuditSigner; trustedKeys: ReadonlySet<string>; clock: Clock },
): Promise<Resumed | null> {
  await actAs(tx, 'svc_audit');
  await lockTrail(tx);
  await actAs(tx, 'svc_app');
  const examined = await examineTrail(tx, trustedKeys);
  if (examined.reason === null) return null;
  await actAs(tx, 'owner');
  const aside = await setAside(tx, examined, clock());
  await actAs(tx, 'svc_audit');
  await setHead(tx, examined.head);
  await actAs(tx, 'svc_provision');
  const source = {
    tenantId: tx.tenantId,
    principalId: null,
    correlationId: newId('cor', clock()),
    now: clock(),
  };
  const details = {
    reason: examined.reason,
    heldEvents: examined.head.seq,
    heldCheckpoints: examined.checkpoint?.number ?? 0,
    eventsSetAside: aside.events,
    checkpointsSetAside: aside.checkpoints,
    setAsideDigest: aside.digest,
  };
  const target = { kind: 'tenant', id: tx.tenantId };
  await appendAudit(tx, [
    auditText(source, { category: 'config', type: 'audit_trail_resumed', target, details }),
  ]);
  await actAs(tx, 'svc_signer');
  const outcome = await signHead(tx, { signer, clock });
  if (outcome !== 'signed') throw new Error('The resumed trail could not be signed');
  return { ...examined, setAside: aside };
}
