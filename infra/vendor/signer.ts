import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { CompactSign } from 'jose';
import { keyIdOf } from '../../core/audit/signing-key.ts';
import { DEVELOPMENT_KEY_ID, ENTITLEMENT_TYPE, type TrustedKey } from '../../core/licensing/entitlement.ts';
import { type SignedTerms, termsIn } from '../../core/licensing/terms.ts';
import type { VendorKey } from '../../core/licensing/vendor-keys.ts';

/** What signs entitlements, and the key that verifies them. */
export type Signer = TrustedKey & { signingKey: KeyObject };

/** An Ed25519 pair: the private key as encrypted PKCS #8 in PEM, the public one as a release ships it. */
export function newKeyPair(passphrase: string): { pem: string; shipped: VendorKey } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
    .toString();
  return { pem, shipped: shippedKey(privateKey) };
}

function shippedKey(privateKey: KeyObject): VendorKey {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (privateKey.asymmetricKeyType !== 'ed25519' || x === undefined)
    throw new TypeError('Not an Ed25519 key');
  return { kid: keyIdOf(x), x };
}

/** The signer of a private key in PEM. Throws where the key is of another kind or the passphrase is wrong. */
export function signerOfPem(pem: string, passphrase: string): Signer {
  const signingKey = createPrivateKey({ key: pem, passphrase });
  const { kid } = shippedKey(signingKey);
  return { kid, algorithm: 'EdDSA', key: createPublicKey(signingKey), signingKey };
}

/** The signer of the shared secret of development. */
export function signerOfSecret(secret: string): Signer {
  const key = createSecretKey(Buffer.from(secret));
  return { kid: DEVELOPMENT_KEY_ID, algorithm: 'HS256', key, signingKey: key };
}

/** A compact JWS. Throws `TypeError` for terms that no deployment would read. */
export function signEntitlement(terms: SignedTerms, { kid, algorithm, signingKey }: Signer): Promise<string> {
  if (termsIn(terms) === null) throw new TypeError('Not the terms of an entitlement');
  return new CompactSign(Buffer.from(JSON.stringify(terms)))
    .setProtectedHeader({ alg: algorithm, kid, typ: ENTITLEMENT_TYPE })
    .sign(signingKey);
}
