import { BoundedText } from '../bounded-text.ts';
import type { Extraction, ExtractionContext, Extractor } from '../extractor.ts';
import { MAX_PICTURE_PIXELS, type Ocr, type OcrOutcome } from '../ocr/ocr.ts';
import { textOutcome } from '../text-outcome.ts';
import { isJpeg2000, type PictureHead, pictureHead } from './picture-head.ts';
import { type PdfImage, picturePdf } from './picture-pdf.ts';
import { isTiff, picturePages } from './tiff-directory.ts';
import { tiffJpegs } from './tiff-jpeg.ts';

/** A picture. Its text is read if the deployment enables that. Otherwise it is reported by name only. */
export const image: Extractor = {
  format: 'image',
  version: 3,
  kind: 'unread',
  claims: ({ bytes }) => pictureHead(bytes) !== null,
  async extract({ bytes }, context) {
    if (context.ocr === null) return { state: 'unsupported', format: 'image', reason: 'ocr_off' };
    return readPages(bytes, context.ocr, context);
  },
};

/** Reads the text of all pages. If no page has text, returns the reason of the first one. */
async function readPages(bytes: Uint8Array, ocr: Ocr, context: ExtractionContext): Promise<Extraction> {
  const text = new BoundedText(context.maxCharacters);
  let failed: Extract<OcrOutcome, { failed: unknown }>['failed'] | 'size_bound' | null = null;
  for (const page of picturePages(bytes)) {
    if (text.full) break;
    if (context.budget.members-- <= 0) return textOutcome('image', text, 'member_bound');
    const outcome = await readPage(Buffer.from(page.buffer, page.byteOffset, page.byteLength), ocr);
    if ('failed' in outcome) failed ??= outcome.failed;
    else {
      text.line(outcome.text);
      if (!outcome.isWhole) failed ??= 'corrupt';
    }
  }
  if (failed === null) return textOutcome('image', text, null);
  if (text.length === 0) return { state: 'failed', format: 'image', reason: failed };
  return textOutcome('image', text, failed === 'corrupt' ? 'damaged' : 'member_bound');
}

const UPRIGHT = 1;
const PAGE = 0;

async function readPage(page: Buffer, ocr: Ocr): Promise<OcrOutcome | { failed: 'size_bound' }> {
  const head = pictureHead(page);
  if (head === null) return { failed: 'corrupt' };
  if (head.width * head.height > MAX_PICTURE_PIXELS) return { failed: 'size_bound' };
  const images = pdfImages(page, head);
  if (images === null) return ocr.read(page, isTurnedByReader(page) ? UPRIGHT : head.orientation);
  return ocr.pdf(picturePdf(head.width, head.height, images)).read(PAGE, head.orientation);
}

/** The parts of a picture that Tesseract does not decode, as PDF images. Null if it does decode it. */
function pdfImages(page: Buffer, { width, height }: PictureHead): PdfImage[] | null {
  if (!isJpeg2000(page)) return tiffJpegs(page);
  return [{ x: 0, y: 0, width, height, dictionary: '/Filter/JPXDecode', data: page }];
}

/** Tesseract applies the orientation of TIFF files, but not of other formats. */
const isTurnedByReader = isTiff;
