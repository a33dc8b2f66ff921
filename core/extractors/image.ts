import { BoundedText, textOutcome } from './bounded-text.ts';
import type { Extraction, ExtractionContext, Extractor } from './extractor.ts';
import { MAX_PICTURE_PIXELS, type Ocr, type OcrOutcome } from './ocr.ts';
import { pictureHead, picturePages } from './picture-head.ts';

/** A picture of text, read where the deployment asks for that, and only named otherwise. */
export const image: Extractor = {
  format: 'image',
  version: 1,
  kind: 'unread',
  claims: ({ bytes }) => pictureHead(bytes) !== null,
  async extract({ bytes }, context) {
    if (context.ocr === null) return { state: 'unsupported', format: 'image', reason: 'unknown_format' };
    return readPages(bytes, context.ocr, context);
  },
};

/** The text of all pages; why there is none when the first one that has none is all that can be told. */
async function readPages(bytes: Uint8Array, ocr: Ocr, context: ExtractionContext): Promise<Extraction> {
  const text = new BoundedText(context.maxCharacters);
  let failed: Extract<OcrOutcome, { failed: unknown }>['failed'] | 'size_bound' | null = null;
  for (const page of picturePages(bytes)) {
    if (text.full) break;
    if (context.budget.members-- <= 0) return textOutcome('image', text, 'member_bound');
    const outcome = await readPage(page, ocr);
    if ('failed' in outcome) failed ??= outcome.failed;
    else text.line(outcome.text);
  }
  if (failed === null) return textOutcome('image', text, null);
  if (text.length === 0) return { state: 'failed', format: 'image', reason: failed };
  return textOutcome('image', text, failed === 'corrupt' ? 'damaged' : 'member_bound');
}

async function readPage(page: Uint8Array, ocr: Ocr): Promise<OcrOutcome | { failed: 'size_bound' }> {
  const head = pictureHead(page);
  if (head === null) return { failed: 'corrupt' };
  if (head.width * head.height > MAX_PICTURE_PIXELS) return { failed: 'size_bound' };
  return ocr.read(page, head.orientation);
}
