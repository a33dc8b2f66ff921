import type { CustomDetector } from '../detectors/custom-definition.ts';
import { compileCustomDetectors } from '../detectors/custom-detector.ts';
import type { Detector, Signal } from '../detectors/detector.ts';
import { searchText } from '../detectors/engine/detect.ts';
import { toSignal } from '../detectors/engine/to-signal.ts';
import { noWork } from '../detectors/engine/work.ts';
import { fingerprintsOf } from '../detectors/fingerprints.ts';
import { wordsOfFinds } from '../detectors/found-words.ts';
import { DETECTORS } from '../detectors/index.ts';
import {
  type Excerpt,
  type ExcerptBounds,
  hiddenExcerpts,
  redactedExcerpts,
  redactedOpening,
} from '../detectors/redaction.ts';
import { deriveFeatures, embeddingText, type Features, titleLines } from '../inference/features.ts';
import { spellingsOf } from '../inference/spellings.ts';
import type { AboutText } from '../kernel/about-text.ts';
import { searchedWords } from '../search/searched-words.ts';
import { type Sketches, sketchesOf } from '../similarity/sketches.ts';

export type AnalysisArgument = {
  name: string;
  path: string;
  contentHash: string | null;
  excerpts: ExcerptBounds;
  /** The tenant's own detectors, besides the built-in ones. */
  detectors: readonly CustomDetector[];
  /** The tenant's countries. Their identifiers are more likely in a text. */
  homes: readonly string[];
  /** The key for fingerprints of values, in Base64. Null if none are kept. */
  fingerprintKey: string | null;
  /** Hashes of the terms of the approved texts. Null if no spelling of a word is kept. */
  vocabulary: readonly number[] | null;
  /** Whether to return excerpts for a second opinion. */
  forOpinion: boolean;
};

/** What is kept of a text, and the part of it to embed. */
export type Analysis = {
  features: Features;
  sketches: Sketches;
  excerpts: Excerpt[];
  /** The words by which the text is found; see `searchedWords`. */
  wordHashes: number[];
  embeddingText: string;
  /** Parts of the text for a second opinion, without identifiers; empty if none were asked for. */
  opinionExcerpts: string[];
};

/** What to keep of a message, or of a copy in one. */
export type GlanceArgument = Pick<AnalysisArgument, 'detectors' | 'homes'> & {
  /** The most characters of the opening. */
  opening: number;
  /** Names that are masked as texts: those of its attachments. */
  names: readonly string[];
};

/** `opening`: the start of the text, with masked identifiers. */
export type Glance = { signals: Signal[]; opening: string; names: string[] };

const MAX_NAME = 200;
const OPINION_EXCERPTS = { opening: 1_500, max: 3, width: 200 };

/**
 * Analyses a text. It runs in the worker that extracted the text, so that the text never leaves that worker.
 */
export function analyse(text: string | null, argument: AnalysisArgument, about?: AboutText): Analysis;
export function analyse(text: string | null, argument: GlanceArgument): Glance;
export function analyse(
  text: string | null,
  argument: AnalysisArgument | GlanceArgument,
  about: AboutText = {},
): Analysis | Glance {
  return 'opening' in argument ? glance(text ?? '', argument) : analysisOf(text, argument, about);
}

function glance(text: string, { opening, names, detectors, homes }: GlanceArgument): Glance {
  const search = (searched: string) =>
    searchText(searched, allDetectors(detectors), noWork(), new Set(homes));
  const found = search(text);
  return {
    signals: found.hits.map(toSignal),
    opening: opening === 0 ? '' : redactedOpening(text, found, opening),
    names: names.map((name) => redactedOpening(name, search(name), MAX_NAME)),
  };
}

function analysisOf(
  text: string | null,
  argument: AnalysisArgument,
  { title = '', inside = [], table }: AboutText,
): Analysis {
  const { name, path, contentHash, excerpts, detectors, homes, fingerprintKey, vocabulary } = argument;
  const columns = table?.columns ?? null;
  const found = searchText(text ?? '', allDetectors(detectors), noWork(), new Set(homes), columns);
  const { hits } = found;
  const signals = hits.map(toSignal);
  return {
    features: {
      ...deriveFeatures({ name, path, text, title, contentHash, signals, embedding: null }),
      ...(table !== undefined && { table: table.read }),
      ...(fingerprintKey !== null && { fingerprints: fingerprintsOf(fingerprintKey, text ?? '', hits) }),
      ...(vocabulary !== null && {
        spellings: spellingsOf(
          text ?? '',
          titleLines(title, text ?? ''),
          wordsOfFinds(text ?? '', hits),
          vocabulary,
        ),
      }),
    },
    sketches: sketchesOf(text ?? ''),
    excerpts: redactedExcerpts(text ?? '', found, excerpts, inside),
    wordHashes: searchedWords(text ?? '', hits),
    embeddingText: embeddingText(text ?? ''),
    opinionExcerpts: argument.forOpinion ? hiddenExcerpts(text ?? '', found, OPINION_EXCERPTS) : [],
  };
}

const MAX_LISTS = 20;
/** Compiled detectors by their definitions. Compiling costs more than searching a small text. */
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
