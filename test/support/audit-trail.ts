import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { checkpointDigest, checkpointRecord, type SignedCheckpoint } from '../../core/audit/checkpoint.ts';
import { type AuditEntry, auditText } from '../../core/audit/event.ts';
import { type AuditExportSource, auditNdjson } from '../../core/audit/export.ts';
import { type AuditSigner, auditSigner } from '../../core/audit/signing-key.ts';
import { GENESIS_HASH, type StoredEvent } from '../../core/audit/verify.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';

/** A new key pair: the private key for the deployment and the public key for the auditor. */
export function newAuditKey(): { privateKey: string; publicKey: string; signer: AuditSigner } {
  const pair = generateKeyPairSync('ed25519');
  const pem = (key: KeyObject, type: 'pkcs8' | 'spki') => key.export({ format: 'pem', type }).toString();
  const privateKey = pem(pair.privateKey, 'pkcs8');
  return { privateKey, publicKey: pem(pair.publicKey, 'spki'), signer: auditSigner(privateKey) };
}

const entryOf = (n: number): AuditEntry => ({
  category: n % 2 === 0 ? 'review' : 'config',
  type: 'thing_done',
  ...(n % 3 !== 0 && { target: { kind: 'thing', id: `thing_${n}` } }),
  details: { n, half: n / 2, word: 'plain', none: null },
});

/** A chain of `count` events, as the database creates it. Another `salt` gives a different chain of the same form. */
export function eventChain(tenantId: TenantId, count: number, salt = 0): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let seq = 1; seq <= count; seq++) {
    const prev = events.at(-1)?.hash ?? GENESIS_HASH;
    const source = {
      tenantId,
      principalId: 'pri_1' as PrincipalId,
      correlationId: `cor-${seq}`,
      now: 1_700_000_000_000 + seq + salt,
    };
    const record = `{"chain":{"prev":"${prev}","seq":${seq}},"event":${auditText(source, entryOf(seq))}}`;
    events.push({ tenantId, seq, record, hash: hash('sha256', record) });
  }
  return events;
}

export type Signed = SignedCheckpoint & { number: number; seq: number };

/** Checkpoints of the events with these sequence numbers, in order. */
export function checkpointsOf(
  events: readonly StoredEvent[],
  places: readonly number[],
  signer: AuditSigner | ((number: number) => AuditSigner),
): Signed[] {
  const checkpoints: Signed[] = [];
  for (const seq of places) {
    const event = events[seq - 1];
    if (event === undefined) throw new RangeError('No such event');
    const number = checkpoints.length + 1;
    const { keyId, publicKey, sign } = typeof signer === 'function' ? signer(number) : signer;
    const last = checkpoints.at(-1);
    const record = checkpointRecord({
      at: new Date(1_700_000_000_000 + seq * 1_000).toISOString(),
      hash: event.hash,
      keyId,
      number,
      previous: last === undefined ? null : checkpointDigest(last),
      seq,
      tenantId: event.tenantId,
    });
    checkpoints.push({ record, publicKey, signature: sign(record), number, seq });
  }
  return checkpoints;
}

/** The input of an export, in pages of three events. */
export function exportSource(
  tenantId: TenantId,
  events: readonly StoredEvent[],
  checkpoints: readonly Signed[],
): AuditExportSource {
  const last = events.at(-1);
  return {
    tenantId,
    head: { seq: last?.seq ?? 0, hash: last?.hash ?? GENESIS_HASH },
    checkpoints: checkpoints.length,
    readPage: async (afterSeq) => events.filter(({ seq }) => seq > afterSeq).slice(0, 3),
    readCheckpoints: async (afterNumber) =>
      checkpoints.filter(({ number }) => number > afterNumber).slice(0, 3),
  };
}

export async function exportText(source: AuditExportSource): Promise<string> {
  let text = '';
  for await (const piece of auditNdjson(source)) text += piece;
  return text;
}

/** A file as a stream of chunks that end anywhere. */
export async function* chunked(file: string | Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(file);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
