import { readFile } from 'node:fs/promises';
import { NO_ANSWERS } from '../core/inference/answers-so-far.ts';
import { FIRST_ENSEMBLE, infer } from '../core/inference/inference.ts';
import type { TaxonomyIndex } from '../core/inference/taxonomy-index.ts';
import { renderTable } from '../infra/local/table.ts';
import { calibrationError } from './classification/calibration-error.ts';
import { featuresOf, readLabels, taxonomyIndexOf } from './classification/corpus.ts';
import { definitionOf } from './classification/definitions.ts';
import { seeded, shuffled } from './classification/seeded.ts';
import { readOptions } from './support/command-line.ts';

const USAGE = `npm run bench -- classification [FOLDER] [--json]

Measures how often the best domain is right, and the calibration error of the confidence, with the mock provider. The
taxonomy is the label set of the folder, with one line of definition for each label. Then it draws taxonomies that lack some
of the labels, and measures how many documents of no type somebody would be asked about.

  FOLDER  a corpus: FOLDER/classification/labels.tsv with the columns path and label, paths relative to it
  --json  end with one JSON object on the last line`;

const options = readOptions(USAGE);
if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const SIZES = [6, 12, 20];
const SUBSETS = 6;
const DRAWS = 200;

const documents = await readLabels(options.folder);
const labels = [...new Set(documents.map(({ label }) => label))].sort();
const taxonomy = await taxonomyIndexOf(labels, (name) => ({ name, definition: definitionOf(name) }));

type Answer = { label: string; best: string | null; confidence: number };
const read = await Promise.all(
  documents.map(async ({ file, label }) => ({
    label,
    features: await featuresOf(await readFile(file, 'utf8')),
  })),
);
const answersOf = (of: TaxonomyIndex): Answer[] =>
  read.map(({ label, features }) => {
    const [best] = infer({
      ...{ features, taxonomy: of, ensemble: FIRST_ENSEMBLE, expectedDomainId: null },
      ...{ related: [], refusedBy: [], answers: NO_ANSWERS },
    });
    return { label, best: best?.domainId ?? null, confidence: best?.confidence ?? 0 };
  });
const answers = answersOf(taxonomy);

/** The mean calibration error if each confidence were exactly the chance to be right. */
function calibrationByChance(): number {
  const random = seeded(1);
  const errors = Array.from({ length: DRAWS }, () =>
    calibrationError(answers.map(({ confidence }) => ({ confidence, right: random() < confidence }))),
  );
  return errors.reduce((sum, each) => sum + each, 0) / DRAWS;
}

/** Taxonomies that lack some of the labels: the documents of these belong to no type. */
async function withoutLabels(size: number) {
  const all = { typed: 0, right: 0, asked: 0, noType: 0, noTypeAsked: 0, noTypeHigh: 0 };
  for (let seed = 0; seed < (options.smoke ? 1 : SUBSETS); seed++) {
    const known = shuffled(labels, seeded(size * SUBSETS + seed)).slice(0, size);
    const of = await taxonomyIndexOf(known.sort(), (name) => ({ name, definition: definitionOf(name) }));
    for (const { label, best, confidence } of answersOf(of)) {
      if (known.includes(label)) {
        all.typed++;
        if (best === label) all.right++;
        if (confidence >= FIRST_ENSEMBLE.candidateThreshold) all.asked++;
      } else {
        all.noType++;
        if (confidence >= FIRST_ENSEMBLE.candidateThreshold) all.noTypeAsked++;
        if (confidence >= FIRST_ENSEMBLE.reviewHighThreshold) all.noTypeHigh++;
      }
    }
  }
  const of = (count: number, whole: number) => rounded(count / Math.max(1, whole));
  return {
    ...{ types: size, right: of(all.right, all.typed), asked: of(all.asked, all.typed) },
    ...{ noTypeAsked: of(all.noTypeAsked, all.noType), noTypeHigh: of(all.noTypeHigh, all.noType) },
  };
}

const share = (of: readonly Answer[]) =>
  of.length === 0 ? 0 : of.filter(({ label, best }) => label === best).length / of.length;
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
const groups = [...Map.groupBy(answers, ({ label }) => label)].sort(
  ([a, of], [b, others]) => others.length - of.length || (a < b ? -1 : 1),
);
const partial: Awaited<ReturnType<typeof withoutLabels>>[] = [];
for (const size of SIZES) partial.push(await withoutLabels(size));
const figures = {
  accuracy: rounded(share(answers)),
  byLabel: Object.fromEntries(
    groups.map(([label, of]) => [label, { documents: of.length, accuracy: rounded(share(of)) }]),
  ),
  calibrationError: rounded(
    calibrationError(answers.map(({ label, best, confidence }) => ({ confidence, right: label === best }))),
  ),
  calibrationByChance: rounded(calibrationByChance()),
  partial,
};

console.log(
  renderTable(
    ['Label', 'documents', 'best domain is right', 'confidence'],
    [
      ...groups.map(([label, of]) => [label, of.length, share(of).toFixed(3), mean(of).toFixed(3)]),
      ['all', answers.length, figures.accuracy.toFixed(3), mean(answers).toFixed(3)],
    ],
  ),
);
console.log(
  `\nCalibration error over ten bins of confidence: ${figures.calibrationError.toFixed(3)}. Chance alone makes ${figures.calibrationByChance.toFixed(3)}.\n`,
);
console.log(
  renderTable(
    [
      'Types',
      'best domain is right',
      'asked about',
      'no type, asked about',
      'no type, at the high threshold',
    ],
    partial.map((each) => [
      each.types,
      ...[each.right, each.asked, each.noTypeAsked, each.noTypeHigh].map((value) => value.toFixed(3)),
    ]),
  ),
);
if (options.json) console.log(JSON.stringify(figures));

function mean(of: readonly Answer[]): number {
  return of.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, of.length);
}
