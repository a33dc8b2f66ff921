import { readFile } from 'node:fs/promises';
import { NO_ANSWERS } from '../core/inference/answers-so-far.ts';
import { FIRST_ENSEMBLE, scoreTypes } from '../core/inference/inference.ts';
import { sketchesOf } from '../core/similarity/sketches.ts';
import { renderTable } from '../infra/local/table.ts';
import { featuresOf, readLabels, taxonomyIndexOf } from './classification/corpus.ts';
import { definitionOf } from './classification/definitions.ts';
import { type Owned, type Point, type Simulated, simulate, type Way } from './classification/owners.ts';
import { simulateOverHttp } from './classification/owners-over-http.ts';
import { seeded, shuffled } from './classification/seeded.ts';
import { readOptions } from './support/command-line.ts';

const USAGE = `npm run bench -- owner-effort [FOLDER] [--http] [--json]

Simulates owners who answer every question truthfully. The taxonomies are drawn from the labels of the folder: some of the
labels are types with one line of definition, and the documents of the others belong to no type. Measures after each number
of answers how many documents are classified rightly, how many answers were "not a match", and how many documents of no type
somebody was asked about. The second table is the cost of caution before any answer: what is asked if all types begin lower.

  FOLDER  a corpus: FOLDER/classification/labels.tsv with the columns path and label, paths relative to it
  --http  the owners ask and answer over HTTP, one taxonomy after the other, in the order of the queue alone
  --json  end with one JSON object on the last line`;

const AT = [0, 20, 40, 80, 120, 160];
const TYPES = 12;
const TAXONOMIES = 4;
/** Labels with most documents are in half of the taxonomies, as the types that a customer names are those it has most of. */
const FREQUENT = 2;
const WAYS: Readonly<Record<string, Way>> = {
  'in the order of the queue': { order: 'queue', routes: false },
  'in random order': { order: 'random', routes: false },
  'in the order of the queue, wrong owners name the right one': { order: 'queue', routes: true },
};
const CAUTIONS = [0, -0.5, -1, -1.5, -2, -2.5];

const options = readOptions(USAGE);
if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const documents: (Owned & { label: string; text: string })[] = [];
for (const { file, label } of await readLabels(options.folder)) {
  const text = await readFile(file, 'utf8');
  const { shingles, template } = sketchesOf(text);
  const signatures = { shingles: shingles?.signature ?? null, template: template?.signature ?? null };
  documents.push({ text, label, features: await featuresOf(text), signatures });
}
const counts = new Map<string, number>();
for (const { label } of documents) counts.set(label, (counts.get(label) ?? 0) + 1);
const labels = [...counts.keys()].sort(
  (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1),
);

function drawnLabels(seed: number): string[] {
  const [frequent, others] =
    seed % 2 === 0 ? [labels.slice(0, FREQUENT), labels.slice(FREQUENT)] : [[], labels];
  return [...frequent, ...shuffled(others, seeded(seed))].slice(0, TYPES).sort();
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
const shown = (value: number) => value.toFixed(3);

const figures: Record<string, object> = {};
const seeds = Array.from({ length: options.smoke ? 1 : TAXONOMIES }, (_, seed) => seed);
const taxonomies = await Promise.all(
  seeds.map(async (seed) => {
    const known = drawnLabels(seed);
    return {
      known,
      index: await taxonomyIndexOf(known, (name) => ({ name, definition: definitionOf(name) })),
    };
  }),
);
const ownedOf = (known: readonly string[]) =>
  documents.map((each) => ({ ...each, label: known.includes(each.label) ? each.label : null }));
if (options.http) {
  for (const [seed, { known }] of taxonomies.entries()) {
    show(`taxonomy ${seed}, over HTTP`, [await simulateOverHttp(ownedOf(known), known, AT)]);
  }
  if (options.json) console.log(JSON.stringify(figures));
  process.exit(0);
}
for (const [name, way] of Object.entries(WAYS)) {
  const runs = taxonomies.map(({ known, index }, seed) =>
    simulate(ownedOf(known), index, way, { at: AT, random: seeded(seed) }),
  );
  show(name, runs);
}

function show(name: string, runs: readonly Simulated[]): void {
  const points = AT.map((answers) => {
    // Where no question is left, the last point holds.
    const of = runs.flatMap((run) => run.points.findLast((point) => point.answers <= answers) ?? []);
    const meanOf = (take: (point: Point) => number) => mean(of.map(take));
    return {
      answers,
      right: meanOf(({ right }) => right),
      waste: meanOf(({ waste }) => waste),
      noTypeAsked: meanOf(({ noTypeAsked }) => noTypeAsked),
      open: meanOf(({ open }) => open),
    };
  });
  const asked = runs.reduce((sum, { sure }) => sum + sure.asked, 0);
  const sureRight = runs.reduce((sum, { sure }) => sum + sure.right, 0) / Math.max(1, asked);
  const last = mean(runs.map((run) => run.last));
  figures[name] = { points, sureRight, answersInAll: last };
  console.log(`\n${name}\n`);
  console.log(
    renderTable(
      ['answers', 'right', 'not a match', 'no type, asked about', 'open questions'],
      points.map((each) => [
        each.answers,
        ...[shown(each.right), shown(each.waste), shown(each.noTypeAsked), each.open.toFixed(0)],
      ]),
    ),
  );
  console.log(
    `\nNo question is left after ${last.toFixed(0)} answers. Of those above 0.95, ${shown(sureRight)} were theirs.`,
  );
}

const curve = CAUTIONS.map((outside) => {
  const best = taxonomies.flatMap(({ known, index }) =>
    documents.map(({ label, features }) => {
      const input = { features, taxonomy: index, ensemble: FIRST_ENSEMBLE, expectedDomainId: null };
      const scored = scoreTypes({
        ...input,
        related: [],
        refusedBy: [],
        answers: { ...NO_ANSWERS, unanswered: outside },
      });
      return {
        isTyped: known.includes(label),
        confidence: Math.max(...scored.map(({ confidence }) => confidence)),
      };
    }),
  );
  const share = (isTyped: boolean, least: number) => {
    const of = best.filter((each) => each.isTyped === isTyped);
    return of.filter(({ confidence }) => confidence >= least).length / Math.max(1, of.length);
  };
  return { outside, typed: share(true, 0.4), noType: share(false, 0.4), noTypeHigh: share(false, 0.8) };
});
figures.caution = curve;
console.log(
  '\nBefore any answer: the shares of documents that are asked about, by what every type begins lower\n',
);
console.log(
  renderTable(
    ['log-odds', 'of a type', 'of no type', 'of no type, at 0.8 or more'],
    curve.map(({ outside, typed, noType, noTypeHigh }) => [
      outside,
      shown(typed),
      shown(noType),
      shown(noTypeHigh),
    ]),
  ),
);
if (options.json) console.log(JSON.stringify(figures));
