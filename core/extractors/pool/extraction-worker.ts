import { parentPort, workerData } from 'node:worker_threads';
import type { AboutText } from '../../kernel/about-text.ts';
import { thrownInThread } from '../../kernel/thread-fault.ts';
import { extract, extractorFor } from '../extract.ts';
import type { ExtractionBounds, FileHead } from '../extractor.ts';
import { createOcr, type OcrOptions } from '../ocr/ocr.ts';
import type { WorkerMessage } from './worker-pool.ts';

/**
 * The export `analyse` of a module. The worker calls it with the text of each file (null if there is none) and
 * what is known of it besides.
 */
type Analyse<Argument, Analysis> = (text: string | null, argument: Argument, about: AboutText) => Analysis;

export type ExtractionJob = { file: FileHead; bounds: ExtractionBounds; argument: unknown };
/** @property ocr null if pictures are not read */
export type ExtractionWorkerData = { analyser: string | null; ocr: OcrOptions | null };

const send = (message: WorkerMessage<unknown>) => parentPort?.postMessage(message);

// A library could print content of the file. The streams are silenced here, because captured streams would keep the
// process alive.
for (const stream of [process.stdout, process.stderr]) stream.write = () => true;

const { analyser, ocr: ocrOptions } = workerData as ExtractionWorkerData;
const ocr = ocrOptions && createOcr(ocrOptions);
const analyse =
  analyser === null ? null : ((await import(analyser)) as { analyse: Analyse<unknown, unknown> }).analyse;

/** Receives a file, and posts its format, which is known then even if the worker dies, and the outcome or the bug. */
parentPort?.on('message', async (job: ExtractionJob) => {
  const { file } = job;
  // Posted first, so that whatever happens afterwards is attributed to the file.
  send({ label: 'unknown' });
  try {
    send({ label: extractorFor(file)?.format ?? 'unknown' });
    send({ value: await ended(job) });
  } catch (error) {
    send({ thrown: thrownInThread(error) });
  }
});

async function ended({ file, bounds, argument }: ExtractionJob): Promise<unknown> {
  const extraction = await extract(file, bounds, ocr?.forFile());
  if (analyse === null) return extraction;
  const { text, title, table, inside, ...ending } =
    'text' in extraction
      ? extraction
      : { ...extraction, text: null, title: undefined, table: undefined, inside: undefined };
  const began = performance.now();
  const analysis = analyse(text, argument, { title, table, inside });
  return { ...ending, analysis, analysisMs: performance.now() - began };
}

parentPort?.postMessage('ready');
