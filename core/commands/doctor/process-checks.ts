import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { type Config, ConfigError } from '../../config/config.ts';
import { analysisFor } from '../../runtime.ts';
import { type Check, fail, type Outcome, pass, skipped, warn } from './check.ts';
import { reasonOf } from './reason.ts';

const TESTED_NODE = 24;
const MIB = 1024 * 1024;
/** What a process takes beside its extraction threads. */
const PROCESS_MB = 384;
/** A thread has as much for its buffers as for its heap. */
const BUFFERS_PER_HEAP = 1;
/** Painting pages takes more, where text in images is read. */
const PAINTER_PER_HEAP = 0.75;
/** A thread loads every extractor and detector. */
const EXTRACTION_WITHIN_MS = 60_000;
/** The Functions host passes on headers up to 32 KiB, and adds some. */
const HEADER_BYTES = 49_152;

export const PROCESS_CHECKS: readonly Check[] = [
  {
    id: 'processes.node',
    proves: `Node has the version that the service is tested on, ${TESTED_NODE}.`,
    needs: [],
    run: () => {
      const said = `This is Node ${process.versions.node}.`;
      if (process.versions.node.startsWith(`${TESTED_NODE}.`)) return pass(said);
      return warn(`${said} The service is tested on Node ${TESTED_NODE}.`, `Use Node ${TESTED_NODE}.`);
    },
  },
  {
    id: 'processes.memory',
    proves:
      'The memory of this machine or container is enough for one process with all its extraction threads.',
    needs: ['configuration.settings'],
    run: ({ config }) => judgeMemory(config, Math.min(process.constrainedMemory() || totalmem(), totalmem())),
  },
  {
    id: 'processes.temporary-folder',
    proves: 'The temporary folder can be written to: a folder is made and removed.',
    needs: [],
    run: async () => {
      try {
        await rmdir(await mkdtemp(path.join(tmpdir(), 'doctor-')));
      } catch (error) {
        return fail(
          `The temporary folder cannot be written to: ${reasonOf(error)}.`,
          'Mount a writable volume at /tmp, or name another folder in TMPDIR.',
        );
      }
      return pass('A folder was made and removed.');
    },
  },
  {
    id: 'processes.extraction',
    proves: 'An extraction thread starts with its limits, and reads a text.',
    needs: ['configuration.settings'],
    withinMs: EXTRACTION_WITHIN_MS,
    run: ({ config }) => tryExtraction(config),
  },
  {
    id: 'processes.headers',
    proves: 'The language worker of this Functions host accepts the headers that the host passes on.',
    needs: [],
    run: ({ languageWorkerArguments }) => judgeHeaders(languageWorkerArguments),
  },
];

export function judgeMemory(config: Config, bytes: number): Outcome {
  const { SVC_EXTRACT_WORKERS: threads, SVC_EXTRACT_WORKER_MB: heap, SVC_OCR: reads } = config;
  const needed = PROCESS_MB + threads * heap * (1 + BUFFERS_PER_HEAP + (reads ? PAINTER_PER_HEAP : 0));
  const had = Math.floor(bytes / MIB);
  const said = `There are ${had} MiB. One process may take ${Math.ceil(needed)} MiB.`;
  if (had >= needed) return pass(said);
  return warn(said, 'Give it more memory, or lower SVC_EXTRACT_WORKERS or SVC_EXTRACT_WORKER_MB.');
}

async function tryExtraction(config: Config): Promise<Outcome> {
  const name = 'doctor.txt';
  let analysis: ReturnType<typeof analysisFor> | undefined;
  try {
    analysis = analysisFor(config);
    const { state } = await analysis.extract(
      { name, mimeType: 'text/plain', bytes: Buffer.from('An invoice of the doctor.') },
      {
        name,
        path: name,
        contentHash: null,
        excerpts: { max: 0, width: 0 },
        detectors: [],
        homes: [],
        fingerprintKey: null,
        vocabulary: null,
        forOpinion: false,
      },
    );
    if (state === 'available') return pass('A thread started and read a text.');
    return fail(`A thread started and did not read a text: ${state}.`, 'Raise SVC_EXTRACT_WORKER_MB.');
  } catch (error) {
    if (error instanceof ConfigError)
      return fail('The settings of extraction are not usable.', ...error.problems);
    return fail(
      `No extraction thread started: ${reasonOf(error)}.`,
      'Give the process more memory, or lower SVC_EXTRACT_WORKERS.',
    );
  } finally {
    await analysis?.close();
  }
}

/** @param args the arguments of Node; null where there is no Functions host */
function judgeHeaders(args: string | null): Outcome {
  if (args === null) return skipped('This is not the environment of a Functions host.');
  const bytes = Number(/--max-http-header-size=(\d+)/.exec(args)?.[1] ?? 0);
  if (bytes >= HEADER_BYTES) return pass(`Headers may have ${bytes} bytes.`);
  return warn(
    'The language worker refuses headers that the host accepts, and such a request holds a slot.',
    `Set languageWorkers__node__arguments to --max-http-header-size=${HEADER_BYTES}.`,
  );
}
