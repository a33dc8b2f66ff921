import { extname } from 'node:path';
import type { ExtractionJob } from './extraction-worker.ts';
import type { Extraction, ExtractionBounds, FileHead } from './extractor.ts';
import { createWorkerPool, type WorkerPoolStats } from './worker-pool.ts';

export type ExtractionPoolOptions = {
  /** Worker threads at most. */
  size: number;
  /** Milliseconds that one file may take. */
  wallClockMs: number;
  /** Megabytes of heap per worker, and as many of buffers outside it. */
  maxOldSpaceMb: number;
  /** A larger file is not read. */
  maxInputBytes: number;
  bounds: ExtractionBounds;
};

export const DEFAULT_EXTRACTION: ExtractionPoolOptions = {
  size: 2,
  wallClockMs: 30_000,
  maxOldSpaceMb: 256,
  maxInputBytes: 50_000_000,
  bounds: { maxCharacters: 2_000_000, maxMembers: 10_000, maxInflatedBytes: 200_000_000 },
};

export type ExtractionPool = {
  /**
   * The text of a file, or why there is none, with the milliseconds it took. Rejects only when the pool is closed.
   * The bytes are handed over to the worker: the caller's array is empty afterwards when it owned its whole buffer.
   */
  extract(file: FileHead): Promise<Extraction & { ms: number }>;
  stats(): WorkerPoolStats;
  close(): Promise<void>;
};

/** Extraction in bounded worker threads: a hostile file costs its own outcome and nothing else. */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const { bounds, maxInputBytes, maxOldSpaceMb, size, wallClockMs } = options;
  const pool = createWorkerPool<ExtractionJob, Extraction>({
    // From sources or from the build, the worker stands beside this file with the same extension.
    entry: new URL(`./extraction-worker${extname(import.meta.url)}`, import.meta.url),
    size,
    wallClockMs,
    maxOldSpaceMb,
    maxExternalMb: maxOldSpaceMb,
  });
  return {
    async extract({ name, mimeType, bytes }) {
      if (bytes.byteLength > maxInputBytes) {
        return { state: 'failed', format: 'unknown', reason: 'size_bound', ms: 0 };
      }
      const owned = transferable(bytes);
      const run = await pool.run({ file: { name, mimeType, bytes: owned }, bounds }, [owned.buffer]);
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
