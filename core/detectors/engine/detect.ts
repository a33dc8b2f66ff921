import type { DetectorHits } from '../detector.ts';
import {
  type ConfidenceTier,
  type ContextNeed,
  type Detector,
  type Gate,
  type Hit,
  isNumbered,
  type PatternDetector,
  type Reading,
  type Signal,
  type Verdict,
} from '../detector.ts';
import { checksumConfidence } from './checksum-confidence.ts';
import { codeUnits } from './code-units.ts';
import { type ContextReader, contextReader } from './context.ts';
import { withoutEscapes } from './escapes.ts';
import { findStretches, windowsOf } from './gates.ts';
import { type Group, type PlannedPattern, planOf } from './plan.ts';
import { proveMany, type Span } from './prove-many.ts';
import { settleClaims } from './settle-claims.ts';
import { isolationOf } from './surroundings.ts';

/** Part of the stage-cache key. Raise it when the engine finds or masks something else in some text. */
export const ENGINE_VERSION = 6;

const MAX_POSITIONS = 20;
/** Beyond this number, further hits of a detector are not counted, and the count is a lower bound. */
const MAX_HITS = 100_000;
/** Characters around a window that the guards of a pattern need, to see whether a token goes on. */
const MARGIN = 2;
const NONE: readonly number[] = [];
const CONFIDENCE: Readonly<Record<ConfidenceTier, number>> = {
  sample: 0.2,
  pattern: 0.4,
  context: 0.7,
  checksum: 0.8,
  checksum_of_many: 0.9,
  checksum_and_context: 0.95,
};

/** All that a search knows of a text. */
export type Found = {
  readonly hits: DetectorHits[];
  /** Stretches that some detector did not read because of a bound. They may overlap. */
  readonly unread: readonly Span[];
  /** Stretches that may be identifiers. They may overlap. */
  readonly doubtful: readonly Span[];
  /** The same search in a part of the text, which is short enough to be read as a whole. */
  readonly again: (part: string) => Found;
};

/** What is retained of a text: one signal for each detector that found something, in the order of `detectors`. */
export const detect = (text: string, detectors: readonly Detector[]): Signal[] =>
  findHits(text, detectors).map(toSignal);

/** The cost of a search. Tests compare it with the length of the text. */
export type Work = {
  /** Characters read to find where patterns may match. */
  steps: number;
  /** Runs of a pattern at a position or over a window. */
  runs: number;
  /** Characters of the windows that patterns ran over. */
  windowCharacters: number;
  /** How often the context of a match was read. */
  contextReads: number;
};

export const noWork = (): Work => ({ steps: 0, runs: 0, windowCharacters: 0, contextReads: 0 });

/**
 * Runs all detectors over one text, in time linear in its length. Of two overlapping hits of one detector, the more
 * confident one wins. `settleClaims` decides between detectors.
 * Pass the same list for many texts, because the plan of a list is cached.
 * @param work accumulates the cost
 * @param homes countries of the tenant, see `settleClaims`
 */
export function findHits(
  written: string,
  detectors: readonly Detector[],
  work = noWork(),
  homes?: ReadonlySet<string>,
): DetectorHits[] {
  return searchText(written, detectors, work, homes).hits;
}

/** The same with what the bounds of the detectors leave open, on which excerpts depend. */
export function searchText(
  written: string,
  detectors: readonly Detector[],
  work = noWork(),
  homes?: ReadonlySet<string>,
): Found {
  const { scanner, lexicon, opens, groups, single, finding } = planOf(detectors);
  const text = withoutEscapes(written);
  const codes = codeUnits(text);
  const stretches = findStretches(codes, scanner);
  work.steps += text.length;
  const search: Search = {
    text,
    codes,
    context: contextReader(text, lexicon, codes),
    work,
    found: [],
    refused: [],
    unread: [],
    doubtful: [],
    isFull: false,
  };
  for (const group of groups) {
    const windows = windowsOf(text.length, group.gate, stretches, 0);
    if (windows.length > 0) runTogether(search, group, windows);
  }
  const open = new Set([...stretches.literals.keys()].flatMap((literal) => opens.get(literal) ?? []));
  const mayOpen = (gate: Gate) => gate.kind !== 'literals' || open.has(gate);
  for (const { gate, patterns } of single) {
    const windows = mayOpen(gate) ? windowsOf(text.length, gate, stretches) : NONE;
    if (windows.length > 0) for (const planned of patterns) runOverWindows(search, planned, windows);
  }
  const reading = readingOf(search);
  for (const [place, detector] of finding) {
    const { gate } = detector;
    const windows =
      gate === undefined ? [0, text.length] : mayOpen(gate) ? windowsOf(text.length, gate, stretches) : NONE;
    if (windows.length === 0) continue;
    for (const { start, end, verdict, context } of detector.find(reading, windows)) {
      weigh(search, place, detector, context ?? 'optional', verdict, start, end);
    }
  }
  const found: DetectorHits[] = [];
  for (let place = 0; place < search.found.length; place++) {
    const hits = search.found[place];
    const detector = detectors[place];
    if (hits === undefined || detector === undefined) continue;
    const kept = withoutOverlaps(hits);
    proveMany(text, detector, kept, search.refused[place] ?? []);
    found.push({ detector, hits: kept });
  }
  return {
    hits: settleClaims(found, homes).filter(({ hits }) => hits.length > 0),
    unread: search.isFull ? [{ start: 0, end: text.length }] : search.unread,
    doubtful: search.doubtful,
    again: (part) => searchText(part, detectors, work, homes),
  };
}

export function toSignal({ detector, hits }: DetectorHits): Signal {
  const tiers: Partial<Record<ConfidenceTier, number>> = {};
  let confidence = 0;
  for (const hit of hits) {
    tiers[hit.tier] = (tiers[hit.tier] ?? 0) + 1;
    confidence = Math.max(confidence, hit.confidence);
  }
  return {
    detectorId: detector.id,
    detectorVersion: detector.version,
    family: detector.family,
    count: hits.length,
    confidence,
    tiers,
    positions: hits.slice(0, MAX_POSITIONS).map(({ start, end }) => [start, end]),
  };
}

type Search = {
  readonly text: string;
  readonly codes: Uint16Array;
  readonly context: ContextReader;
  readonly work: Work;
  /** By index of the detector. */
  readonly found: (Hit[] | undefined)[];
  /** By index of the detector: matches of its patterns that do not pass its check. */
  readonly refused: (Span[] | undefined)[];
  readonly unread: Span[];
  readonly doubtful: Span[];
  /** Whether some detector had more hits than count. */
  isFull: boolean;
};

function readingOf({ text, codes, unread, doubtful }: Search): Reading {
  const made = new Map<symbol, unknown>();
  return {
    text,
    codes,
    once: <T>(key: symbol, make: (text: string) => T) => {
      if (!made.has(key)) made.set(key, make(text));
      return made.get(key) as T;
    },
    unread: (start, end) => void unread.push({ start, end }),
    doubtful: (start, end) => void doubtful.push({ start, end }),
  };
}

/** Tries each pattern of a group only where it may match. The result is that of a search over the whole text. */
function runTogether(search: Search, { finder, patterns, next }: Group, windows: readonly number[]): void {
  const { text, codes, context, work } = search;
  // Like a global search, a pattern is tried once at each position and not inside its last match.
  next.fill(0);
  const attempt = (index: number, start: number) => {
    const planned = patterns[index];
    if (planned === undefined || start < (next[index] ?? 0)) return;
    next[index] = start + 1;
    const { sticky, place, detector, pattern } = planned;
    if (pattern.context === 'required' && !context.mayBeAround(place, start)) return;
    sticky.lastIndex = start;
    work.runs += 1;
    if (!sticky.test(text)) return;
    const span = valueIn(detector, text, start, sticky.lastIndex);
    next[index] = span.end;
    weigh(search, place, detector, pattern.context, detector.judge, span.start, span.end);
  };
  for (let i = 0; i + 1 < windows.length; i += 2) {
    work.steps += finder.find(codes, windows[i] ?? 0, windows[i + 1] ?? 0, attempt);
  }
}

function runOverWindows(
  search: Search,
  { place, detector, pattern }: PlannedPattern,
  windows: readonly number[],
): void {
  for (const [from, to] of matchesIn(search.text, pattern.regex, windows, search.work)) {
    const { start, end } = valueIn(detector, search.text, from, to);
    weigh(search, place, detector, pattern.context, detector.judge, start, end);
  }
}

function valueIn({ alone }: PatternDetector, text: string, start: number, end: number) {
  if (alone === undefined) return { start, end };
  const match = text.slice(start, end);
  const value = alone(match);
  const from = start + match.indexOf(value);
  return { start: from, end: from + value.length };
}

/**
 * Records a match as a hit unless its verdict or surroundings rule it out. The context is read last, because that is
 * the most expensive check, except for patterns that require it.
 * @param worth the verdict, or the function that judges the matched text. Without one the verdict is `shape`.
 */
function weigh(
  search: Search,
  place: number,
  detector: Detector,
  need: ContextNeed,
  worth: Verdict | PatternDetector['judge'],
  start: number,
  end: number,
): void {
  let hits = search.found[place];
  if (hits !== undefined && hits.length >= MAX_HITS) {
    // Patterns run one after the other, so that it is unknown where the hits are that do not count.
    search.isFull = true;
    return;
  }
  const known = need === 'required' && isInContext(search, detector, place, start, end);
  if (need === 'required' && !known) return;
  const match = search.text.slice(start, end);
  const verdict = typeof worth === 'function' ? worth(match) : (worth ?? 'shape');
  if (verdict === 'no') {
    if (detector.randomMatch !== undefined) noteRefused(search, place, start, end);
    return;
  }
  const isolation = isNumbered(detector) ? isolationOf(search.text, start, end) : 'alone';
  if (isolation === 'part') return;
  const inContext = known || isInContext(search, detector, place, start, end);
  if (isolation === 'joined' && !inContext) return;
  if (need === 'unless_checksum' && verdict !== 'checksum' && !inContext) return;
  const tier = tierOf(verdict, inContext);
  if (hits === undefined) {
    hits = [];
    search.found[place] = hits;
  }
  hits.push({ start, end, tier, confidence: confidenceOf(detector, tier, match) });
}

function noteRefused({ refused }: Search, place: number, start: number, end: number): void {
  const spans = refused[place] ?? [];
  refused[place] = spans;
  if (spans.length < MAX_HITS) spans.push({ start, end });
}

function isInContext(
  { context, work }: Search,
  { context: phrases }: Detector,
  place: number,
  start: number,
  end: number,
): boolean {
  if (phrases.length === 0) return false;
  work.contextReads += 1;
  return context.isAround(place, start, end);
}

function confidenceOf({ confidence, randomMatch }: Detector, tier: ConfidenceTier, match: string): number {
  const isChecked = tier === 'checksum' || tier === 'checksum_and_context';
  if (isChecked && randomMatch !== undefined)
    return checksumConfidence(randomMatch, match, tier === 'checksum_and_context');
  return (tier === 'pattern' || tier === 'context' ? confidence?.[tier] : undefined) ?? CONFIDENCE[tier];
}

function tierOf(verdict: Verdict, inContext: boolean): ConfidenceTier {
  if (verdict === 'sample') return 'sample';
  if (verdict === 'checksum') return inContext ? 'checksum_and_context' : 'checksum';
  return inContext ? 'context' : 'pattern';
}

function* matchesIn(
  text: string,
  regex: RegExp,
  windows: readonly number[],
  work: Work,
): Generator<[start: number, end: number]> {
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const from = Math.max(0, (windows[i] ?? 0) - MARGIN);
    const to = Math.min(text.length, (windows[i + 1] ?? 0) + MARGIN);
    const window = text.slice(from, to);
    work.runs += 1;
    work.windowCharacters += window.length;
    regex.lastIndex = 0;
    for (let match = regex.exec(window); match !== null; match = regex.exec(window)) {
      const start = from + match.index;
      const end = start + match[0].length;
      // A match that touches a cut edge may be incomplete. The reach of the gate keeps real matches away from the
      // edges.
      if ((start > from || from === 0) && (end < to || to === text.length)) yield [start, end];
      if (match[0] === '') regex.lastIndex += 1;
    }
  }
}

function withoutOverlaps(hits: Hit[]): Hit[] {
  const kept: Hit[] = [];
  for (const hit of hits.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || hit.start >= last.end) kept.push(hit);
    else if (hit.confidence > last.confidence) kept[kept.length - 1] = hit;
  }
  return kept;
}
