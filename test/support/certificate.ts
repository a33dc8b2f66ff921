import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const DAY_MS = 24 * 60 * 60 * 1000;

/** DER (ITU-T X.690): a tag, the length, and the parts. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, body]);
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const time = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** Object identifiers in their encoded form. */
const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
const ALTERNATIVE_NAMES = der(0x06, Buffer.from('551d11', 'hex'));
const BASIC_CONSTRAINTS = der(0x06, Buffer.from('551d13', 'hex'));
const TRUE = der(0x01, Buffer.from([0xff]));

/**
 * A self-signed certificate for this machine (127.0.0.1 and `localhost`), with its key, as PEM. Node makes keys and
 * signatures, and no certificates.
 * @param days until it ends; it began a year before that, so a negative number gives one that has expired
 */
export function selfSigned(days: number): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const end = Date.now() + days * DAY_MS;
  const name = sequence(
    der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(`test ${randomBytes(4).toString('hex')}`)))),
  );
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
    sequence(
      ALTERNATIVE_NAMES,
      der(0x04, sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))),
    ),
  );
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(end - 365 * DAY_MS), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const lines = sequence(toBeSigned, ECDSA_WITH_SHA256, signature)
    .toString('base64')
    .replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
