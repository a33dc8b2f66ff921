import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { checkpointDigest, checkpointRecord, type SignedCheckpoint } from '../../core/audit/checkpoint.ts';
import { type AuditEntry, auditText } from '../../core/audit/event.ts';
import { type AuditExportSource, auditNdjson } from '../../core/audit/export.ts';
import { type AuditSigner, auditSigner } from '../../core/audit/signing-key.ts';
import { GENESIS_HASH, type StoredEvent } from '../../core/audit/verify.ts';
import type { ExportFile } from '../../core/audit/verify-export.ts';
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

/** The input of an export, in pages of three events. It begins after the checkpoint `after`, if one is given. */
export function exportSource(
  tenantId: TenantId,
  events: readonly StoredEvent[],
  checkpoints: readonly Signed[],
  after: Signed | null = null,
): AuditExportSource {
  const last = events.at(-1);
  return {
    tenantId,
    after,
    head: { seq: last?.seq ?? 0, hash: last?.hash ?? GENESIS_HASH },
    checkpoints: checkpoints.length - (after?.number ?? 0),
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

/** A file of an export that is read in chunks that end anywhere. */
export const exportFile = (text: string | Uint8Array, name = 'file', size = 64 * 1024): ExportFile => ({
  name,
  async *open() {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  },
});

/** The text of the trail in files that end with the checkpoints of these numbers, and a last one with the rest. */
export const segmentTexts = (
  tenantId: TenantId,
  events: readonly StoredEvent[],
  checkpoints: readonly Signed[],
  numbers: readonly number[],
): Promise<string[]> =>
  Promise.all(
    [...numbers, null].map((number, place) => {
      const after = checkpoints[(numbers[place - 1] ?? 0) - 1] ?? null;
      if (number === null) return exportText(exportSource(tenantId, events, checkpoints, after));
      const signed = checkpoints.slice(0, number);
      const last = signed.at(-1)?.seq ?? 0;
      return exportText(exportSource(tenantId, events.slice(0, last), signed, after));
    }),
  );
