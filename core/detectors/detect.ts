import { contextReader, hasContext } from './context.ts';
import type { ConfidenceTier, Detector, Hit, Signal, Verdict } from './detector.ts';
import { findStretches, windowsOf } from './gates.ts';

const MOST_POSITIONS = 20;
/** Past it a text is full of them, and how full no longer matters: the count is then a lower bound. */
const MOST_HITS = 100_000;
/** Characters around a window that tell a pattern's guards whether a token goes on. */
const MARGIN = 2;
const SAMPLE_CONFIDENCE = 0.2;
const CONFIDENCE: Readonly<Record<ConfidenceTier, number>> = {
  pattern: 0.4,
  context: 0.7,
  checksum: 0.8,
  checksum_and_context: 0.95,
};

/** All hits of one detector in one text, ascending and disjoint. For use inside the scan only. */
export type DetectorHits = { detector: Detector; hits: Hit[] };

/** What is retained of a text: one signal per detector that found something, in the order of `detectors`. */
export const detect = (text: string, detectors: readonly Detector[]): Signal[] =>
  findHits(text, detectors).map(toSignal);

/**
 * Runs every detector over one text, in time linear in its length. Each pattern sees only the windows that its gate
 * opens. Hits of different detectors may overlap; within one detector the more confident hit wins.
 */
export function findHits(text: string, detectors: readonly Detector[]): DetectorHits[] {
  const stretches = findStretches(text);
  const around = contextReader(text);
  const windowsByGate = new Map<string, number[]>();
  const found: DetectorHits[] = [];
  for (const detector of detectors) {
    const gate = JSON.stringify(detector.gate);
    const windows = windowsByGate.get(gate) ?? windowsOf(text, detector.gate, stretches);
    windowsByGate.set(gate, windows);
    const hits = windows.length === 0 ? [] : hitsOf(text, detector, windows, around);
    if (hits.length > 0) found.push({ detector, hits });
  }
  return found;
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
    positions: hits.slice(0, MOST_POSITIONS).map(({ start, end }) => [start, end]),
  };
}

function hitsOf(
  text: string,
  detector: Detector,
  windows: readonly number[],
  around: (start: number, end: number) => string,
): Hit[] {
  const hits: Hit[] = [];
  for (const pattern of detector.patterns) {
    for (const [start, end] of matchesIn(text, pattern.regex, windows)) {
      if (hits.length >= MOST_HITS) break;
      const verdict = detector.judge?.(text.slice(start, end)) ?? 'shape';
      if (verdict === 'no') continue;
      const inContext = detector.context.length > 0 && hasContext(around(start, end), detector.context);
      const needed =
        pattern.context === 'required' || (pattern.context === 'unless_checksum' && verdict !== 'checksum');
      if (needed && !inContext) continue;
      hits.push({ start, end, ...worth(detector, verdict, inContext) });
    }
  }
  return detector.patterns.length === 1 ? hits : withoutOverlaps(hits);
}

function worth(detector: Detector, verdict: Verdict, inContext: boolean): Pick<Hit, 'tier' | 'confidence'> {
  if (verdict === 'sample') return { tier: 'pattern', confidence: SAMPLE_CONFIDENCE };
  const withContext = verdict === 'checksum' ? 'checksum_and_context' : 'context';
  const alone = verdict === 'checksum' ? 'checksum' : 'pattern';
  const tier = inContext ? withContext : alone;
  return { tier, confidence: detector.confidence?.[tier] ?? CONFIDENCE[tier] };
}

function* matchesIn(
  text: string,
  regex: RegExp,
  windows: readonly number[],
): Generator<[start: number, end: number]> {
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const from = Math.max(0, (windows[i] ?? 0) - MARGIN);
    const to = Math.min(text.length, (windows[i + 1] ?? 0) + MARGIN);
    const window = text.slice(from, to);
    regex.lastIndex = 0;
    for (let match = regex.exec(window); match !== null; match = regex.exec(window)) {
      const start = from + match.index;
      const end = start + match[0].length;
      // What touches a cut edge was not seen whole; the reach of the gate keeps real matches off the edges.
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
