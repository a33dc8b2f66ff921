import { Damaged } from '../damage.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { loadPdfium, type Pdfium, type Pointer } from './pdfium.ts';

/** The pictures of a PDF page, or its drawings if it has nothing else, in a format that picture readers support. */
export type PaintedPage = {
  /** The page painted with its pictures or drawings only, then the pictures that are not visible on it. Empty if there are none. */
  pictures: Uint8Array[];
  /** False if a picture is too large or cannot be decoded. */
  isWhole: boolean;
};

/** Paints the pictures of one PDF, page by page. Must not be used after it threw. */
export type PdfPainter = {
  /**
   * Returns null if there is no such page, or if the deadline passed. Throws if memory runs out.
   * @param index from 0
   * @param maxPixels the most pixels of the painted page
   * @param deadline in `threadMs()`
   */
  paint(index: number, maxPixels: number, deadline: number): PaintedPage | null;
  /**
   * The pixels of all pictures on a page. Without pictures, whether the page shows something else. Null if there is no
   * such page, or if the deadline passed. Throws if memory runs out.
   * @param deadline in `threadMs()`
   */
  look(index: number, deadline: number): PageLook | null;
};

/** @property pixels infinite if a picture is too large to be painted */
type PageLook = { pixels: number; isBlank: boolean };

/** The most pixels of a picture that is decoded and scaled down: A4 at 600 dots per inch. */
const MAX_DECODED_PIXELS = 36_000_000;
/** A page whose pictures would be painted smaller contains only colour areas. */
const LEAST_SIDE = 16;
const MAX_OBJECTS = 100_000;
const MAX_DEPTH = 8;
/** The longer side of a page that is painted to see whether it is blank. */
const GLANCE_SIDE = 500;
/** Pixels per point of a page of drawings, at which OCR reads small letters: 200 dots per inch. */
const DRAWING_DENSITY = 200 / 72;

/** PDFium's constants for objects on a page. */
const TEXT = 1;
const IMAGE = 3;
const FORM = 5;

/** PDFium's constants for bitmaps: grey, and colours with three or four bytes. */
const GREY_BITMAP = 1;
const BYTES_OF_COLOUR: Readonly<Record<number, number>> = { 2: 3, 3: 4, 4: 4 };
const GREY_PAINT = 0x08;
const SMALL_CACHE = 0x200;
const TO_BE_CONTINUED = 1;
const WHITE = 0xff;
const MATRIX_BYTES = 24;

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
/** @property matrix from the unit square to the page */
type Picture = { object: Pointer; width: number; height: number; matrix: Matrix };
/** @property isWhole false if a picture is too large */
type PageObjects = { pictures: Picture[]; others: Pointer[]; hasText: boolean; isWhole: boolean };

/** @param memoryMb the memory for painting, without the file */
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

  /** Collects the pictures of a page, and the other objects: text, drawings and pictures that are too large. */
  const objectsOf = (page: Pointer): PageObjects => {
    const pictures: Picture[] = [];
    const others: Pointer[] = [];
    let [hasText, isWhole] = [false, true];
    let left = MAX_OBJECTS;
    const visit = (count: number, objectAt: (index: number) => Pointer, around: Matrix, depth: number) => {
      for (let index = 0; index < count && left-- > 0; index++) {
        const object = objectAt(index);
        const kind = pdfium.FPDFPageObj_GetType(object);
        hasText ||= kind === TEXT;
        if (kind !== FORM && kind !== IMAGE) others.push(object);
        else if (kind === FORM && depth < MAX_DEPTH) {
          const inner = (at: number) => pdfium.FPDFFormObj_GetObject(object, at);
          visit(pdfium.FPDFFormObj_CountObjects(object), inner, product(matrixOf(object), around), depth + 1);
        } else if (kind === IMAGE && pdfium.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) {
          const [width, height] = integersAt(scratch);
          if (width * height > MAX_DECODED_PIXELS) {
            isWhole = false;
            others.push(object);
          } else pictures.push({ object, width, height, matrix: product(matrixOf(object), around) });
        }
      }
    };
    const outer = (at: number) => pdfium.FPDFPage_GetObject(page, at);
    visit(pdfium.FPDFPage_CountObjects(page), outer, [1, 0, 0, 1, 0, 0], 0);
    return { pictures, others, hasText, isWhole };
  };

  const paintPage = (page: Pointer, maxPixels: number, deadline: number): PaintedPage | null => {
    const objects = objectsOf(page);
    const { pictures, others, isWhole } = objects;
    const largest = largestOf(pictures);
    const isDrawn = isDrawing(objects);
    if (largest === null && !isDrawn) return { pictures: [], isWhole };
    // Text and drawings can cover pictures.
    if (!isDrawn) for (const object of others) pdfium.FPDFPageObj_SetIsActive(object, false);
    const [pageWidth, pageHeight] = sizeOf(pdfium, page);
    const finest = largest === null ? DRAWING_DENSITY : density(largest);
    const scale = Math.min(finest, Math.sqrt(maxPixels / (pageWidth * pageHeight)));
    const [width, height] = [Math.round(pageWidth * scale), Math.round(pageHeight * scale)];
    if (!(width >= LEAST_SIDE && height >= LEAST_SIDE)) return { pictures: [], isWhole };
    const canvas = paintedGrey(pdfium, page, width, height, deadline);
    if (canvas === null) return null;

    const isSeen = ({ matrix: [a, b, c, d, e, f] }: Picture): boolean => {
      const corner = (x: number, y: number) => {
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, scratch, scratch + 4);
        return integersAt(scratch);
      };
      const [[x1, y1], [x2, y2]] = [corner(e, f), corner(a + c + e, b + d + f)];
      const [left, right] = [Math.max(0, Math.min(x1, x2)), Math.min(width, Math.max(x1, x2))];
      for (let y = Math.max(0, Math.min(y1, y2)); y < Math.min(height, Math.max(y1, y2)); y++) {
        if (hasInk(canvas.subarray(y * width + left, y * width + right))) return true;
      }
      return false;
    };
    const painted: PaintedPage = {
      pictures: hasInk(canvas) ? [greyMap(canvas, width, height)] : [],
      isWhole,
    };
    let left = maxPixels;
    for (const unseen of pictures.filter((picture) => !isSeen(picture))) {
      const decoded = threadMs() < deadline ? decodedGrey(pdfium, unseen.object, left) : null;
      if (decoded === null) painted.isWhole = false;
      else if (decoded.length > 0) {
        painted.pictures.push(decoded);
        left -= decoded.length;
      }
    }
    return painted;
  };

  return {
    paint: (index, maxPixels, deadline) =>
      onPage(pdfium, document, index, (page) => paintPage(page, maxPixels, deadline)),
    look: (index, deadline) =>
      onPage(pdfium, document, index, (page) => lookAt(pdfium, page, objectsOf(page), deadline)),
  };
}

/** Null if there is no such page. Throws if memory runs out. */
function onPage<T>(pdfium: Pdfium, document: Pointer, index: number, work: (page: Pointer) => T): T | null {
  const page = document === 0 ? 0 : pdfium.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const result = work(page);
  pdfium.FPDF_ClosePage(page);
  if (pdfium.isRefused()) throw new Damaged('memory_bound');
  return result;
}

const largestOf = (pictures: readonly Picture[]): Picture | null =>
  pictures.reduce<Picture | null>(
    (most, one) => (most === null || one.width * one.height > most.width * most.height ? one : most),
    null,
  );

/** Whether a page has drawings alone, which can be text as outlines, or pictures in a pattern. */
const isDrawing = ({ pictures, others, hasText, isWhole }: PageObjects): boolean =>
  pictures.length === 0 && others.length > 0 && !hasText && isWhole;

/** In points. */
const sizeOf = (pdfium: Pdfium, page: Pointer) =>
  [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)] as const;

function lookAt(
  pdfium: Pdfium,
  page: Pointer,
  { pictures, isWhole }: PageObjects,
  deadline: number,
): PageLook | null {
  if (!isWhole) return { pixels: Number.POSITIVE_INFINITY, isBlank: false };
  const pixels = pictures.reduce((sum, { width, height }) => sum + width * height, 0);
  if (pixels > 0) return { pixels, isBlank: false };
  const size = sizeOf(pdfium, page);
  const [width = 1, height = 1] = size.map((side) =>
    Math.max(1, Math.round((side * GLANCE_SIDE) / Math.max(...size))),
  );
  const canvas = paintedGrey(pdfium, page, width, height, deadline);
  return canvas && { pixels, isBlank: !hasInk(canvas) };
}

/** The page in grey, one byte per pixel. Null if the deadline passed. */
function paintedGrey(
  pdfium: Pdfium,
  page: Pointer,
  width: number,
  height: number,
  deadline: number,
): Uint8Array | null {
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, GREY_BITMAP, 0, 0);
  if (bitmap === 0) throw new Damaged('memory_bound');
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
  const area = [0, 0, width, height, 0] as const;
  const pause = pdfium.pauseAt(deadline);
  const state = pdfium.FPDF_RenderPageBitmap_Start(bitmap, page, ...area, GREY_PAINT | SMALL_CACHE, pause);
  pdfium.FPDF_RenderPage_Close(page);
  const [from, stride] = [pdfium.FPDFBitmap_GetBuffer(bitmap), pdfium.FPDFBitmap_GetStride(bitmap)];
  const canvas = new Uint8Array(width * height);
  const memory = pdfium.memory();
  for (let y = 0; y < height; y++) {
    canvas.set(memory.subarray(from + y * stride, from + y * stride + width), y * width);
  }
  pdfium.FPDFBitmap_Destroy(bitmap);
  return state === TO_BE_CONTINUED ? null : canvas;
}

/** A picture alone, in its own resolution. Empty if it is white or small. Null if it is too large or cannot be decoded. */
function decodedGrey(pdfium: Pdfium, object: Pointer, maxPixels: number): Uint8Array | null {
  const bitmap = pdfium.FPDFImageObj_GetBitmap(object);
  if (bitmap === 0) return null;
  try {
    const [width, height] = [pdfium.FPDFBitmap_GetWidth(bitmap), pdfium.FPDFBitmap_GetHeight(bitmap)];
    if (width * height > maxPixels) return null;
    const [from, stride] = [pdfium.FPDFBitmap_GetBuffer(bitmap), pdfium.FPDFBitmap_GetStride(bitmap)];
    const bytes = BYTES_OF_COLOUR[pdfium.FPDFBitmap_GetFormat(bitmap)] ?? 1;
    // Of blue, green and red, green is nearest to the brightness.
    const second = from + (bytes === 1 ? 0 : 1);
    const memory = pdfium.memory();
    const grey = new Uint8Array(width * height);
    for (let at = 0, y = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) grey[at] = memory[second + y * stride + x * bytes] ?? WHITE;
    }
    const isRead = width >= LEAST_SIDE && height >= LEAST_SIDE && hasInk(grey);
    return isRead ? greyMap(grey, width, height) : new Uint8Array();
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

const hasInk = (grey: Uint8Array) => grey.some((value) => value !== WHITE);

/** Encodes a picture as PGM, the simplest format. */
const greyMap = (grey: Uint8Array, width: number, height: number) =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey]);

/** Applies `inner`, then `outer`. */
const product = (inner: Matrix, outer: Matrix): Matrix => [
  inner[0] * outer[0] + inner[1] * outer[2],
  inner[0] * outer[1] + inner[1] * outer[3],
  inner[2] * outer[0] + inner[3] * outer[2],
  inner[2] * outer[1] + inner[3] * outer[3],
  inner[4] * outer[0] + inner[5] * outer[2] + outer[4],
  inner[4] * outer[1] + inner[5] * outer[3] + outer[5],
];

/** Pixels of a picture per point of the page. */
const density = ({ width, height, matrix: [a, b, c, d] }: Picture) =>
  Math.max(width / Math.hypot(a, b), height / Math.hypot(c, d));
