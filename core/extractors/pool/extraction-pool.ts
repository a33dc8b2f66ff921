import { moduleBeside } from '../../kernel/module-beside.ts';
import type { Extraction, ExtractionBounds, FileHead } from '../extractor.ts';
import type { ExtractionJob, ExtractionWorkerData } from './extraction-worker.ts';
import { createWorkerPool, type WorkerPoolStats } from './worker-pool.ts';

export type ExtractionPoolOptions = {
  /** The most worker threads. */
  size: number;
  /** The most processor time for one file, in milliseconds. A file that takes four times as long by the clock ends too. */
  cpuMs: number;
  /** The heap of a worker in megabytes. Buffers outside the heap may take as much again. */
  maxOldSpaceMb: number;
  /** Larger files are not read. */
  maxInputBytes: number;
  bounds: ExtractionBounds;
  /** Codes of the installed languages for text in pictures. Pictures are not read if there are none. */
  ocrLanguages?: readonly string[];
};

export const DEFAULT_EXTRACTION: ExtractionPoolOptions = {
  size: 2,
  cpuMs: 30_000,
  maxOldSpaceMb: 256,
  maxInputBytes: 50_000_000,
  bounds: { maxCharacters: 2_000_000, maxMembers: 10_000, maxInflatedBytes: 200_000_000, maxDepth: 3 },
};

/** The share of a worker's time and buffers for pictures, so that the other text of a file can still be read. */
const OCR_SHARE = 0.6;
/** The share for painting a PDF page. Workers that read pictures have these buffers in addition. */
const PAINTER_SHARE = 0.75;

type Failed = Extract<Extraction, { state: 'failed' }>;
/** The outcome of a file without its text, and without what only an analysis needs. */
type Ending = Extraction extends infer E
  ? E extends Extraction
    ? Omit<E, 'text' | 'title' | 'table' | 'inside'>
    : never
  : never;

/** The result of an analyser. The text itself never leaves the worker thread. */
export type Analysed<Analysis> = Ending & { analysis: Analysis; analysisMs: number };

export type ExtractionPool<Argument, Output> = {
  /**
   * Extracts a file and returns the outcome with the duration in milliseconds. The bytes are transferred: if the
   * array owns its whole buffer, it is empty afterwards.
   * @throws {WorkerNotStarted} which says nothing about the file
   * @throws {ThreadFault} if an extractor, a detector or the analysis has a bug
   * @throws {Error} if the pool is closed
   */
  extract(file: FileHead, argument: Argument): Promise<(Output | Failed) & { ms: number }>;
  stats(): WorkerPoolStats;
  close(): Promise<void>;
};

/** Extracts in bounded worker threads, so that a hostile file affects no other file. */
export const createExtractionPool = (options: ExtractionPoolOptions): ExtractionPool<void, Extraction> =>
  boundedPool(options, null);

/**
 * Like `createExtractionPool`, with an analysis of the text in the worker under the same bounds.
 * @param analyser module that exports `analyse: Analyse<Argument, Analysis>`. Both types must be
 * structured-cloneable.
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
    entry: moduleBeside('./extraction-worker', import.meta.url),
    workerData,
    size,
    cpuMs,
    maxOldSpaceMb,
    maxExternalMb: maxOldSpaceMb + painterMb,
  });
  return {
    async extract({ name, mimeType, bytes, isTable = false }, argument) {
      if (bytes.byteLength > maxInputBytes) {
        return { state: 'failed', format: 'unknown', reason: 'size_bound', ms: 0 };
      }
      const owned = transferable(bytes);
      const run = await pool.run({ file: { name, mimeType, bytes: owned, isTable }, bounds, argument }, [
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

/** Returns transferable bytes. A view of a shared buffer, such as Node's pool, is copied. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}
