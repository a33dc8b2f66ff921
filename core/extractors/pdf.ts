import { BoundedText, type Shortfall, textOutcome } from './bounded-text.ts';
import type { Extractor } from './extractor.ts';

const MAGIC = Buffer.from('%PDF-');
/** Readers look for the header in the first kilobyte: mail gateways and old Macs put bytes before it. */
const MAGIC_WITHIN = 1024;

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** Loaded with the first PDF, since it is large and most processes never need it. */
async function openPdf(bytes: Uint8Array) {
  const { getDocumentProxy } = await import('unpdf');
  // A copy, since pdf.js takes the buffer over; only text is wanted, so fonts and images are never drawn or fetched.
  return getDocumentProxy(new Uint8Array(bytes), {
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    maxImageSize: 1,
  });
}

const isPasswordNeeded = (error: unknown) => error instanceof Error && error.name === 'PasswordException';

/** PDF: the text layer of every page, form values, notes, link targets, attachments' names, document properties. */
export const pdf: Extractor = {
  format: 'pdf',
  version: 1,
  claims: (file) => Buffer.from(file.bytes.subarray(0, MAGIC_WITHIN)).includes(MAGIC),
  async extract(file, bounds) {
    const text = new BoundedText(bounds.maxCharacters);
    let document: PdfDocument;
    try {
      document = await openPdf(file.bytes);
    } catch (error) {
      if (isPasswordNeeded(error)) return { state: 'unsupported', format: 'pdf', reason: 'encrypted' };
      return { state: 'failed', format: 'pdf', reason: 'corrupt' };
    }
    try {
      let shortfall = await writePages(document, text, bounds.maxMembers);
      try {
        await writeProperties(document, text);
      } catch {
        shortfall ??= 'damaged';
      }
      return textOutcome('pdf', text, shortfall);
    } finally {
      await document.loadingTask.destroy();
    }
  },
};

async function writePages(
  document: PdfDocument,
  text: BoundedText,
  maxPages: number,
): Promise<Shortfall | null> {
  let shortfall: Shortfall | null = document.numPages > maxPages ? 'member_bound' : null;
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && !text.full; number++) {
    try {
      const page = await document.getPage(number);
      await writeTextLayer(page, text);
      await writeAnnotations(page, text);
      page.cleanup();
    } catch {
      // A broken page costs itself: the others may well be whole.
      shortfall ??= 'damaged';
    }
    text.separate('\n');
  }
  return shortfall;
}

/** As a stream, so that a page that repeats a form a million times ends with the bound and not with the memory. */
async function writeTextLayer(page: PdfPage, text: BoundedText): Promise<void> {
  const reader = page.streamTextContent().getReader();
  while (!text.full) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const item of value.items) {
      if (!('str' in item)) continue;
      text.write(item.str);
      if (item.hasEOL) text.separate('\n');
    }
  }
  await reader.cancel(new Error('output_bound'));
}

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : '';
};

/** Notes, form fields with their values and hints, link targets, files pinned to the page. */
async function writeAnnotations(page: PdfPage, text: BoundedText): Promise<void> {
  const annotations: Record<string, { str?: unknown; filename?: unknown } | undefined>[] =
    await page.getAnnotations();
  for (const annotation of annotations) {
    const { contentsObj, titleObj, fieldValue, alternativeText, url, file } = annotation;
    for (const part of [titleObj?.str, contentsObj?.str, alternativeText, fieldValue, url, file?.filename]) {
      text.line(asText(part));
    }
  }
}

const PROPERTIES = ['Title', 'Author', 'Subject', 'Keywords'];
const XMP = ['dc:title', 'dc:creator', 'dc:description', 'dc:subject'];

async function writeProperties(document: PdfDocument, text: BoundedText): Promise<void> {
  const attachments = await document.getAttachments();
  for (const attachment of attachments?.values() ?? []) text.line(asText(attachment.filename));
  const { info, metadata } = await document.getMetadata();
  const entries: Record<string, unknown> = { ...info };
  const values = [
    ...PROPERTIES.map((name) => asText(entries[name])),
    ...Object.values(entries.Custom ?? {}).map(asText),
    ...XMP.map((name) => asText(metadata?.get(name))),
  ];
  for (const value of new Set(values)) text.line(value);
}
