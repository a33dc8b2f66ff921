import { readFile } from 'node:fs/promises';
import { NO_ANSWERS } from '../core/inference/answers-so-far.ts';
import { FIRST_ENSEMBLE, infer } from '../core/inference/inference.ts';
import { renderTable } from '../infra/local/table.ts';
import { calibrationError } from './classification/calibration-error.ts';
import { featuresOf, readLabels, taxonomyIndexOf } from './classification/corpus.ts';
import { definitionOf } from './classification/definitions.ts';
import { readOptions } from './support/command-line.ts';

const USAGE = `npm run bench -- classification [FOLDER] [--json]

Measures how often the best domain is right, and the calibration error of the confidence, with the mock provider. The
taxonomy is the label set of the folder, with one line of definition for each label.

  FOLDER  a corpus: FOLDER/classification/labels.tsv with the columns path and label, paths relative to it
  --json  end with one JSON object on the last line`;

const options = readOptions(USAGE);
if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const documents = await readLabels(options.folder);
const labels = [...new Set(documents.map(({ label }) => label))].sort();
const taxonomy = await taxonomyIndexOf(labels, (name) => ({ name, definition: definitionOf(name) }));

type Answer = { label: string; best: string | null; confidence: number };
const answers: Answer[] = [];
for (const { file, label } of documents) {
  const [best] = infer({
    features: await featuresOf(await readFile(file, 'utf8')),
    taxonomy,
    ensemble: FIRST_ENSEMBLE,
    expectedDomainId: null,
    related: [],
    refusedBy: [],
    answers: NO_ANSWERS,
  });
  answers.push({ label, best: best?.domainId ?? null, confidence: best?.confidence ?? 0 });
}

const share = (of: readonly Answer[]) =>
  of.length === 0 ? 0 : of.filter(({ label, best }) => label === best).length / of.length;
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
const groups = [...Map.groupBy(answers, ({ label }) => label)].sort(
  ([a, of], [b, others]) => others.length - of.length || (a < b ? -1 : 1),
);
const figures = {
  accuracy: rounded(share(answers)),
  byLabel: Object.fromEntries(
    groups.map(([label, of]) => [label, { documents: of.length, accuracy: rounded(share(of)) }]),
  ),
  calibrationError: rounded(
    calibrationError(answers.map(({ label, best, confidence }) => ({ confidence, right: label === best }))),
  ),
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
console.log(`\nCalibration error over ten bins of confidence: ${figures.calibrationError.toFixed(3)}`);
if (options.json) console.log(JSON.stringify(figures));

function mean(of: readonly Answer[]): number {
  return of.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, of.length);
}
