import { loadOcrCore, type OcrCore } from './ocr-core.ts';
import { ocrWords } from './ocr-words.ts';

export type OcrOptions = {
  /** Codes of installed language data, such as `eng`. */
  languages: readonly string[];
  /** Megabytes that the engine may grow to. */
  memoryMb: number;
  /** Milliseconds that the pictures of one file may take, those of the files inside it included. */
  pictureMs: number;
};

/** Pixels of a picture that is read: a sheet of A4 at 350 dots per inch, or what most phones take. */
export const MAX_PICTURE_PIXELS = 12_600_000;

export type OcrOutcome = { text: string } | { failed: 'corrupt' | 'time_bound' | 'memory_bound' };

/** What reads the pictures of one file. */
export type Ocr = {
  /** @param orientation as in EXIF, 1 to 8 */
  read(picture: Uint8Array, orientation: number): Promise<OcrOutcome>;
  /** What `work` gives, or null when the time for pictures is up: then it goes on unwatched. Rejects as `work` does. */
  within<T>(work: () => Promise<T>): Promise<T | null>;
};

/** One engine for a thread, made with the first picture and made anew after it failed; `forFile` starts the time of a file. */
export function createOcr({ languages, memoryMb, pictureMs }: OcrOptions): { forFile(): Ocr } {
  let core: OcrCore | null = null;

  const recognise = async (
    picture: Uint8Array,
    orientation: number,
    deadline: number,
  ): Promise<OcrOutcome> => {
    // Outside the guard: an installation that cannot read anything is not the picture's fault.
    core ??= await loadOcrCore(languages, memoryMb);
    try {
      const table = core.recognise(picture, orientation, deadline);
      return table === null ? { failed: 'corrupt' } : { text: ocrWords(table) };
    } catch {
      core = null;
      return { failed: performance.now() > deadline ? 'time_bound' : 'memory_bound' };
    }
  };

  return {
    forFile() {
      let left = pictureMs;
      const spend = async <T>(work: (deadline: number) => Promise<T>): Promise<T> => {
        const began = performance.now();
        try {
          return await work(began + left);
        } finally {
          left -= performance.now() - began;
        }
      };
      return {
        async read(picture, orientation) {
          if (left <= 0) return { failed: 'time_bound' };
          return spend((deadline) => recognise(picture, orientation, deadline));
        },
        async within(work) {
          if (left <= 0) return null;
          return spend(() => beforeTimeIsUp(work(), left));
        },
      };
    },
  };
}

async function beforeTimeIsUp<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  const time = Promise.withResolvers<null>();
  const timer = setTimeout(() => time.resolve(null), milliseconds);
  try {
    return await Promise.race([work, time.promise]);
  } finally {
    clearTimeout(timer);
  }
}
