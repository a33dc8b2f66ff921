import { findHits, toSignal } from '../detectors/detect.ts';
import { DETECTORS } from '../detectors/index.ts';
import { type Excerpt, type ExcerptBounds, redactedExcerpts } from '../detectors/redaction.ts';
import { deriveFeatures, embeddingText, type Features } from './features.ts';

export type AnalysisArgument = {
  name: string;
  path: string;
  contentHash: string | null;
  excerpts: ExcerptBounds;
};

/** All that is kept of a text, and what of it is to be embedded. */
export type Analysis = { features: Features; excerpts: Excerpt[]; embeddingText: string };

/** What the pipeline makes of a text. Runs in the worker that extracted it, so that the text never leaves it. */
export function analyse(
  text: string | null,
  { name, path, contentHash, excerpts }: AnalysisArgument,
): Analysis {
  const hits = findHits(text ?? '', DETECTORS);
  return {
    features: deriveFeatures({ name, path, text, contentHash, signals: hits.map(toSignal), embedding: null }),
    excerpts: redactedExcerpts(text ?? '', hits, excerpts),
    embeddingText: embeddingText(text ?? ''),
  };
}
