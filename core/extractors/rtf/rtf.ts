import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { writeHtml } from '../markup/html.ts';
import { textOutcome } from '../text-outcome.ts';
import { rtfPictures } from './rtf-picture.ts';
import { RtfWalk } from './rtf-walk.ts';

const SIGNATURE = Buffer.from('{\\rt');
/** The head of a document, which states whether it wraps an HTML page ([MS-OXRTFEX] 2.1.3.1). */
const HEAD_BYTES = 4_096;
const WAS_HTML = /\\fromhtml1(?![0-9])/;
/** The assumed number of markup characters per character of text in a page of a mail program. */
const MARKUP_SHARE = 8;

/** Appends the text of an RTF document, or of the page that it wraps, and its embedded files. */
export async function writeRtf(
  bytes: Uint8Array,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!WAS_HTML.test(data.toString('latin1', 0, HEAD_BYTES))) {
    const walk = new RtfWalk(data, text, 'document');
    for (const file of walk.files) {
      if (text.full || context.budget.members <= 0) return 'member_bound';
      context.budget.members--;
      await context.embedded(file, text);
    }
    return walk.damaged ? 'damaged' : null;
  }
  const page = new BoundedText(text.room * MARKUP_SHARE);
  const walk = new RtfWalk(data, page, 'page');
  return writeHtml([page.toString()], text) ?? (walk.damaged || page.full ? 'damaged' : null);
}

/** Rich text (RTF Specification 1.9.1). */
export const rtf: Extractor = {
  format: 'rtf',
  version: 3,
  claims: (file) => SIGNATURE.equals(file.bytes.subarray(0, SIGNATURE.length)),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const shortfall = await writeRtf(file.bytes, text, context);
    if (text.contentLength < SCANTY_TEXT) {
      for (const bytes of rtfPictures(Buffer.from(file.bytes))) {
        if (text.full || context.budget.members <= 0) return textOutcome('rtf', text, 'member_bound');
        context.budget.members--;
        await context.embedded({ name: '', mimeType: null, bytes }, text);
      }
    }
    return textOutcome('rtf', text, shortfall);
  },
};
