import type { BoundedText } from '../bounded-text.ts';
import { Damaged, nullIfDamaged } from '../damage.ts';
import { columnsOf, type Glyph, jointOf, type Line, lineOf } from './pdf-lines.ts';
import { loadPdfium, type Pdfium, type Pointer } from './pdfium.ts';

/** The text layer of one PDF. Must not be used after it threw. */
export type PdfText = {
  /**
   * Appends the text of a page. Returns false, and appends nothing, if there is no such page, or if the page has no
   * text that PDFium can decode.
   * @param index from 0
   */
  write(index: number, text: BoundedText): boolean;
};

/** The memory for text, in megabytes, without the file. */
const TEXT_MB = 128;

/** PDFium's error for a file that is encrypted for certificates, or by a handler other than the standard one. */
const UNKNOWN_SECURITY = 5;

/** PDFium's code for a hyphen at the end of a line, within a word. */
const HYPHEN = 2;
const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const BOX_BYTES = 16;
const ORIGIN_BYTES = 16;
/** With a larger share of characters without a code, the page is not decoded. */
const MAX_UNDECODED_SHARE = 0.3;

/**
 * Opens the text layer of a PDF with PDFium. It contains the CMaps of all languages and the standard fonts, and reads
 * scripts from right to left and text beyond the edges of a page.
 * @returns why it cannot be opened, if so
 */
export async function openPdfText(data: Uint8Array): Promise<PdfText | 'encrypted' | 'other'> {
  const pdfium = await loadPdfium(TEXT_MB);
  const opened = orNull(() => pdfium.open(data));
  if (opened === 0) return pdfium.FPDF_GetLastError() === UNKNOWN_SECURITY ? 'encrypted' : 'other';
  if (opened === null) return 'other';
  const box = pdfium.allocate(BOX_BYTES + ORIGIN_BYTES);
  let isBroken = false;
  return {
    write(index, text) {
      const lines = isBroken ? null : orNull(() => pageLines(pdfium, opened, index, text.room + 1, box));
      // It must not be used after it threw.
      isBroken = lines === null;
      if (lines === null || lines.length === 0) return false;
      writeLines(lines, text);
      return true;
    },
  };
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    return nullIfDamaged(error);
  }
}

/** The lines of a page. Empty if there is no such page, or if its characters have no codes. */
function pageLines(pdfium: Pdfium, document: Pointer, index: number, most: number, box: Pointer): Line[] {
  const page = pdfium.FPDF_LoadPage(document, index);
  const layer = page === 0 ? 0 : pdfium.FPDFText_LoadPage(page);
  if (pdfium.isRefused()) throw new Damaged('memory_bound');
  if (layer === 0) return [];
  const count = Math.min(pdfium.FPDFText_CountChars(layer), most);
  const isDecoded = count > 0 && undecodedShare(pdfium, layer, count) <= MAX_UNDECODED_SHARE;
  const lines = isDecoded ? [...linesOf(pdfium, layer, count, box)] : [];
  pdfium.FPDFText_ClosePage(layer);
  pdfium.FPDF_ClosePage(page);
  return lines;
}

function undecodedShare(pdfium: Pdfium, layer: Pointer, count: number): number {
  let undecoded = 0;
  for (let at = 0; at < count; at++) {
    const code = pdfium.FPDFText_GetUnicode(layer, at);
    if (code === 0 || (code >= 0xe000 && code < 0xf900)) undecoded++;
  }
  return undecoded / count;
}

/** The lines of a page, in the order in which they are read. */
function* linesOf(pdfium: Pdfium, layer: Pointer, count: number, box: Pointer): Generator<Line> {
  let glyphs: Glyph[] = [];
  const lineHere = function* (): Generator<Line> {
    for (const column of columnsOf(glyphs)) {
      const line = lineOf(column);
      if (line !== null) yield line;
    }
    glyphs = [];
  };
  for (let at = 0; at < count; at++) {
    const code = pdfium.FPDFText_GetUnicode(layer, at);
    const isGenerated = pdfium.FPDFText_IsGenerated(layer, at) === 1;
    if (isGenerated && (code === CARRIAGE_RETURN || code === LINE_FEED)) yield* lineHere();
    else if (code === HYPHEN || code >= SPACE || code === TAB) {
      glyphs.push(glyphAt(pdfium, layer, at, code, isGenerated, box));
      // PDFium goes on in the same line, because the word does.
      if (code === HYPHEN) yield* lineHere();
    }
  }
  yield* lineHere();
}

function glyphAt(
  pdfium: Pdfium,
  layer: Pointer,
  at: number,
  code: number,
  isGenerated: boolean,
  box: Pointer,
): Glyph {
  pdfium.FPDFText_GetLooseCharBox(layer, at, box);
  pdfium.FPDFText_GetCharOrigin(layer, at, box + BOX_BYTES, box + BOX_BYTES + 8);
  const memory = pdfium.memory();
  return {
    text: code === HYPHEN ? '-' : String.fromCodePoint(code),
    isGenerated,
    isHyphen: code === HYPHEN,
    x: memory.readDoubleLE(box + BOX_BYTES),
    y: memory.readDoubleLE(box + BOX_BYTES + 8),
    left: memory.readFloatLE(box),
    right: memory.readFloatLE(box + 8),
    height: memory.readFloatLE(box + 4) - memory.readFloatLE(box + 12),
  };
}

function writeLines(lines: readonly Line[], text: BoundedText): void {
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    const { between, dropped } =
      next === undefined ? ({ between: '\n', dropped: 0 } as const) : jointOf(line, next);
    text.write(line.text.slice(0, line.text.length - dropped));
    if (between !== '') text.separate(between);
  }
}
