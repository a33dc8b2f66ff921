import type { BoundedText } from '../bounded-text.ts';
import { byLibrary, nullIfDamaged } from '../damage.ts';
import { hold } from '../embedded.ts';
import type { ExtractionContext, FileHead } from '../extractor.ts';
import { pdfStreams, streamContent } from './pdf-streams.ts';
import { xfaPackets } from './pdf-xfa.ts';

/** The attachments that pdf.js reports, for the document and for its pages. */
type Attachments = {
  getAttachments(): Promise<Map<string, { filename: string; description: string }> | null>;
  getAttachmentContent(id: string): Promise<unknown>;
  getMetadata(): Promise<{ info: object }>;
};

/**
 * Embedded files are recognised by their optional type, or by entries that only they have: a media type, dates, a
 * checksum.
 */
const IS_EMBEDDED_FILE =
  /\/Type\s{0,9}\/EmbeddedFile\b|\/Params\s{0,9}<<|\/Subtype\s{0,9}\/[\w.-]{1,80}#2[Ff]/;

/**
 * Appends the files attached to a PDF: first those in its list of names, then all others: on pages, for other
 * platforms, or removed from the list but still in the file.
 */
export async function writeAttachments(
  document: Attachments,
  data: Buffer,
  text: BoundedText,
  context: ExtractionContext,
): Promise<void> {
  const seen: Uint8Array[] = [];
  const write = async (file: FileHead) => {
    if (seen.some((one) => Buffer.compare(one, file.bytes) === 0)) return;
    seen.push(file.bytes);
    await context.embedded(file, text);
  };
  for (const [id, { filename, description }] of (await byLibrary(() => document.getAttachments())) ?? []) {
    text.line(description);
    const content = await byLibrary(() => document.getAttachmentContent(id)).catch(nullIfDamaged);
    if (content instanceof Uint8Array) await write({ name: filename, mimeType: null, bytes: content });
    else {
      text.besides(filename);
      context.unread('damaged');
    }
  }
  // In an encrypted file, what follows are ciphers of what was listed.
  const { info } = await byLibrary(() => document.getMetadata());
  if ('EncryptFilterName' in info && info.EncryptFilterName !== null) return;
  // The packets of a form are stored like attachments.
  const packets = xfaPackets(data);
  for (const stream of pdfStreams(data)) {
    if (text.full) return;
    if (!IS_EMBEDDED_FILE.test(stream.dictionary) || packets.has(stream.object)) continue;
    const content = streamContent(data, stream, context.budget);
    const held = await hold(content, stream.end - stream.start);
    await write({ name: '', mimeType: null, ...held });
  }
}
