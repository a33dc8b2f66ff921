import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { type Features, packEmbedding } from '../../core/inference/features.ts';
import {
  indexTaxonomy,
  type Taxonomy,
  type TaxonomyIndex,
  taxonomyText,
} from '../../core/inference/taxonomy-index.ts';
import { analyse } from '../../core/scan/analyse.ts';

const never = new AbortController().signal;

export type Labelled = { file: string; label: string };

/** The documents of a corpus with their labels. Throws if the table is not in the documented format. */
export async function readLabels(corpus: string): Promise<Labelled[]> {
  const folder = path.join(corpus, 'classification');
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

/** How a label is worded in the taxonomy. */
export type Wording = (label: string, at: number) => { name: string; definition: string };

/** One domain with one type for each label, embedded by the mock provider. */
export async function taxonomyIndexOf(labels: readonly string[], wording: Wording): Promise<TaxonomyIndex> {
  const worded = labels.map((label, at) => ({ label, ...wording(label, at) }));
  const taxonomy: Taxonomy = {
    domains: worded.map(({ label, name, definition }) => ({
      domainId: label,
      name,
      description: definition,
      inclusion: '',
      exclusion: '',
    })),
    informationTypes: worded.map(({ label, name, definition }) => ({
      informationTypeId: label,
      domainId: label,
      name,
      definition,
      sensitivity: 'internal',
      indicators: { detectors: [], keywords: [] },
    })),
  };
  const texts = taxonomy.domains.flatMap((domain, i) => {
    const type = taxonomy.informationTypes[i];
    return type === undefined ? [] : [taxonomyText(domain, type)];
  });
  const vectors = await mockAiProvider.embed(texts, never);
  return indexTaxonomy(taxonomy, {
    provider: mockAiProvider.name,
    model: mockAiProvider.model,
    vectors: new Map(vectors.map((vector, i) => [labels[i] ?? '', vector])),
  });
}

/**
 * The features that a scan would retain of a text. The asset has no name or folder, because those of a corpus reveal
 * the label.
 */
export async function featuresOf(text: string): Promise<Features> {
  const asset = {
    name: 'document',
    path: 'document',
    contentHash: null,
    excerpts: { max: 0, width: 0 },
    detectors: [],
    homes: [],
    fingerprintKey: null,
    vocabulary: null,
    forOpinion: false,
  };
  const { features, embeddingText } = analyse(text, asset);
  const [vector] = await mockAiProvider.embed([embeddingText], never);
  const { name: provider, model } = mockAiProvider;
  return { ...features, embedding: vector ? packEmbedding({ provider, model, vector }) : null };
}
