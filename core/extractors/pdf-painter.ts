import { loadPdfium, type Pdfium, type Pointer } from './pdfium.ts';

/** A page of a PDF as a picture that any reader of pictures takes. */
export type PaintedPage = {
  /** Null where the page shows no picture. */
  picture: Uint8Array | null;
  /** False when a picture on it is too large, or nobody decodes it. */
  isWhole: boolean;
};

/** Paints the pages of one PDF as they are seen, but without their text. After it threw it must not be used. */
export type PdfPainter = {
  /**
   * Null when there is no such page, or the time was up before it was painted. Throws when there is no more memory.
   * @param index from 0
   * @param maxPixels what it is painted on at most
   * @param deadline of `performance.now()`
   */
  paint(index: number, maxPixels: number, deadline: number): PaintedPage | null;
};

/** Pixels of a picture that is decoded, to be painted smaller: a sheet of A4 at 600 dots per inch. */
const MAX_DECODED_PIXELS = 36_000_000;
/** A page that its pictures would make smaller shows no more than colours. */
const LEAST_SIDE = 16;
const MAX_OBJECTS = 100_000;
const MAX_DEPTH = 8;

/** PDFium's names for kinds of objects on a page. */
const TEXT = 1;
const IMAGE = 3;
const FORM = 5;

const GREY_BITMAP = 1;
const GREY_PAINT = 0x08;
const SMALL_CACHE = 0x200;
const TO_BE_CONTINUED = 1;
const WHITE = 0xff;
const MATRIX_BYTES = 24;

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
/** @property matrix from a square of one by one to the page */
type Picture = { object: Pointer; width: number; height: number; matrix: Matrix };

/** @param memoryMb what painting may take, the file not counted */
export async function openPdfPainter(data: Uint8Array, memoryMb: number): Promise<PdfPainter> {
  const pdfium = await loadPdfium(memoryMb);
  const document = pdfium.open(data);
  const scratch = pdfium.allocate(MATRIX_BYTES);

  const integersAt = (at: Pointer): [number, number] => {
    const memory = pdfium.memory();
    return [memory.readInt32LE(at), memory.readInt32LE(at + 4)];
  };

  const matrixOf = (object: Pointer): Matrix => {
    pdfium.FPDFPageObj_GetMatrix(object, scratch);
    const memory = pdfium.memory();
    const at = (index: number) => memory.readFloatLE(scratch + index * 4);
    return [at(0), at(1), at(2), at(3), at(4), at(5)];
  };

  /** Those that a page shows. What was read already, and what is too large, is not shown any more. */
  const showPictures = (page: Pointer): { pictures: Picture[]; isWhole: boolean } => {
    const pictures: Picture[] = [];
    let isWhole = true;
    let left = MAX_OBJECTS;
    const visit = (count: number, objectAt: (index: number) => Pointer, around: Matrix, depth: number) => {
      for (let index = 0; index < count && left-- > 0; index++) {
        const object = objectAt(index);
        const kind = pdfium.FPDFPageObj_GetType(object);
        if (kind === TEXT) pdfium.FPDFPageObj_SetIsActive(object, false);
        else if (kind === FORM && depth < MAX_DEPTH) {
          const inner = (at: number) => pdfium.FPDFFormObj_GetObject(object, at);
          visit(pdfium.FPDFFormObj_CountObjects(object), inner, product(matrixOf(object), around), depth + 1);
        } else if (kind === IMAGE && pdfium.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) {
          const [width, height] = integersAt(scratch);
          if (width * height > MAX_DECODED_PIXELS) {
            isWhole = false;
            pdfium.FPDFPageObj_SetIsActive(object, false);
          } else pictures.push({ object, width, height, matrix: product(matrixOf(object), around) });
        }
      }
    };
    const outer = (at: number) => pdfium.FPDFPage_GetObject(page, at);
    visit(pdfium.FPDFPage_CountObjects(page), outer, [1, 0, 0, 1, 0, 0], 0);
    return { pictures, isWhole };
  };

  const paintPage = (page: Pointer, maxPixels: number, deadline: number): PaintedPage | null => {
    const { pictures, isWhole } = showPictures(page);
    const largest = pictures.reduce<Picture | null>(
      (most, one) => (most === null || one.width * one.height > most.width * most.height ? one : most),
      null,
    );
    if (largest === null) return { picture: null, isWhole };
    const [pageWidth, pageHeight] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
    const scale = Math.min(density(largest), Math.sqrt(maxPixels / (pageWidth * pageHeight)));
    const [width, height] = [Math.round(pageWidth * scale), Math.round(pageHeight * scale)];
    if (!(width >= LEAST_SIDE && height >= LEAST_SIDE)) return { picture: null, isWhole };
    const canvas = paintedGrey(pdfium, page, width, height, deadline);
    if (canvas === null) return null;

    /** A picture that nobody decodes leaves no trace; nor does one that is white. */
    const isPainted = ({ object, matrix }: Picture): boolean => {
      const corner = ([x, y]: readonly [number, number]) => {
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, scratch, scratch + 4);
        return integersAt(scratch);
      };
      const [a, b, c, d, e, f] = matrix;
      const [[x1, y1], [x2, y2]] = [corner([e, f]), corner([a + c + e, b + d + f])];
      const [left, right] = [Math.max(0, Math.min(x1, x2)), Math.min(width, Math.max(x1, x2))];
      const [top, bottom] = [Math.max(0, Math.min(y1, y2)), Math.min(height, Math.max(y1, y2))];
      if (left >= right || top >= bottom) return true;
      for (let y = top; y < bottom; y++) {
        const row = canvas.subarray(y * width + left, y * width + right);
        if (row.some((value) => value !== WHITE)) return true;
      }
      const decoded = pdfium.FPDFImageObj_GetBitmap(object);
      if (decoded !== 0) pdfium.FPDFBitmap_Destroy(decoded);
      return decoded !== 0;
    };
    const head = Buffer.from(`P5\n${width} ${height}\n255\n`);
    return { picture: Buffer.concat([head, canvas]), isWhole: isWhole && pictures.every(isPainted) };
  };

  return {
    paint(index, maxPixels, deadline) {
      const page = document === 0 ? 0 : pdfium.FPDF_LoadPage(document, index);
      if (page === 0) return null;
      const painted = paintPage(page, maxPixels, deadline);
      pdfium.FPDF_ClosePage(page);
      if (pdfium.isRefused()) throw new Error('memory_bound');
      return painted;
    },
  };
}

/** Shades of grey, a byte for each pixel; null when the time was up before. */
function paintedGrey(
  pdfium: Pdfium,
  page: Pointer,
  width: number,
  height: number,
  deadline: number,
): Buffer | null {
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, GREY_BITMAP, 0, 0);
  if (bitmap === 0) throw new Error('memory_bound');
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
  const area = [0, 0, width, height, 0] as const;
  const pause = pdfium.pauseAt(deadline);
  const state = pdfium.FPDF_RenderPageBitmap_Start(bitmap, page, ...area, GREY_PAINT | SMALL_CACHE, pause);
  pdfium.FPDF_RenderPage_Close(page);
  const [from, stride] = [pdfium.FPDFBitmap_GetBuffer(bitmap), pdfium.FPDFBitmap_GetStride(bitmap)];
  const canvas = Buffer.alloc(width * height);
  const memory = pdfium.memory();
  for (let y = 0; y < height; y++)
    memory.copy(canvas, y * width, from + y * stride, from + y * stride + width);
  pdfium.FPDFBitmap_Destroy(bitmap);
  return state === TO_BE_CONTINUED ? null : canvas;
}

/** What `inner` does, then what `outer` does. */
const product = (inner: Matrix, outer: Matrix): Matrix => [
  inner[0] * outer[0] + inner[1] * outer[2],
  inner[0] * outer[1] + inner[1] * outer[3],
  inner[2] * outer[0] + inner[3] * outer[2],
  inner[2] * outer[1] + inner[3] * outer[3],
  inner[4] * outer[0] + inner[5] * outer[2] + outer[4],
  inner[4] * outer[1] + inner[5] * outer[3] + outer[5],
];

/** Pixels of a picture for a point of the page. */
const density = ({ width, height, matrix: [a, b, c, d] }: Picture) =>
  Math.max(width / Math.hypot(a, b), height / Math.hypot(c, d));
