/** The DER object identifiers of enveloped data (RFC 5652, 6.1) and authenticated-enveloped data (RFC 5083). */
const ENVELOPES = ['06092a864886f70d010703', '060b2a864886f70d0109100117'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
/** They directly follow the length of the outermost sequence. */
const SEQUENCE = 0x30;
const ENVELOPE_WITHIN = 32;

/** Whether an attachment is an encrypted message: S/MIME (RFC 8551), whatever its declared type, or OpenPGP (RFC 3156). */
export function isSealedMessage(mimeType: string | null, bytes: Uint8Array): boolean {
  if (mimeType === 'application/pgp-encrypted') return true;
  const head = Buffer.from(bytes.subarray(0, ENVELOPE_WITHIN));
  return head[0] === SEQUENCE && ENVELOPES.some((identifier) => head.includes(identifier));
}
