import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDamage } from '../../core/extractors/damage.ts';
import { extract } from '../../core/extractors/extract.ts';
import { loadPdfium } from '../../core/extractors/pdf/pdfium.ts';
import { DEFAULT_EXTRACTION } from '../../core/extractors/pool/extraction-pool.ts';
import { type Document, hasExtension } from './documents.ts';

/** A PDF with words that PDFium reads and the product does not. Empty `words`: no gap. */
export type Gap = { path: string; state: string; characters: number; words: string[] };

const PDFIUM_MB = 256;

/** The characters of all pages as PDFium gives them, with its own spaces and line ends. Null if it cannot open the file. */
async function pdfiumText(bytes: Uint8Array): Promise<string | null> {
  const pdfium = await loadPdfium(PDFIUM_MB);
  const document = pdfium.open(bytes);
  if (document === 0) return null;
  let text = '';
  for (let index = 0; index < pdfium.FPDF_GetPageCount(document); index++) {
    const page = pdfium.FPDF_LoadPage(document, index);
    if (page === 0) continue;
    const layer = pdfium.FPDFText_LoadPage(page);
    for (let at = 0; at < pdfium.FPDFText_CountChars(layer); at++) {
      text += String.fromCodePoint(pdfium.FPDFText_GetUnicode(layer, at));
    }
    pdfium.FPDFText_ClosePage(layer);
    pdfium.FPDF_ClosePage(page);
    text += '\n';
  }
  return text;
}

/** Hyphens and white space differ by design: words broken over lines are joined, and letters set apart too. */
const folded = (text: string) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');

/** Words of PDFium's text that are not in the product's text, even across its spaces. One entry for each PDF. */
export async function pdfiumGaps(folder: string, documents: readonly Document[]): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const document of documents.filter((one) => hasExtension(one, ['.pdf']))) {
    const bytes = await readFile(path.join(folder, document.path));
    const theirs = await pdfiumText(bytes).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      return null;
    });
    if (theirs === null) continue;
    const file = { name: path.basename(document.path), mimeType: null, bytes };
    const outcome = await extract(file, DEFAULT_EXTRACTION.bounds);
    const ours = folded('text' in outcome ? outcome.text : '');
    const words = theirs.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => folded(word).length > 1);
    gaps.push({
      path: document.path,
      state: [outcome.state, outcome.reason].filter((word) => word !== null).join(' '),
      characters: theirs.length,
      words: [...new Set(words.filter((word) => !ours.includes(folded(word))))],
    });
  }
  return gaps;
}
