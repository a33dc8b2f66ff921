import { type CustomDetector, compileCustomDetectors } from '../detectors/custom-detector.ts';
import type { Detector } from '../detectors/detector.ts';
import { findHits, noWork, toSignal } from '../detectors/engine/detect.ts';
import { DETECTORS } from '../detectors/index.ts';
import { type Excerpt, type ExcerptBounds, redactedExcerpts } from '../detectors/redaction.ts';
import { deriveFeatures, embeddingText, type Features } from '../inference/features.ts';
import { searchedWords } from '../search/searched-words.ts';
import { type Sketches, sketchesOf } from '../similarity/sketches.ts';

export type AnalysisArgument = {
  name: string;
  path: string;
  contentHash: string | null;
  excerpts: ExcerptBounds;
  /** The tenant's own, beside the built-in ones. */
  detectors: readonly CustomDetector[];
  /** Countries of the tenant, whose numbers are the likelier ones. */
  homes: readonly string[];
};

/** All that is kept of a text, and what of it is to be embedded. */
export type Analysis = {
  features: Features;
  sketches: Sketches;
  excerpts: Excerpt[];
  /** Words by which the text is found; see `searchedWords`. */
  wordHashes: number[];
  embeddingText: string;
};

/** What the pipeline makes of a text. Runs in the worker that extracted it, so that the text never leaves it. */
export function analyse(
  text: string | null,
  { name, path, contentHash, excerpts, detectors, homes }: AnalysisArgument,
  title = '',
): Analysis {
  const hits = findHits(text ?? '', allDetectors(detectors), noWork(), new Set(homes));
  const signals = hits.map(toSignal);
  return {
    features: deriveFeatures({ name, path, text, title, contentHash, signals, embedding: null }),
    sketches: sketchesOf(text ?? ''),
    excerpts: redactedExcerpts(text ?? '', hits, excerpts),
    wordHashes: searchedWords(text ?? '', hits),
    embeddingText: embeddingText(text ?? ''),
  };
}

const MAX_LISTS = 20;
/** Compiled lists by what is in them, since compiling costs more than searching a small text. */
const lists = new Map<string, readonly Detector[]>();

function allDetectors(own: readonly CustomDetector[]): readonly Detector[] {
  if (own.length === 0) return DETECTORS;
  const key = own.map(({ detectorId, version }) => `${detectorId}:${version}`).join();
  const list = lists.get(key) ?? [...DETECTORS, ...compileCustomDetectors(own)];
  lists.set(key, list);
  const [oldest] = lists.keys();
  if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
  return list;
}
