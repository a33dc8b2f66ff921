import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { mockAiProvider } from '../core/ai/mock.ts';
import { type Features, packEmbedding } from '../core/inference/features.ts';
import { FIRST_ENSEMBLE, infer } from '../core/inference/inference.ts';
import { indexTaxonomy, type Taxonomy, taxonomyText } from '../core/inference/taxonomy-index.ts';
import { analyse } from '../core/scan/analyse.ts';
import { renderTable } from '../infra/local/table.ts';
import { calibrationError } from './classification/calibration-error.ts';
import { definitionOf } from './classification/definitions.ts';
import { readOptions } from './support/command-line.ts';

const USAGE = `npm run bench -- classification [FOLDER] [--json]

Measures how often the best domain is right, and the calibration error of the confidence, with the mock provider. The
taxonomy is the label set of the folder, with one line of definition for each label.

  FOLDER  a corpus: FOLDER/classification/labels.tsv with the columns path and label, paths relative to it
  --json  end with one JSON object on the last line`;

const never = new AbortController().signal;

type Labelled = { file: string; label: string };

/** The documents with their labels. Throws if the table is not in the documented format. */
async function readLabels(folder: string): Promise<Labelled[]> {
  const [header, ...rows] = (await readFile(path.join(folder, 'labels.tsv'), 'utf8')).split(/\r?\n/);
  if (header !== 'path\tlabel') throw new TypeError('labels.tsv must have the columns path and label');
  return rows
    .filter((row) => row !== '')
    .map((row) => {
      const [file, label, ...more] = row.split('\t');
      if (!file || !label || more.length > 0)
        throw new TypeError('labels.tsv has a row without exactly two columns');
      return { file: path.join(folder, file), label };
    });
}

/** One domain with one type for each label. */
const taxonomyOf = (labels: readonly string[]): Taxonomy => ({
  domains: labels.map((label) => ({
    domainId: label,
    name: label,
    description: definitionOf(label),
    inclusion: '',
    exclusion: '',
  })),
  informationTypes: labels.map((label) => ({
    informationTypeId: label,
    domainId: label,
    name: label,
    definition: definitionOf(label),
    sensitivity: 'internal',
    indicators: { detectors: [], keywords: [] },
  })),
});

/**
 * The features that a scan would retain of a text. The asset has no name or folder, because those of a corpus reveal
 * the label.
 */
async function featuresOf(text: string): Promise<Features> {
  const asset = {
    name: 'document',
    path: 'document',
    contentHash: null,
    excerpts: { max: 0, width: 0 },
    detectors: [],
    homes: [],
    fingerprintKey: null,
  };
  const { features, embeddingText } = analyse(text, asset);
  const [vector] = await mockAiProvider.embed([embeddingText], never);
  const { name: provider, model } = mockAiProvider;
  return { ...features, embedding: vector ? packEmbedding({ provider, model, vector }) : null };
}

async function indexOf(taxonomy: Taxonomy) {
  const texts = taxonomy.domains.flatMap((domain, i) => {
    const type = taxonomy.informationTypes[i];
    return type === undefined ? [] : [taxonomyText(domain, type)];
  });
  const vectors = await mockAiProvider.embed(texts, never);
  return indexTaxonomy(taxonomy, {
    provider: mockAiProvider.name,
    model: mockAiProvider.model,
    vectors: new Map(
      vectors.map((vector, i) => [taxonomy.informationTypes[i]?.informationTypeId ?? '', vector]),
    ),
  });
}

const options = readOptions(USAGE);
if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const documents = await readLabels(path.join(options.folder, 'classification'));
const taxonomy = await indexOf(taxonomyOf([...new Set(documents.map(({ label }) => label))].sort()));

type Answer = { label: string; best: string | null; confidence: number };
const answers: Answer[] = [];
for (const { file, label } of documents) {
  const [best] = infer({
    features: await featuresOf(await readFile(file, 'utf8')),
    taxonomy,
    ensemble: FIRST_ENSEMBLE,
    expectedDomainId: null,
    related: [],
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
