import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { NO_ANSWERS } from '../core/inference/answers-so-far.ts';
import type { Features } from '../core/inference/features.ts';
import {
  type Ensemble,
  FIRST_ENSEMBLE,
  infer,
  isCandidate,
  mostLikely,
  scoreTypes,
} from '../core/inference/inference.ts';
import type { TaxonomyIndex } from '../core/inference/taxonomy-index.ts';
import { fitWeights } from '../core/models/fit-weights.ts';
import { type Example, exampleOf } from '../core/models/label-examples.ts';
import { rankByWords } from '../core/models/rank-words.ts';
import { splitByCluster } from '../core/models/split.ts';
import { renderTable } from '../infra/local/table.ts';
import { calibrationError } from './classification/calibration-error.ts';
import { featuresOf, readLabels, taxonomyIndexOf, type Wording } from './classification/corpus.ts';
import { definitionOf } from './classification/definitions.ts';
import { readOptions } from './support/command-line.ts';

const USAGE = `npm run bench -- learning [FOLDER] [--json]

Measures what learned weights change in the share of documents whose best domain is right, after 0, 5, 10, 20 and 50
answers of owners for each type. Held-out documents, several splits, good and poor wordings of the definitions.

  FOLDER  a corpus: FOLDER/classification/labels.tsv with the columns path and label, paths relative to it
  --json  end with one JSON object on the last line`;

const ANSWERS = [0, 5, 10, 20, 50];
const SPLITS = 12;
const HELD_OUT = 0.4;

/** From good to poor. A code name says nothing; the first words of its definition say little. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  'a line of definition': (name) => ({ name, definition: definitionOf(name) }),
  'bare names': (name) => ({ name, definition: '' }),
  'code names, five words': (name, at) => ({
    name: `Class ${at + 1}`,
    definition: definitionOf(name).split(' ').slice(0, 5).join(' '),
  }),
};

type Document = { id: string; label: string; features: Features };

const options = readOptions(USAGE);
if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const documents: Document[] = [];
for (const { file, label } of await readLabels(options.folder))
  documents.push({ id: file, label, features: await featuresOf(await readFile(file, 'utf8')) });
const labels = [...new Set(documents.map(({ label }) => label))].sort();

const inputOf = ({ features }: Document, taxonomy: TaxonomyIndex, ensemble: Ensemble) => ({
  features,
  taxonomy,
  ensemble,
  expectedDomainId: null,
  related: [],
  refusedBy: [],
  answers: NO_ANSWERS,
});

/**
 * What owners would answer about a document: to every question that the model asks, and which type it is if the model
 * does not ask about that.
 */
function answersAbout(document: Document, taxonomy: TaxonomyIndex): Example[] {
  const scored = scoreTypes(inputOf(document, taxonomy, FIRST_ENSEMBLE));
  const asked = mostLikely(scored).filter(({ confidence }) => isCandidate(confidence, FIRST_ENSEMBLE));
  const about = { cluster: document.id, terms: document.features.terms };
  return scored
    .filter((each) => asked.includes(each) || each.informationTypeId === document.label)
    .flatMap(({ informationTypeId }) => {
      const label = { informationTypeId, isPositive: informationTypeId === document.label };
      return exampleOf(scored, label, about) ?? [];
    });
}

type Result = { accuracy: number; calibration: number };
function measure(held: readonly Document[], taxonomy: TaxonomyIndex, ensemble: Ensemble): Result {
  const answers = held.map((document) => {
    const [best] = infer(inputOf(document, taxonomy, ensemble));
    return { right: best?.domainId === document.label, confidence: best?.confidence ?? 0 };
  });
  return {
    accuracy: answers.filter(({ right }) => right).length / answers.length,
    calibration: calibrationError(answers),
  };
}

/** One split: the results after each number of answers for each type. */
async function curve(
  taxonomy: TaxonomyIndex,
  answers: ReadonlyMap<string, Example[]>,
  seed: string,
): Promise<Result[]> {
  const sides = splitByCluster(
    documents.map(({ id, label }) => ({ id, cluster: id, stratum: label })),
    HELD_OUT,
    seed,
  );
  const held = documents.filter(({ id }) => sides?.get(id) === 'held_out');
  // Which documents are on the side of training depends on the seed, and so does which answers come first.
  const training = documents.filter(({ id }) => sides?.get(id) === 'training');
  const all = shuffled(training, seed).flatMap(({ id }) => answers.get(id) ?? []);
  const byType = [...Map.groupBy(all, ({ informationTypeId }) => informationTypeId).values()];
  const results: Result[] = [];
  for (const count of ANSWERS) {
    const examples = byType.flatMap((each) => each.slice(0, count));
    const learned = fitWeights(examples, await rankByWords(examples));
    results.push(measure(held, taxonomy, { ...FIRST_ENSEMBLE, learned }));
  }
  return results;
}

function shuffled<T extends { id: string }>(all: readonly T[], seed: string): T[] {
  const drawn = ({ id }: T) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return all
    .map((each) => ({ each, at: drawn(each) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ each }) => each);
}

const meanOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
/** Mean and 1.96 standard deviations of the splits around it. The splits share documents, so this is no test. */
function spread(values: readonly number[]) {
  const mean = meanOf(values);
  const deviation = Math.sqrt(meanOf(values.map((each) => (each - mean) ** 2)));
  return {
    mean: rounded(mean),
    low: rounded(mean - 1.96 * deviation),
    high: rounded(mean + 1.96 * deviation),
  };
}
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
const figure = ({ mean, low, high }: ReturnType<typeof spread>) =>
  `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

const figures: Record<string, object[]> = {};
for (const [name, wording] of Object.entries(WORDINGS)) {
  const taxonomy = await taxonomyIndexOf(labels, wording);
  const answers = new Map(documents.map((each) => [each.id, answersAbout(each, taxonomy)]));
  const curves: Result[][] = [];
  for (let at = 0; at < (options.smoke ? 1 : SPLITS); at++)
    curves.push(await curve(taxonomy, answers, `split ${at}`));
  const rows = ANSWERS.map((count, at) => {
    const of = (take: (result: Result, before: Result) => number) =>
      spread(
        curves.flatMap((results) => {
          const [before, result] = [results[0], results[at]];
          return before === undefined || result === undefined ? [] : [take(result, before)];
        }),
      );
    return {
      answers: count,
      accuracy: of(({ accuracy }) => accuracy),
      gain: of(({ accuracy }, before) => accuracy - before.accuracy),
      calibrationError: of(({ calibration }) => calibration),
    };
  });
  figures[name] = rows;
  console.log(`\n${name}\n`);
  console.log(
    renderTable(
      ['answers for a type', 'best domain is right', 'gain over none', 'calibration error'],
      rows.map((row) => [row.answers, figure(row.accuracy), figure(row.gain), figure(row.calibrationError)]),
    ),
  );
}
if (options.json) console.log(JSON.stringify(figures));
