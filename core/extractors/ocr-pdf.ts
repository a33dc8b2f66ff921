import type { BoundedText } from './bounded-text.ts';
import { MAX_PICTURE_PIXELS, type Ocr } from './ocr.ts';
import { pdfPictureSize, writeFaxes } from './ocr-fax.ts';
import { greyPicture } from './ocr-picture.ts';
import { pdfStreams } from './pdf-streams.ts';

/** What is used of a page as pdf.js gives it. */
type Page = {
  /** Degrees clockwise that a reader turns it by. */
  readonly rotate: number;
  getOperatorList(): Promise<{ fnArray: number[]; argsArray: unknown[][] }>;
  objs: Objects;
  commonObjs: Objects;
};
type Objects = { get(id: string, receive: (value: unknown) => void): unknown };

/** A scan may be cut in strips, and its writing may lie on a layer of its own; more is no scan. */
const MAX_PICTURES = 16;
/** Lower or narrower ones are rules and bullets. */
const LEAST_SIDE = 16;

/** EXIF's names for a picture that is to be turned. */
const ORIENTATION: Readonly<Record<number, number>> = { 90: 6, 180: 3, 270: 8 };

/** A picture that is not read is no damage: without its text the file is what it is to who reads no pictures. */
type LeftOut = 'member_bound' | null;

/** Reads the pictures of one PDF. Each appends text and says whether it left something out; none rejects. */
export type PdfPictures = {
  /** Those on a page. */
  writePage(page: Page, text: BoundedText): Promise<LeftOut>;
  /** After all pages: those that were met on a page and not decoded. */
  writeRest(text: BoundedText): Promise<LeftOut>;
};

/** @param data the file as it came */
export function pdfPictures(data: Buffer, ocr: Ocr): PdfPictures {
  let coded = 0;

  const writePicture = async (
    page: Page,
    picture: unknown,
    isMask: boolean,
    text: BoundedText,
  ): Promise<LeftOut> => {
    const id = isMask && isObject(picture) ? picture.data : picture;
    const held = await ocr.within(async () => ({
      pixels: typeof id === 'string' ? await resolved(page, id) : picture,
    }));
    if (held === null) return 'member_bound';
    const grey = isObject(held.pixels) ? greyPicture(held.pixels, isMask) : null;
    if (grey === null) {
      coded++;
      return null;
    }
    if (grey.width < LEAST_SIDE || grey.height < LEAST_SIDE) return null;
    const outcome = await ocr.read(grey.file, ORIENTATION[page.rotate] ?? 1);
    if ('failed' in outcome) return 'member_bound';
    text.line(outcome.text);
    return null;
  };

  const writePage = async (page: Page, text: BoundedText): Promise<LeftOut> => {
    const { OPS } = await (await import('unpdf')).getResolvedPDFJS();
    const drawn = await ocr.within(() => page.getOperatorList());
    if (drawn === null) return 'member_bound';
    const pictures: ReadonlySet<number> = new Set([
      OPS.paintImageXObject,
      OPS.paintInlineImageXObject,
      OPS.paintImageMaskXObject,
    ]);
    let leftOut: LeftOut = null;
    let count = 0;
    for (const [index, operator] of drawn.fnArray.entries()) {
      if (!pictures.has(operator)) continue;
      if (text.full || ++count > MAX_PICTURES) return 'member_bound';
      const isMask = operator === OPS.paintImageMaskXObject;
      leftOut = (await writePicture(page, drawn.argsArray[index]?.[0], isMask, text)) ?? leftOut;
    }
    // pdf.js draws a page without the pictures that are too large for it, and says nothing.
    return count === 0 && hasTooLarge(data) ? 'member_bound' : leftOut;
  };

  const writeRest = async (text: BoundedText): Promise<LeftOut> =>
    coded > 0 && (await writeFaxes(data, text, ocr)) < coded ? 'member_bound' : null;

  const leftAll = (): LeftOut => 'member_bound';
  return {
    writePage: (page, text) => writePage(page, text).catch(leftAll),
    writeRest: (text) => writeRest(text).catch(leftAll),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** What is shared between pages lies apart and is named so. */
const resolved = ({ objs, commonObjs }: Page, id: string) =>
  new Promise<unknown>((resolve) => (id.startsWith('g_') ? commonObjs : objs).get(id, resolve));

function hasTooLarge(data: Buffer): boolean {
  for (const { dictionary } of pdfStreams(data)) {
    const size = pdfPictureSize(dictionary);
    if (size !== null && size.width * size.height > MAX_PICTURE_PIXELS) return true;
  }
  return false;
}
