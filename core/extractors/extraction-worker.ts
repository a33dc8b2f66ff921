import { parentPort } from 'node:worker_threads';
import { extract, extractorFor } from './extract.ts';
import type { Extraction, ExtractionBounds, FileHead } from './extractor.ts';
import type { WorkerMessage } from './worker-pool.ts';

export type ExtractionJob = { file: FileHead; bounds: ExtractionBounds };

const send = (message: WorkerMessage<Extraction>) => parentPort?.postMessage(message);

// What a library prints may quote the file. Silenced here, since captured streams would keep the process alive.
for (const stream of [process.stdout, process.stderr]) stream.write = () => true;

/** Entry of an extraction worker: a file in; its format out, to be known if the worker dies; then the outcome. */
parentPort?.on('message', async ({ file, bounds }: ExtractionJob) => {
  send({ label: extractorFor(file)?.format ?? 'unknown' });
  send({ value: await extract(file, bounds) });
});
