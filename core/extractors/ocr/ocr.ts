import { openPdfPainter, type PaintedPage, type PdfPainter } from '../pdf/pdf-painter.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { loadOcrCore, type OcrCore, type PicturePart } from './ocr-core.ts';
import { type OcrWords, ocrWords } from './ocr-words.ts';

export type OcrOptions = {
  /** Codes of installed language data, such as `eng`. */
  languages: readonly string[];
  /** Megabytes that the engine may grow to. */
  memoryMb: number;
  /** Megabytes that the painter of PDF pages may grow to. */
  painterMb: number;
  /** Milliseconds of processor time that the pictures of one file may take, those of the files inside it included. */
  pictureMs: number;
};

/** Pixels of a picture that is read: a sheet of A4 at 350 dots per inch, or what most phones take. */
export const MAX_PICTURE_PIXELS = 12_600_000;
/** What a page is painted on that needed too much memory: half of each side. */
const LESS_PIXELS = MAX_PICTURE_PIXELS / 4;

type Failed = { failed: 'corrupt' | 'time_bound' | 'memory_bound' };
/** @property isWhole false when a part of the picture is not read */
export type OcrOutcome = { text: string; isWhole: boolean } | Failed;

/** What reads the pictures of one file. */
export type Ocr = {
  /** @param orientation as in EXIF, 1 to 8; a picture that is turned nevertheless is read as well */
  read(picture: Uint8Array, orientation: number): Promise<OcrOutcome>;
  pdf(data: Uint8Array): OcrPdf;
};

/** What reads the pages of one PDF. */
export type OcrPdf = {
  /** What the pictures on a page show; nothing where it has none. @param index from 0 */
  read(index: number, orientation: number): Promise<OcrOutcome>;
};

/** EXIF's orientations, each with the one that is it and a quarter turn clockwise more. */
const QUARTER_TURN: Readonly<Record<number, number>> = { 1: 6, 6: 3, 3: 8, 8: 1, 2: 7, 7: 4, 4: 5, 5: 2 };
/** Other turns of a scan in quarters, the likeliest first, where its lines seem to stand and where not. */
const TURNS_OF_SIDE = [1, 3, 2];
const TURNS = [2, 1, 3];
/** What all trials of turns may take of a file's time, since most pictures that are hardly words are photos. */
const TURNS_SHARE = 1 / 2;

/** One engine for a thread, made with the first picture and made anew after it failed; `forFile` starts the time of a file. */
export function createOcr({ languages, memoryMb, painterMb, pictureMs }: OcrOptions): { forFile(): Ocr } {
  let core: OcrCore | null = null;

  const recognise = async (
    picture: Uint8Array,
    orientation: number,
    deadline: number,
    part?: PicturePart,
  ): Promise<OcrWords | Failed> => {
    // Outside the guard: an installation that cannot read anything is not the picture's fault.
    core ??= await loadOcrCore(languages, memoryMb);
    try {
      const table = core.recognise(picture, orientation, deadline, part);
      return table === null ? { failed: 'corrupt' } : ocrWords(table);
    } catch {
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

      /** As it lies; where that is hardly words, and another turn surely is, that one. */
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

/** All lines of a picture after so many quarter turns, but only the half of them that is in the middle. */
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

/** One painter for a PDF, made with the first page and made anew after it failed: then the page is painted smaller. */
function painting(data: Uint8Array, painterMb: number) {
  let painter: PdfPainter | null = null;
  return async (index: number, deadline: number): Promise<PaintedPage | Failed> => {
    for (const pixels of [MAX_PICTURE_PIXELS, LESS_PIXELS]) {
      painter ??= await openPdfPainter(data, painterMb);
      try {
        const page = painter.paint(index, pixels, deadline);
        if (page !== null) return page;
        return { failed: threadMs() > deadline ? 'time_bound' : 'corrupt' };
      } catch {
        painter = null;
      }
    }
    return { failed: 'memory_bound' };
  };
}
