/** A picture or a part of one, as a stream of PDF holds it (ISO 32000-1, 8.9.5). */
export type PdfImage = {
  /** Of its upper left corner. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** What its dictionary says besides: its coding and its colours. */
  dictionary: string;
  data: Uint8Array;
};

/** A picture that only readers of PDF decode, as a PDF of one page that has a point for each pixel. */
export function picturePdf(width: number, height: number, images: readonly PdfImage[]): Uint8Array {
  const chunks: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const write = (...pieces: (Uint8Array | string)[]) => {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
      chunks.push(bytes);
      length += bytes.length;
    }
  };
  const object = (dictionary: string, stream?: Uint8Array) => {
    offsets.push(length);
    const size = stream === undefined ? '' : `/Length ${stream.length}`;
    write(`${offsets.length} 0 obj\n<<${dictionary}${size}>>\n`);
    if (stream !== undefined) write('stream\n', stream, '\nendstream\n');
    write('endobj\n');
  };
  const drawn = images.map(
    (image, index) =>
      `q ${image.width} 0 0 ${image.height} ${image.x} ${height - image.y - image.height} cm /P${index} Do Q`,
  );
  const named = images.map((_, index) => `/P${index} ${FIRST_IMAGE + index} 0 R`).join('');
  write('%PDF-1.5\n');
  object('/Type/Catalog/Pages 2 0 R');
  object('/Type/Pages/Kids[3 0 R]/Count 1');
  object(
    `/Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<<${named}>>>>`,
  );
  object('', Buffer.from(drawn.join('\n')));
  for (const image of images) {
    const size = `/Width ${image.width}/Height ${image.height}`;
    object(`/Type/XObject/Subtype/Image${size}${image.dictionary}`, image.data);
  }
  const start = length;
  write(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n`);
  write(offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join(''));
  write(`trailer<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`);
  return Buffer.concat(chunks);
}

/** The number of the first image's object: catalog, list of pages, page and its content lie before. */
const FIRST_IMAGE = 5;
