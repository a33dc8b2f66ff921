import { isDamage } from '../damage.ts';
import { openPdfPainter, type PaintedPage, type PdfPainter } from '../pdf/pdf-painter.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { loadOcrCore, type OcrCore, type PicturePart } from './ocr-core.ts';
import { type OcrWords, ocrWords } from './ocr-words.ts';

export type OcrOptions = {
  /** Codes of installed languages, such as `eng`. */
  languages: readonly string[];
  /** The most memory of the engine, in megabytes. */
  memoryMb: number;
  /** The most memory of the painter of PDF pages, in megabytes. */
  painterMb: number;
  /** The most processor time for all pictures of one file and the files inside it, in milliseconds. */
  pictureMs: number;
};

/** The most pixels of a picture that is read: A4 at 350 dots per inch, or a photo of most phones. */
export const MAX_PICTURE_PIXELS = 12_600_000;
/** The size at which a page is painted again if it needed too much memory: half of each side. */
const LESS_PIXELS = MAX_PICTURE_PIXELS / 4;

type Failed = { failed: 'corrupt' | 'time_bound' | 'memory_bound' };
/** @property isWhole false if a part of the picture was not read */
export type OcrOutcome = { text: string; isWhole: boolean } | Failed;

/** Reads the pictures of one file. */
export type Ocr = {
  /**
   * Also reads pictures that are rotated contrary to `orientation`.
   * @param orientation as in EXIF, 1 to 8
   */
  read(picture: Uint8Array, orientation: number): Promise<OcrOutcome>;
  pdf(data: Uint8Array): OcrPdf;
};

/** Reads the pages of one PDF. */
export type OcrPdf = {
  /**
   * Reads the pictures on a page. The text is empty if it has none.
   * @param index from 0
   */
  read(index: number, orientation: number): Promise<OcrOutcome>;
};

/** For each EXIF orientation, the one that is a quarter turn further clockwise. */
const QUARTER_TURN: Readonly<Record<number, number>> = { 1: 6, 6: 3, 3: 8, 8: 1, 2: 7, 7: 4, 4: 5, 5: 2 };
/** Further rotations in quarter turns, the most likely first, if the lines seem vertical or not. */
const TURNS_OF_SIDE = [1, 3, 2];
const TURNS = [2, 1, 3];
/** The share of a file's time for trying rotations, because most pictures with few words are photos. */
const TURNS_SHARE = 1 / 2;

/**
 * Creates one engine per thread, with the first picture and again after a failure. `forFile` starts the time limit of
 * a file.
 */
export function createOcr({ languages, memoryMb, painterMb, pictureMs }: OcrOptions): { forFile(): Ocr } {
  let core: OcrCore | null = null;

  const recognise = async (
    picture: Uint8Array,
    orientation: number,
    deadline: number,
    part?: PicturePart,
  ): Promise<OcrWords | Failed> => {
    // Outside the `try`: a broken installation must not be reported as a fault of the picture.
    core ??= await loadOcrCore(languages, memoryMb);
    try {
      const table = core.recognise(picture, orientation, deadline, part);
      return table === null ? { failed: 'corrupt' } : ocrWords(table);
    } catch (error) {
      if (!isDamage(error)) throw error;
      core = null;
      return { failed: threadMs() > deadline ? 'time_bound' : 'memory_bound' };
    }
  };

  return {
    forFile() {
      let left = pictureMs;
      let leftForTurns = pictureMs * TURNS_SHARE;
      let usualQuarters = 0;

      const spend = async <T>(work: (deadline: number) => Promise<T>): Promise<T | Failed> => {
        if (left <= 0) return { failed: 'time_bound' };
        const began = threadMs();
        try {
          return await work(began + left);
        } finally {
          left -= threadMs() - began;
        }
      };

      /** Reads the picture as it is. If that yields few words, returns another rotation that is clearly better. */
      const readTurned = async (picture: Uint8Array, orientation: number, deadline: number) => {
        const read = (quarters: number, until: number, part?: PicturePart) =>
          recognise(picture, turned(orientation, quarters), until, part);
        const first = await read(usualQuarters, deadline);
        if ('failed' in first || first.isSure) return first;
        const began = threadMs();
        const until = Math.min(deadline, began + leftForTurns);
        try {
          for (const more of first.seemsOnSide ? TURNS_OF_SIDE : TURNS) {
            if (threadMs() > until) break;
            const quarters = (usualQuarters + more) % 4;
            const part = first.denseSize === null ? undefined : stripOf(first.denseSize, more);
            let words = await read(quarters, until, part);
            if (!('failed' in words) && words.isSure && part !== undefined) {
              words = await read(quarters, deadline);
            }
            if ('failed' in words) break;
            if (!words.isSure) continue;
            usualQuarters = quarters;
            return words;
          }
          return first;
        } finally {
          leftForTurns -= threadMs() - began;
        }
      };

      const read = async (picture: Uint8Array, orientation: number): Promise<OcrOutcome> => {
        const words = await spend((deadline) => readTurned(picture, orientation, deadline));
        return 'failed' in words ? words : { text: words.text, isWhole: true };
      };

      return {
        read,
        pdf(data) {
          const paint = painting(data, painterMb);
          return {
            async read(index, orientation) {
              const page = await spend((deadline) => paint(index, deadline));
              if ('failed' in page) return page;
              const texts: string[] = [];
              for (const picture of page.pictures) {
                const outcome = await read(picture, orientation);
                if ('failed' in outcome)
                  return texts.length === 0 ? outcome : { text: texts.join('\n'), isWhole: false };
                texts.push(outcome.text);
              }
              return { text: texts.filter((text) => text !== '').join('\n'), isWhole: page.isWhole };
            },
          };
        },
      };
    },
  };
}

/** The middle half of the lines of a picture after some quarter turns. */
function stripOf({ width, height }: { width: number; height: number }, quarters: number): PicturePart {
  const [across, down] = quarters % 2 === 0 ? [width, height] : [height, width];
  const left = Math.floor(across / 4);
  return { left, top: 0, width: across - 2 * left, height: down };
}

function turned(orientation: number, quarters: number): number {
  let turned = orientation;
  for (let more = quarters; more > 0; more--) turned = QUARTER_TURN[turned] ?? 1;
  return turned;
}

/** Creates one painter per PDF, with the first page and again after a failure. The page is then painted smaller. */
function painting(data: Uint8Array, painterMb: number) {
  let painter: PdfPainter | null = null;
  return async (index: number, deadline: number): Promise<PaintedPage | Failed> => {
    for (const pixels of [MAX_PICTURE_PIXELS, LESS_PIXELS]) {
      try {
        painter ??= await openPdfPainter(data, painterMb);
        const page = painter.paint(index, pixels, deadline);
        if (page !== null) return page;
        return { failed: threadMs() > deadline ? 'time_bound' : 'corrupt' };
      } catch (error) {
        if (!isDamage(error)) throw error;
        painter = null;
      }
    }
    return { failed: 'memory_bound' };
  };
}
