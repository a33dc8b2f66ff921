import { extname } from 'node:path';
import type { Extraction, ExtractionBounds, FileHead } from '../extractor.ts';
import type { ExtractionJob, ExtractionWorkerData } from './extraction-worker.ts';
import { createWorkerPool, type WorkerPoolStats } from './worker-pool.ts';

export type ExtractionPoolOptions = {
  /** Worker threads at most. */
  size: number;
  /** Milliseconds of processor time that one file may take; one that lasts four times as long ends too. */
  cpuMs: number;
  /** Megabytes of heap per worker, and as many of buffers outside it. */
  maxOldSpaceMb: number;
  /** A larger file is not read. */
  maxInputBytes: number;
  bounds: ExtractionBounds;
  /** Languages of the text in pictures, as codes of installed data; pictures are not read without any. */
  ocrLanguages?: readonly string[];
};

export const DEFAULT_EXTRACTION: ExtractionPoolOptions = {
  size: 2,
  cpuMs: 30_000,
  maxOldSpaceMb: 256,
  maxInputBytes: 50_000_000,
  bounds: { maxCharacters: 2_000_000, maxMembers: 10_000, maxInflatedBytes: 200_000_000, maxDepth: 3 },
};

/** What pictures may take of a worker's time and buffers, so that they do not cost the text around them. */
const OCR_SHARE = 0.6;
/** What a page of a PDF may take while it is painted, in buffers that a worker that reads pictures has besides. */
const PAINTER_SHARE = 0.75;

type Failed = Extract<Extraction, { state: 'failed' }>;
/** How a file ended, without its text and its title. */
type Ending = Extraction extends infer E ? (E extends Extraction ? Omit<E, 'text' | 'title'> : never) : never;

/** What an analyser made of a text, which itself never leaves its thread. */
export type Analysed<Analysis> = Ending & { analysis: Analysis; analysisMs: number };

/**
 * A module's export `analyse`: called in the worker with the text of each file, null where there is none, and the title
 * that the file states, empty where it states none.
 */
export type Analyse<Argument, Analysis> = (
  text: string | null,
  argument: Argument,
  title: string,
) => Analysis;

export type ExtractionPool<Argument, Output> = {
  /**
   * The outcome of a file, with the milliseconds it took.
   * The bytes are handed over to the worker: the caller's array is empty afterwards when it owned its whole buffer.
   * @throws {WorkerNotStarted} which is no verdict on the file
   * @throws {Error} when the pool is closed
   */
  extract(file: FileHead, argument: Argument): Promise<(Output | Failed) & { ms: number }>;
  stats(): WorkerPoolStats;
  close(): Promise<void>;
};

/** Extraction in bounded worker threads: a hostile file costs its own outcome and nothing else. */
export const createExtractionPool = (options: ExtractionPoolOptions): ExtractionPool<void, Extraction> =>
  boundedPool(options, null);

/**
 * The same, with what follows extraction done in the worker too and under the same bounds.
 * @param analyser module that exports `analyse: Analyse<Argument, Analysis>`; both types must survive a structured clone
 */
export const createAnalysisPool = <Argument, Analysis>(
  options: ExtractionPoolOptions,
  analyser: URL,
): ExtractionPool<Argument, Analysed<Analysis>> => boundedPool(options, analyser);

function boundedPool<Argument, Output>(
  { bounds, maxInputBytes, maxOldSpaceMb, ocrLanguages = [], size, cpuMs }: ExtractionPoolOptions,
  analyser: URL | null,
): ExtractionPool<Argument, Output> {
  const painterMb = ocrLanguages.length === 0 ? 0 : maxOldSpaceMb * PAINTER_SHARE;
  const workerData: ExtractionWorkerData = {
    analyser: analyser?.href ?? null,
    ocr:
      ocrLanguages.length === 0
        ? null
        : {
            languages: ocrLanguages,
            memoryMb: maxOldSpaceMb * OCR_SHARE,
            painterMb,
            pictureMs: cpuMs * OCR_SHARE,
          },
  };
  const pool = createWorkerPool<ExtractionJob, Output>({
    // From sources or from the build, the worker stands beside this file with the same extension.
    entry: new URL(`./extraction-worker${extname(import.meta.url)}`, import.meta.url),
    workerData,
    size,
    cpuMs,
    maxOldSpaceMb,
    maxExternalMb: maxOldSpaceMb + painterMb,
  });
  return {
    async extract({ name, mimeType, bytes }, argument) {
      if (bytes.byteLength > maxInputBytes) {
        return { state: 'failed', format: 'unknown', reason: 'size_bound', ms: 0 };
      }
      const owned = transferable(bytes);
      const run = await pool.run({ file: { name, mimeType, bytes: owned }, bounds, argument }, [
        owned.buffer,
      ]);
      if (run.outcome === 'done') return { ...run.value, ms: run.ms };
      const reason = run.outcome === 'crashed' ? 'corrupt' : run.outcome;
      return { state: 'failed', format: run.label ?? 'unknown', reason, ms: run.ms };
    },
    stats: pool.stats,
    close: pool.close,
  };
}

/** Bytes that may leave this thread: a view of a shared buffer, such as Node's pool, is copied first. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}
