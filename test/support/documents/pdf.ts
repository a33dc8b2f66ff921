/** A page. `fonts` are added to its fonts, `entries` to its dictionary. */
export type PdfPart = { content: Uint8Array | string; filter?: string; fonts?: string; entries?: string };

/** A further object: its dictionary without the length, and optionally its stream. */
export type PdfObject = { dictionary: string; stream?: Uint8Array | string };

/**
 * A PDF with a page for each content stream and with these document properties. `catalog` is added to the catalog's
 * dictionary. Further objects are numbered from `4 + 2 * pages.length`.
 */
export function pdfOf(
  pages: readonly PdfPart[],
  options: { title?: string; trailer?: string; catalog?: string; objects?: readonly PdfObject[] } = {},
): Uint8Array {
  const chunks: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const add = (piece: string | Uint8Array) => {
    const bytes = Buffer.from(piece as string);
    chunks.push(bytes);
    length += bytes.length;
  };
  const object = (dictionary: string, stream?: Uint8Array | string) => {
    offsets.push(length);
    add(`${offsets.length} 0 obj\n${dictionary}\n`);
    if (stream !== undefined) {
      add('stream\n');
      add(stream);
      add('\nendstream\n');
    }
    add('endobj\n');
  };
  const pageNumbers = pages.map((_, index) => 4 + index * 2);
  add('%PDF-1.4\n');
  object(`<</Type/Catalog/Pages 2 0 R${options.catalog ?? ''}>>`);
  object(`<</Type/Pages/Kids[${pageNumbers.map((n) => `${n} 0 R`).join(' ')}]/Count ${pages.length}>>`);
  object(`<</Title(${options.title ?? ''})>>`);
  for (const [index, page] of pages.entries()) {
    const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
    const note = '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/offer)>>>>';
    object(
      `<</Type/Page/Parent 2 0 R/Contents ${5 + index * 2} 0 R/MediaBox[0 0 600 800]/Annots[${note}]${page.entries ?? ''}/Resources<</Font<</F1 ${font}${page.fonts ?? ''}>>>>>>`,
    );
    const filter = page.filter === undefined ? '' : `/Filter/${page.filter}`;
    object(`<</Length ${Buffer.from(page.content as string).length}${filter}>>`, page.content);
  }
  for (const { dictionary, stream } of options.objects ?? []) {
    const size = stream === undefined ? '' : `/Length ${Buffer.from(stream as string).length}`;
    object(`<<${dictionary}${size}>>`, stream);
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows}`);
  add(`trailer<</Size ${offsets.length + 1}/Root 1 0 R/Info 3 0 R${options.trailer ?? ''}>>\n`);
  add(`startxref\n${start}\n%%EOF`);
  return new Uint8Array(Buffer.concat(chunks));
}

export const pdfText = (text: string): PdfPart => ({ content: `BT /F1 12 Tf 50 700 Td (${text}) Tj ET` });
