import { ConnectorError } from './connector.ts';

/** Codes of the system, of TLS, and of a body that ends too early. Other errors are bugs. */
const CUT_OFF =
  /^(?:E[A-Z]+|ERR_TLS_\w+|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+|(?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|CERT_)\w+)$/;

/** Whether an error of a request says that there is no answer, or that it broke off. */
export const isCutOff = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'AbortError' ||
    error.name === 'TimeoutError' ||
    ('code' in error && CUT_OFF.test(String(error.code))));

/**
 * The bytes of a body. A loop that throws ends the stream.
 * @param declared bytes, as the header of the answer says; NaN if it says nothing
 * @param source begins the diagnostics of the `ConnectorError` if the body has more than `most` bytes or breaks off
 */
export async function bodyOf(
  stream: AsyncIterable<Uint8Array | string>,
  declared: number,
  most: number,
  source: 'blob' | 's3',
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    received += bytes.length;
    if (received > most) throw new ConnectorError('permanent', `${source}_answer_too_large`);
    chunks.push(bytes);
  }
  if (declared > received) throw new ConnectorError('transient', `${source}_cut_off`);
  return Buffer.concat(chunks);
}
