import { createPublicKey, hash, verify } from 'node:crypto';
import { keyIdOf } from './signing-key.ts';

/** The statement of a checkpoint: where the chain of this tenant ended at this time. */
export type Checkpoint = {
  /** ISO 8601, UTC. */
  at: string;
  /** Hash of the event at `seq`, in hex. */
  hash: string;
  /** RFC 7638 thumbprint of the public key. */
  keyId: string;
  /** Position among the checkpoints of the tenant, from 1. */
  number: number;
  /** SHA-256 of the record of the previous checkpoint, in hex. Null for the first. */
  previous: string | null;
  /** Position of the event in the chain, from 1. */
  seq: number;
  tenantId: string;
};

/** A checkpoint as it is stored, exported and shown. */
export type SignedCheckpoint = {
  /** The signed text, in RFC 8785 form. */
  record: string;
  /** The Ed25519 public key: `x` of its JWK, base64url. */
  publicKey: string;
  /** Ed25519 (RFC 8032) over the UTF-8 bytes of `record`, base64url. */
  signature: string;
};

const HASH = '[0-9a-f]{64}';
const COUNT = '[1-9][0-9]{0,14}';
const KEY = '[A-Za-z0-9_-]{43}';
/** Only one form is accepted, so that each statement has exactly one text. */
const RECORD = new RegExp(
  [
    String.raw`^\{"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","hash":"${HASH}","keyId":"${KEY}",`,
    `"number":${COUNT},"previous":(?:null|"${HASH}"),"seq":${COUNT},`,
    String.raw`"tenantId":"[A-Za-z0-9_-]{1,64}","type":"audit_checkpoint"\}$`,
  ].join(''),
);

/** The text that is signed. Its `type` keeps the signature from being used for another kind of text. */
export const checkpointRecord = ({ at, hash, keyId, number, previous, seq, tenantId }: Checkpoint): string =>
  JSON.stringify({ at, hash, keyId, number, previous, seq, tenantId, type: 'audit_checkpoint' });

/** The digest by which the next checkpoint refers to this one. */
export const checkpointDigest = ({ record }: SignedCheckpoint): string => hash('sha256', record);

/**
 * The statement of a checkpoint if it is signed by the key that it names, otherwise null. The caller decides whether
 * to trust the key.
 */
export function signedStatement({ record, publicKey, signature }: SignedCheckpoint): Checkpoint | null {
  if (!RECORD.test(record)) return null;
  const statement = JSON.parse(record) as Checkpoint;
  if (keyIdOf(publicKey) !== statement.keyId) return null;
  const bytes = Buffer.from(signature, 'base64url');
  // Base64url has spare bits, so two texts can decode to the same bytes. Only the canonical one is accepted.
  if (bytes.toString('base64url') !== signature) return null;
  try {
    if (new Date(statement.at).toISOString() !== statement.at) return null;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(record), key, bytes) ? statement : null;
  } catch {
    return null;
  }
}

/** A checkpoint with the members of its record, for reading. Only the record is signed. */
export function shownCheckpoint({ record, publicKey, signature }: SignedCheckpoint) {
  const { number, seq, hash, at, keyId } = JSON.parse(record) as Checkpoint;
  return { number, seq, hash, at, keyId, record, publicKey, signature };
}
