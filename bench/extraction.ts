import path from 'node:path';
import { printable, renderTable } from '../infra/local/table.ts';
import { type Document, hasExtension, readDocuments } from './extraction/documents.ts';
import { pdfiumGaps } from './extraction/pdfium-gaps.ts';
import { SIDES } from './extraction/peers.ts';
import type { Answer } from './extraction/reader.ts';
import { type Outcome, runSides } from './extraction/run-sides.ts';
import { buildModule } from './support/build.ts';
import { readOptions } from './support/command-line.ts';
import { havePeers } from './support/peers.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- extraction [FOLDER] [--only .doc,.xls] [--json]

Measures the share of expected strings found in real documents, with time and memory, compared with npm packages for
the same formats, which are installed if missing. Each side runs in its own process on the files that it claims.
The words of every PDF are compared with those that PDFium reads itself.

  FOLDER  a corpus: FOLDER/documents.jsonl lists paths below it with mustContain, mustNotContain, encrypted, size
  --only  files with these extensions, and no peers
  --json  end with one JSON object on the last line`;

/** How many of the missing words of a PDF are shown. */
const MAX_WORDS = 10;

const rounded = (value: number) => Math.round(value * 10) / 10;
const basename = (outcome: Outcome | undefined) => (outcome === undefined ? '' : path.basename(outcome.path));

type Answered = Outcome & { answer: Answer };

const isAnswered = (outcome: Outcome): outcome is Answered => typeof outcome.answer !== 'string';

/**
 * The time of reading alone, in seconds by the clock and of all processors. Starting the process and comparing
 * strings do not count.
 * @param isTimed selects the files to time
 */
function figuresOf(outcomes: readonly Outcome[], isTimed: (outcome: Outcome) => boolean = () => true) {
  const answered = outcomes.filter(isAnswered);
  const timed = answered.filter(isTimed);
  const count = (answer: 'crash' | 'hang') => outcomes.filter((one) => one.answer === answer).length;
  const sum = (of: readonly Answered[], value: (outcome: Answered) => number) =>
    of.reduce((total, outcome) => total + value(outcome), 0);
  const seconds = sum(timed, ({ answer }) => answer.ms) / 1000;
  return {
    files: outcomes.length,
    expected: outcomes.reduce((total, { mustContain }) => total + mustContain.length, 0),
    found: sum(answered, ({ answer }) => answer.found.length),
    forbiddenFound: sum(answered, ({ answer }) => answer.forbidden.length),
    crashes: count('crash'),
    hangs: count('hang'),
    timed: timed.length,
    seconds: Math.round(seconds * 100) / 100,
    cpuSeconds: Math.round(sum(timed, ({ answer }) => answer.cpuMs) / 10) / 100,
    docsPerSecond: rounded(timed.length / seconds),
    mbPerSecond: rounded(sum(timed, ({ size }) => size) / 1e6 / seconds),
    peakRssMb: Math.round(Math.max(0, ...answered.map(({ answer }) => answer.peakRssMb))),
  };
}

function statesOf(outcomes: readonly Answered[]): Record<string, number> {
  const states: Record<string, number> = {};
  for (const { answer } of outcomes) {
    const state = [answer.state, answer.reason].filter((word) => word !== null).join(' ');
    states[state] = (states[state] ?? 0) + 1;
  }
  return states;
}

function detailsOf(outcomes: readonly Outcome[]) {
  const answered = outcomes.filter(isAnswered);
  const encrypted = answered.filter((outcome) => outcome.encrypted !== null);
  const missing = (outcome: Outcome) =>
    outcome.mustContain.filter((text) => !(isAnswered(outcome) && outcome.answer.found.includes(text)));
  const failed = outcomes.filter(
    (outcome) => !isAnswered(outcome) || /(?:time|memory)_bound/.test(outcome.answer.reason ?? ''),
  );
  return {
    states: statesOf(answered),
    encrypted: encrypted.length,
    // A file with a default password, or with other unencrypted members, is read and not refused.
    encryptedNamed: encrypted.filter(
      ({ answer }) => answer.reason === 'encrypted' || answer.state === 'available',
    ).length,
    slowest: basename(answered.toSorted((a, b) => b.answer.ms - a.answer.ms)[0]),
    stopped: failed.map((outcome) => outcome.path),
    missed: outcomes.flatMap((outcome) => missing(outcome).map((text) => ({ path: outcome.path, text }))),
    forbidden: answered.flatMap(({ path: file, answer }) =>
      answer.forbidden.map((text) => ({ path: file, text })),
    ),
  };
}

const gaveText = (outcome: Outcome) =>
  isAnswered(outcome) && (outcome.answer.state === 'available' || outcome.answer.state === 'partial');

/** Compares a peer with the product on the files that the peer claims. Only files that both read are timed. */
async function compareWith(module: string, peer: string, folder: string, documents: readonly Document[]) {
  const claims = SIDES[peer]?.claims ?? [];
  const claimed = documents.filter((document) => hasExtension(document, claims));
  const [theirs = [], ours = []] = await runSides(module, [peer, 'ours'], folder, claimed);
  const read = [theirs, ours].map((outcomes) => new Set(outcomes.filter(gaveText).map((one) => one.path)));
  // Refusing a file takes no time.
  const isTimed = (outcome: Outcome) => read.every((paths) => paths.has(outcome.path));
  return { peer: figuresOf(theirs, isTimed), ours: figuresOf(ours, isTimed) };
}

type Peers = Record<string, Awaited<ReturnType<typeof compareWith>>>;

async function measure(module: string, folder: string, documents: readonly Document[], withPeers: boolean) {
  const [outcomes = []] = await runSides(module, ['ours'], folder, documents);
  const peers: Peers = {};
  for (const peer of withPeers ? Object.keys(SIDES).filter((side) => side !== 'ours') : []) {
    // A peer that does not start here is skipped.
    const compared = await compareWith(module, peer, folder, documents).catch(() => null);
    if (compared !== null) peers[peer] = compared;
  }
  return { ours: { ...figuresOf(outcomes), ...detailsOf(outcomes) }, peers };
}

const { folder, json, only, smoke } = readOptions(USAGE);
if (folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const documents = await readDocuments(folder, only);
const withPeers = only === undefined && (await havePeers(smoke));
const { ours, peers } = await inWorkspace(async (workspace) =>
  measure(await buildModule(workspace.folder, 'bench/extraction/reader.ts'), folder, documents, withPeers),
);
const gaps = await pdfiumGaps(folder, documents);
const withGap = gaps.filter(({ words }) => words.length > 0);

const row = (name: string, figures: ReturnType<typeof figuresOf>) => [
  name,
  figures.files,
  `${figures.found} of ${figures.expected}`,
  figures.forbiddenFound,
  figures.crashes + figures.hangs,
  figures.timed,
  figures.seconds,
  figures.cpuSeconds,
  figures.docsPerSecond,
  figures.mbPerSecond,
  figures.peakRssMb,
];
console.log(
  renderTable(
    [
      'Extraction',
      'files',
      'found',
      'forbidden',
      'crashed',
      'timed',
      's',
      'CPU s',
      'files/s',
      'MB/s',
      'peak MB',
    ],
    [
      row('ours, all files', ours),
      ...Object.entries(peers).flatMap(([peer, sides]) => [
        row(peer, sides.peer),
        row(`ours, the same files`, sides.ours),
      ]),
    ],
  ),
);
const absent = Object.keys(SIDES).filter((side) => side !== 'ours' && peers[side] === undefined);
if (only === undefined && absent.length > 0) console.log(`Not compared: ${absent.join(', ')}\n`);
console.log(renderTable(['State', 'files'], Object.entries(ours.states)));
const listed = (word: string, file: string, text = '') =>
  console.log(printable(`${word.padEnd(10)} ${file} ${text}`).trimEnd());
for (const { path: file, text } of ours.missed) listed('missed', file, text);
for (const { path: file, text } of ours.forbidden) listed('forbidden', file, text);
for (const file of ours.stopped) listed('stopped', file);
listed('slowest', ours.slowest);
console.log(`PDFium reads ${gaps.length} PDFs; words of ${withGap.length} are missing`);
for (const { path: file, state, words } of withGap) {
  listed('gap', file, `${state}: ${words.length} (${words.slice(0, MAX_WORDS).join(' ')})`);
}
if (json) console.log(JSON.stringify({ ...ours, peers, pdfium: { files: gaps.length, gaps: withGap } }));
