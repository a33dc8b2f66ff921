/** A picture or part of one, as a PDF image stream (ISO 32000-1, 8.9.5). */
export type PdfImage = {
  /** Position of the upper left corner. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Further entries of its dictionary: filter and colours. */
  dictionary: string;
  data: Uint8Array;
};

/** Wraps a picture that only PDF readers decode into a PDF of one page. One point is one pixel. */
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

/** The object number of the first image. The catalog, the page list, the page and its content come first. */
const FIRST_IMAGE = 5;
