import { ConnectorError } from './connector.ts';

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
