import { type BusinessDocument, linesOf } from '../business-document.ts';

const LINE_LENGTH = 88;
const LINES_A_PAGE = 52;

/** The Windows-1252 characters that Latin-1 lacks. The standard fonts support no others. */
const WINDOWS_1252: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
};

/** A PDF 1.4 file with a text layer in Helvetica. Unsupported characters become `?`. */
export function pdfOf(document: BusinessDocument): Uint8Array {
  const lines = linesOf(document).flatMap(wrap);
  const pages: string[][] = [];
  for (let at = 0; at < lines.length; at += LINES_A_PAGE) pages.push(lines.slice(at, at + LINES_A_PAGE));
  // Objects 1 to 4 are the catalog, the page tree, the font and the document information. Each page adds two.
  const pageId = (page: number) => 5 + page * 2;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, page) => `${pageId(page)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Title ${literal(document.title)} /Author ${literal(document.author)} >>`,
    ...pages.flatMap((page, at) => {
      const content = contentOf(page);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${pageId(at) + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return Buffer.from(fileOf(objects), 'latin1');
}

/** Writes the objects, then the table of their offsets. Every character is one byte. */
function fileOf(objects: readonly string[]): string {
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${file}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

const contentOf = (lines: readonly string[]) =>
  `BT /F1 10 Tf 14 TL 50 790 Td\n${lines.map((line) => `${literal(line)} Tj T*`).join('\n')}\nET`;

function literal(text: string): string {
  const bytes = Array.from(text.normalize('NFC'), (char) => {
    const code = WINDOWS_1252[char] ?? char.charCodeAt(0);
    return code > 0xff || code < 0x20 ? '?' : String.fromCharCode(code);
  });
  return `(${bytes.join('').replace(/[\\()]/g, '\\$&')})`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= LINE_LENGTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
