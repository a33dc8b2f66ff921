import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extraction, FileHead } from '../../core/extractors/extractor.ts';
import { DEFAULT_EXTRACTION } from '../../core/extractors/pool/extraction-pool.ts';
import type { ExtractionJob, ExtractionWorkerData } from '../../core/extractors/pool/extraction-worker.ts';
import { createWorkerPool } from '../../core/extractors/pool/worker-pool.ts';
import type { Analysis, AnalysisArgument } from '../../core/scan/analyse.ts';

const MB = 256;
const OCR = { languages: ['eng'], memoryMb: MB, painterMb: MB, pictureMs: 30_000 };

/** The threads of a build, and so its chunks, libraries and packages. @param dist the folder of the build */
function threadsOf<Output>(dist: string, analyser: string | null) {
  const at = (file: string) => pathToFileURL(path.join(dist, file));
  const workerData: ExtractionWorkerData = { analyser: analyser && at(analyser).href, ocr: OCR };
  return createWorkerPool<ExtractionJob, Output>({
    entry: at('core/extractors/pool/extraction-worker.js'),
    workerData,
    size: 1,
    cpuMs: DEFAULT_EXTRACTION.cpuMs,
    maxOldSpaceMb: MB,
    maxExternalMb: 3 * MB,
  });
}

async function run<Output>(
  pool: ReturnType<typeof threadsOf<Output>>,
  { name, bytes }: Pick<FileHead, 'name' | 'bytes'>,
  argument: unknown,
): Promise<Output> {
  const file = { name, mimeType: null, bytes, isTable: false };
  const ended = await pool.run({ file, bounds: DEFAULT_EXTRACTION.bounds, argument }, []);
  if (ended.outcome !== 'done') throw new Error(`${name}: ${ended.outcome}`);
  return ended.value;
}

/** The texts of files, as a thread of a build reads them. */
export async function builtTexts(
  dist: string,
  files: readonly Pick<FileHead, 'name' | 'bytes'>[],
): Promise<string[]> {
  const pool = threadsOf<Extraction>(dist, null);
  try {
    const texts: string[] = [];
    for (const file of files) {
      const extraction = await run(pool, file, null);
      texts.push('text' in extraction ? extraction.text : extraction.state);
    }
    return texts;
  } finally {
    await pool.close();
  }
}

/** The detectors that find something in a text, in a thread of a build. */
export async function builtSignals(dist: string, text: string): Promise<string[]> {
  const pool = threadsOf<{ analysis: Analysis }>(dist, 'core/scan/analyse.js');
  const argument: AnalysisArgument = {
    name: 'note.txt',
    path: 'note.txt',
    contentHash: null,
    excerpts: { max: 0, width: 0 },
    detectors: [],
    homes: [],
    fingerprintKey: null,
    vocabulary: null,
    forOpinion: false,
  };
  try {
    const { analysis } = await run(pool, { name: 'note.txt', bytes: Buffer.from(text) }, argument);
    return analysis.features.signals.map(({ detectorId }) => detectorId).sort();
  } finally {
    await pool.close();
  }
}
