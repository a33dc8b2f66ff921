import './refuse-old-node.ts';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Checkpoint } from '../audit/checkpoint.ts';
import { exportReportText } from '../audit/export-report-text.ts';
import { keptCheckpoints } from '../audit/kept-checkpoints.ts';
import { NotEd25519Key, publicKeyIdOf } from '../audit/signing-key.ts';
import { type ExportFile, verifyExport } from '../audit/verify-export.ts';

const USAGE = `npm run audit:verify -- FILE... [--checkpoint FILE]... [--public-key FILE]... [--json]

Verifies an export of the audit trail (NDJSON) by itself: no database, no configuration, no network. Several files, in
any order, are segments of one trail: each begins with the checkpoint with which another ends.

  --checkpoint FILE  checkpoints that you kept: an answer of GET /api/audit/checkpoints, or items of it. The export must
                     reach and agree with each, and their keys are trusted
  --public-key FILE  a public key that you trust (PEM); the newest checkpoint must be of a trusted key
  --json             print the report as one JSON object

Ends with 0 where everything holds, 1 where something does not, 2 where the check could not be made.`;

/** Files that people hand over beside the export. */
const SMALL_FILE_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const PROGRESS_EVERY_MS = 2_000;

class CannotCheck extends Error {}

async function main(): Promise<number> {
  const { files, json, kept, keyIds } = await readOptions();
  const report = await verifyExport(files.map(exportFile), {
    anchors: {
      trustedKeys: new Set([...keyIds, ...kept.map(({ keyId }) => keyId)]),
      pinned: kept,
    },
    onProgress: progress(),
  });
  const foreign = kept.find(({ tenantId }) => report.tenantId !== null && tenantId !== report.tenantId);
  if (foreign !== undefined) throw new CannotCheck('The checkpoints are of another tenant than the export.');
  console.log(json ? JSON.stringify(report) : exportReportText(report, { kept, keys: keyIds.length }));
  return report.ok ? 0 : 1;
}

async function readOptions() {
  const { values, positionals } = parseArgs({
    options: {
      checkpoint: { type: 'string', multiple: true, default: [] },
      'public-key': { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (positionals.length === 0) throw new CannotCheck(`Name a file.\n\n${USAGE}`);
  const kept: Checkpoint[] = [];
  for (const name of values.checkpoint) {
    const found = keptCheckpoints(await smallFile(name));
    if (found === null) throw new CannotCheck(`${name} holds no checkpoint, or one with a wrong signature.`);
    kept.push(...found);
  }
  const keyIds: string[] = [];
  for (const name of values['public-key']) keyIds.push(keyIdIn(name, await smallFile(name)));
  return { files: positionals, json: values.json, kept, keyIds };
}

const exportFile = (name: string): ExportFile => ({
  name,
  open: () => createReadStream(name, { highWaterMark: READ_BYTES }),
});

async function smallFile(name: string): Promise<string> {
  if ((await stat(name)).size > SMALL_FILE_BYTES) throw new CannotCheck(`${name} is too large.`);
  return readFile(name, 'utf8');
}

function keyIdIn(name: string, text: string): string {
  try {
    return publicKeyIdOf(text);
  } catch (error) {
    if (!(error instanceof NotEd25519Key)) throw error;
    throw new CannotCheck(`${name} holds no Ed25519 public key.`);
  }
}

/** Says on a long file, where nothing else is printed, that it goes on. */
function progress(): (events: number) => void {
  let said = performance.now();
  return (events) => {
    if (performance.now() - said < PROGRESS_EVERY_MS) return;
    said = performance.now();
    console.error(`${events.toLocaleString('en-US')} events hold so far`);
  };
}

process.exitCode = await main().catch((error: unknown) => {
  // A file that cannot be read, an unknown option: what Node says of it is meant for people.
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
