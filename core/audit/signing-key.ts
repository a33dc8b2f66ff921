import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** Thrown for a text that holds no Ed25519 key. The message contains nothing of it. */
export class NotEd25519Key extends Error {
  constructor() {
    super('Not an Ed25519 key');
    this.name = 'NotEd25519Key';
  }
}

/** Signs checkpoints. */
export type AuditSigner = {
  keyId: string;
  /** `x` of the public key's JWK, base64url. */
  publicKey: string;
  /** Ed25519 over the UTF-8 bytes of a text, base64url. */
  sign(text: string): string;
};

/** RFC 7638: SHA-256 of the canonical JWK of an Ed25519 public key, base64url. `x` is its base64url member. */
export const keyIdOf = (x: string): string =>
  hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');

/** `x` of the JWK of an Ed25519 key, public or private. Throws `NotEd25519Key` for other keys. */
function ed25519Member(key: KeyObject): string {
  const { x } = key.asymmetricKeyType === 'ed25519' ? key.export({ format: 'jwk' }) : {};
  if (x === undefined) throw new NotEd25519Key();
  return x;
}

/** PEM armour, white space, and line ends written as `\n` in an environment variable. */
const ARMOUR = /-----(?:BEGIN|END) (?:PRIVATE|PUBLIC) KEY-----|\\n|\s/g;
const derOf = (text: string) => Buffer.from(text.replace(ARMOUR, ''), 'base64');

/**
 * The signer of an Ed25519 private key, given as PKCS #8 in PEM or as Base64 of its DER on one line. Throws
 * `NotEd25519Key`.
 */
export function auditSigner(text: string): AuditSigner {
  const key = orNotKey(() => createPrivateKey({ key: derOf(text), format: 'der', type: 'pkcs8' }));
  const publicKey = ed25519Member(createPublicKey(key));
  return {
    keyId: keyIdOf(publicKey),
    publicKey,
    sign: (record) => sign(null, Buffer.from(record), key).toString('base64url'),
  };
}

/** The id of an Ed25519 public key, given as SPKI in PEM or as Base64 of its DER. Throws `NotEd25519Key`. */
export const publicKeyIdOf = (text: string): string =>
  keyIdOf(ed25519Member(orNotKey(() => createPublicKey({ key: derOf(text), format: 'der', type: 'spki' }))));

function orNotKey(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw new NotEd25519Key();
  }
}

/** Whether checkpoints are signed, and with which signer. */
export type Signing =
  | { state: 'configured'; signer: AuditSigner }
  | { state: 'not_configured' | 'key_unusable'; signer: null };

export const SIGNING_STATES = [
  'configured',
  'not_configured',
  'key_unusable',
] as const satisfies readonly Signing['state'][];

/** The signing state of a configured secret. `secret` is null if none is configured. */
export function signingWith(secret: string | null): Signing {
  if (secret === null) return { state: 'not_configured', signer: null };
  try {
    return { state: 'configured', signer: auditSigner(secret) };
  } catch (error) {
    if (!(error instanceof NotEd25519Key)) throw error;
    return { state: 'key_unusable', signer: null };
  }
}
