import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { threadMs } from '../pool/thread-ms.ts';
import { boundedProgram, type WasmInstance } from '../pool/wasm-memory.ts';
import { ocrLanguageFile } from './ocr-language.ts';

/** The WebAssembly build of Tesseract by itself: the library around it starts workers that nobody bounds. */
const require = createRequire(import.meta.url);
/** Sums of relaxed SIMD differ from one processor to the next, and one file should have one text. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const LSTM_ONLY = 1;
const NO_PICTURE = 1;

/** What is used of Tesseract's C++ API. */
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

/** The build's own hooks: how it is instantiated, and what it calls with each word. */
type LoadModule = (hooks: {
  instantiateWasm(imports: object, receive: (instance: WasmInstance) => void): Record<string, never>;
  TesseractProgress(): void;
  printErr(): void;
}) => Promise<TesseractModule>;

/** Tesseract in this thread, where its memory and its time are the worker's own. After it threw it must not be used. */
export type OcrCore = {
  /**
   * Words as Tesseract's table (TSV), or null when the bytes are no picture that it reads.
   * Throws when the time is up, as far as a word can tell, or when it has no more memory.
   * @param orientation as in EXIF, 1 to 8
   * @param deadline of `threadMs()`
   * @param part of the picture as it lies then; without it all of it is read
   */
  recognise(picture: Uint8Array, orientation: number, deadline: number, part?: PicturePart): string | null;
};

export type PicturePart = { left: number; top: number; width: number; height: number };

/** Throws when a language's data is not installed. @param memoryMb what it may grow to */
export async function loadOcrCore(languages: readonly string[], memoryMb: number): Promise<OcrCore> {
  let deadline = Number.POSITIVE_INFINITY;
  const load = require(CORE) as LoadModule;
  const program = await boundedProgram(await readFile(require.resolve(`${CORE}.wasm`)), memoryMb);
  const { FS, TessBaseAPI } = await load({
    instantiateWasm(imports, receive) {
      receive(program.instantiate(imports));
      return {};
    },
    TesseractProgress() {
      if (threadMs() > deadline) throw new Error('time_bound');
    },
    // It would tell what it makes of the file.
    printErr() {},
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
      FS.writeFile('/input', picture);
      const outcome = api.SetImageFile(orientation, 0);
      FS.unlink('/input');
      if (part !== undefined) api.SetRectangle(part.left, part.top, part.width, part.height);
      const isRead = outcome !== NO_PICTURE && api.Recognize(null) === 0;
      if (program.isRefused()) throw new Error('memory_bound');
      return isRead ? api.GetTSVText(0) : null;
    },
  };
}
