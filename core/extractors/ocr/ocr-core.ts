import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { byLibrarySync, Damaged } from '../damage.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { boundedProgram, compileProgram, type LoadModule } from '../pool/wasm-memory.ts';
import { ocrLanguageFile } from './ocr-language.ts';

/** The WebAssembly build of Tesseract without its library, which would start unbounded workers. */
const require = createRequire(import.meta.url);
/** Results of relaxed SIMD depend on the processor, and a file should always have the same text. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const LSTM_ONLY = 1;
const NO_PICTURE = 1;

/** The part of Tesseract's C++ API that is used. */
type TessBaseAPI = {
  Init(dataPath: null, languages: string, engine: number): number;
  /** Reads the file `/input`. */
  SetImageFile(exifOrientation: number, angle: number): number;
  SetRectangle(left: number, top: number, width: number, height: number): void;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
};

type TesseractModule = {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TessBaseAPI;
};

/** It is called for each word. */
type Progress = { TesseractProgress(): void };

/** Tesseract in this thread, so that its memory and time count for the worker. Must not be used after it threw. */
export type OcrCore = {
  /**
   * Returns words as Tesseract's table (TSV), or null if the bytes are no picture that it reads.
   * Throws `Damaged` if the deadline passes, which it checks after each word, or if memory runs out.
   * @param orientation as in EXIF, 1 to 8
   * @param deadline in `threadMs()`
   * @param part of the oriented picture. Without it, all of it is read.
   */
  recognise(picture: Uint8Array, orientation: number, deadline: number, part?: PicturePart): string | null;
};

export type PicturePart = { left: number; top: number; width: number; height: number };

/**
 * Throws if the data of a language is not installed.
 * @param memoryMb the most memory in megabytes
 */
export async function loadOcrCore(languages: readonly string[], memoryMb: number): Promise<OcrCore> {
  let deadline = Number.POSITIVE_INFINITY;
  const load = require(CORE) as LoadModule<TesseractModule, Progress>;
  const program = boundedProgram(
    await compileProgram(await readFile(require.resolve(`${CORE}.wasm`))),
    memoryMb,
  );
  const { FS, TessBaseAPI } = await program.start(load, {
    TesseractProgress() {
      if (threadMs() > deadline) throw new Error('time_bound');
    },
  });
  for (const language of languages) {
    const file = ocrLanguageFile(language);
    if (file === null) throw new Error('no language data');
    FS.writeFile(`${language}.traineddata`, await promisify(gunzip)(await readFile(file)));
  }
  const api = new TessBaseAPI();
  if (api.Init(null, languages.join('+'), LSTM_ONLY) !== 0) throw new Error('unusable language data');
  for (const language of languages) FS.unlink(`${language}.traineddata`);
  return {
    recognise(picture, orientation, until, part) {
      deadline = until;
      return byLibrarySync(() => {
        FS.writeFile('/input', picture);
        const outcome = api.SetImageFile(orientation, 0);
        FS.unlink('/input');
        if (part !== undefined) api.SetRectangle(part.left, part.top, part.width, part.height);
        const isRead = outcome !== NO_PICTURE && api.Recognize(null) === 0;
        if (program.isRefused()) throw new Damaged('memory_bound');
        return isRead ? api.GetTSVText(0) : null;
      });
    },
  };
}
