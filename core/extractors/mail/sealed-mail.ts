/** The DER object identifiers of enveloped data (RFC 5652, 6.1) and authenticated-enveloped data (RFC 5083). */
const ENVELOPES = ['06092a864886f70d010703', '060b2a864886f70d0109100117'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
/** They directly follow the length of the outermost sequence. */
const SEQUENCE = 0x30;
const ENVELOPE_WITHIN = 32;

/** Signed data without content (RFC 5652, 5.2): its type alone, in a sequence of known or of indefinite length. */
const SIGNED = Buffer.from('06092a864886f70d010702', 'hex');
const NO_CONTENT = ['300b06092a864886f70d010701', '308006092a864886f70d0107010000'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
/** The algorithms of the signers come before it. */
const CONTENT_WITHIN = 512;

const isOfSigner = (head: Buffer) =>
  head[0] === SEQUENCE && head.subarray(0, ENVELOPE_WITHIN).includes(SIGNED);

const hasNoContent = (head: Buffer) => NO_CONTENT.some((type) => head.includes(type));

/** Whether an attachment is the signature of the message around it, and holds no content. */
export function isSignature(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, CONTENT_WITHIN));
  return isOfSigner(head) && hasNoContent(head);
}

/** Whether a file is content with its signature around it. */
export function isSigned(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, CONTENT_WITHIN));
  return isOfSigner(head) && !hasNoContent(head);
}

/** Whether an attachment is an encrypted message: S/MIME (RFC 8551), whatever its declared type, or OpenPGP (RFC 3156). */
export function isSealedMessage(mimeType: string | null, bytes: Uint8Array): boolean {
  if (mimeType === 'application/pgp-encrypted') return true;
  const head = Buffer.from(bytes.subarray(0, ENVELOPE_WITHIN));
  return head[0] === SEQUENCE && ENVELOPES.some((identifier) => head.includes(identifier));
}
