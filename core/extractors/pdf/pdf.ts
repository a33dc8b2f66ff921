import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import { byLibrary, byLibrarySync, Damaged, isDamage } from '../damage.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { MIN_PICTURE_PIXELS } from '../image/picture-head.ts';
import type { OcrPdf } from '../ocr/ocr.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { textOutcome } from '../text-outcome.ts';
import { writeAttachments } from './pdf-attachments.ts';
import { openPdfPainter, type PdfPainter } from './pdf-painter.ts';
import { hasObject, spoilBombs } from './pdf-streams.ts';
import { openPdfText, type PdfText } from './pdf-text.ts';
import { writeXfa } from './pdf-xfa.ts';

const MAGIC = Buffer.from('%PDF-');
/** Readers accept the header within the first kilobyte, because mail gateways and old Macs put bytes before it. */
const MAGIC_WITHIN = 1024;

/** As in EXIF. Pages are painted upright. */
const UPRIGHT = 1;

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** Loads pdf.js with the first PDF, because it is large and most processes never need it. */
async function openPdf(bytes: Uint8Array) {
  const { getDocumentProxy } = await import('unpdf');
  // Only text is needed, so fonts are not loaded or drawn, and images are not decoded.
  return byLibrary(() =>
    getDocumentProxy(bytes, {
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      maxImageSize: 1,
    }),
  );
}

const isPasswordNeeded = (error: unknown) =>
  error instanceof Damaged && error.cause instanceof Error && error.cause.name === 'PasswordException';

/** Whether a page may show text that was not read. `hasText`: whether other text of the page was read. */
type UnreadCheck = (index: number, hasText: boolean) => Promise<boolean>;

/** The memory for looking at a page, in megabytes. */
const LOOK_MB = 64;
/** The time for looking at one page. */
const LOOK_MS = 1_000;

/**
 * Opens the painter once, with the first page that is asked about. A page that could not be looked at was not read.
 * Beside text, small pictures are icons and drawings are decoration.
 */
function unreadCheck(data: Uint8Array): UnreadCheck {
  let painter: PdfPainter | null = null;
  let isBroken = false;
  return async (index, hasText) => {
    if (isBroken) return true;
    try {
      painter ??= await openPdfPainter(data, LOOK_MB);
      const look = painter.look(index, threadMs() + LOOK_MS);
      return look === null || (hasText ? look.pixels >= MIN_PICTURE_PIXELS : !look.isBlank);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // It must not be used after it threw, so no further page is looked at.
      isBroken = true;
      return true;
    }
  };
}

/** PDF: text layer, form values, notes, link targets, bookmarks, attachments, properties. */
export const pdf: Extractor = {
  format: 'pdf',
  version: 6,
  claims: (file) => Buffer.from(file.bytes.subarray(0, MAGIC_WITHIN)).includes(MAGIC),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    // Without an object there is nothing to read, and pdf.js would search the file for a long time.
    const data = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
    if (!hasObject(data)) return { state: 'failed', format: 'pdf', reason: 'corrupt' };
    // A copy, because it is changed here and pdf.js takes over the buffer.
    const bytes = new Uint8Array(file.bytes);
    const spoiled = await spoilBombs(Buffer.from(bytes.buffer));
    const layer = await openPdfText(spoiled ? new Uint8Array(bytes) : data);
    let document: PdfDocument;
    try {
      document = await openPdf(bytes);
    } catch (error) {
      if (layer !== 'encrypted' && !isPasswordNeeded(error)) throw error;
      return { state: 'unsupported', format: 'pdf', reason: 'encrypted' };
    }
    try {
      const readers = {
        layer: typeof layer === 'string' ? null : layer,
        pictures: context.ocr?.pdf(data) ?? null,
        mayBeUnread: unreadCheck(data),
      };
      let shortfall = await writePages(document, text, context, readers);
      for (const write of [
        () => writeOutline(document, text),
        () => writeAttachments(document, data, text, context),
        () => writeXfa(data, text, context),
        () => writeProperties(document, text),
      ]) {
        await write().catch((error: unknown) => {
          if (!isDamage(error)) throw error;
          shortfall ??= 'damaged';
        });
      }
      return textOutcome('pdf', text, spoiled ? 'inflated_bound' : shortfall);
    } finally {
      await byLibrary(() => document.loadingTask.destroy());
    }
  },
};

/** @property layer null if PDFium cannot open the file */
type Readers = { layer: PdfText | null; pictures: OcrPdf | null; mayBeUnread: UnreadCheck };

async function writePages(
  document: PdfDocument,
  text: BoundedText,
  { budget, unread }: ExtractionContext,
  { layer, pictures, mayBeUnread }: Readers,
): Promise<Shortfall | null> {
  const pages = Math.min(document.numPages, budget.members);
  const left = document.numPages - pages;
  if (left > 0) unread('member_bound', left);
  let shortfall: Shortfall | null = left > 0 ? 'member_bound' : null;
  budget.members -= pages;
  for (let number = 1; number <= pages && !text.full; number++) {
    try {
      const page = await byLibrary(() => document.getPage(number));
      const before = text.contentLength;
      if (layer?.write(number - 1, text) !== true) await writeTextLayer(page, text);
      const length = text.contentLength - before;
      const isScanty = length < SCANTY_TEXT;
      if (isScanty && pictures !== null) {
        const outcome = await pictures.read(number - 1, UPRIGHT);
        if ('text' in outcome) text.line(outcome.text);
        // An unread picture is not damage: deployments that read no pictures have the same text.
        if ('failed' in outcome || !outcome.isWhole) {
          unread('member_bound');
          shortfall ??= 'member_bound';
        }
      } else if (isScanty && (await mayBeUnread(number - 1, length > 0))) unread('ocr_off');
      await writeAnnotations(page, text);
      byLibrarySync(() => page.cleanup());
    } catch (error) {
      if (!isDamage(error)) throw error;
      // A broken page does not affect the other pages.
      unread('damaged');
      shortfall ??= 'damaged';
    }
    text.separate('\n');
  }
  return shortfall;
}

/** Reads a stream, so that a page with a form repeated a million times meets the bound before memory runs out. */
async function writeTextLayer(page: PdfPage, text: BoundedText): Promise<void> {
  const reader = byLibrarySync(() => page.streamTextContent()).getReader();
  while (!text.full) {
    const { done, value } = await byLibrary(() => reader.read());
    if (done) return;
    for (const item of value.items) {
      if (!('str' in item)) continue;
      text.write(item.str);
      if (item.hasEOL) text.separate('\n');
    }
  }
  await byLibrary(() => reader.cancel(new Error('output_bound')));
}

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : '';
};

/** Notes, form fields with values and hints, link targets, and files attached to the page. */
async function writeAnnotations(page: PdfPage, text: BoundedText): Promise<void> {
  const annotations: Record<string, { str?: unknown; filename?: unknown } | undefined>[] = await byLibrary(
    () => page.getAnnotations(),
  );
  for (const annotation of annotations) {
    const { contentsObj, titleObj, fieldValue, alternativeText, url, file } = annotation;
    for (const part of [titleObj?.str, contentsObj?.str, alternativeText, fieldValue, url, file?.filename]) {
      text.line(asText(part));
    }
  }
}

const MAX_BOOKMARK_DEPTH = 32;

/** Titles and addresses of bookmarks. */
async function writeOutline(document: PdfDocument, text: BoundedText): Promise<void> {
  const write = (bookmarks: readonly Bookmark[], depth: number) => {
    for (const { title, unsafeUrl, items } of bookmarks) {
      text.line(asText(title));
      text.line(asText(unsafeUrl));
      if (depth < MAX_BOOKMARK_DEPTH && !text.full) write(items, depth + 1);
    }
  };
  write((await byLibrary(() => document.getOutline())) ?? [], 0);
}

type Bookmark = { title: string; unsafeUrl?: string | undefined; items: readonly Bookmark[] };

const PROPERTIES = ['Title', 'Author', 'Subject', 'Keywords'];
const XMP = ['dc:title', 'dc:creator', 'dc:description', 'dc:subject'];

async function writeProperties(document: PdfDocument, text: BoundedText): Promise<void> {
  const { info, metadata } = await byLibrary(() => document.getMetadata());
  const entries: Record<string, unknown> = { ...info };
  text.entitle(asText(entries.Title) || asText(metadata?.get('dc:title')));
  const values = [
    ...PROPERTIES.map((name) => asText(entries[name])),
    ...Object.values(entries.Custom ?? {}).map(asText),
    ...XMP.map((name) => asText(metadata?.get(name))),
  ];
  for (const value of new Set(values)) text.besides(value);
}
