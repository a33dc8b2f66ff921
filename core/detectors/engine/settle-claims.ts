import type { DetectorHits } from '../detector.ts';
import { type Detector, type Hit, isNumbered } from '../detector.ts';

/** A detector with hits, and the properties that all its hits share. */
type Claimant = {
  readonly detector: Detector;
  readonly isAtHome: boolean;
  /** Hits in the text, before any of them is dropped. */
  readonly claims: number;
};

type Claim = { readonly hit: Hit; readonly by: Claimant };

/** Claims on exactly the same characters. */
type Extent = { readonly start: number; readonly end: number; readonly claims: readonly Claim[] };

const NOWHERE: ReadonlySet<string> = new Set();

/**
 * Decides which detector keeps the characters that several detectors match, in time linear in the number of hits,
 * apart from sorting.
 * Of the detectors of numbers, one keeps them and the others drop their hits, whatever their order. Other detectors,
 * such as those of names and addresses, lose only hits inside a longer value that a checksum proves.
 * @param homes countries of the tenant (ISO 3166). Their numbers win if all else is equal.
 */
export function settleClaims(found: readonly DetectorHits[], homes = NOWHERE): DetectorHits[] {
  const lost = new Set<Hit>();
  for (const cluster of clustersOf(claimsOf(found, homes))) {
    const settled = withoutOverlapping(extentsOf(cluster).map(withoutRivals));
    const kept = new Set(settled.flatMap(({ claims }) => claims));
    for (const claim of cluster) if (!kept.has(claim)) lost.add(claim.hit);
  }
  return withoutContained(
    lost.size === 0
      ? found
      : found.map(({ detector, hits }) => ({ detector, hits: hits.filter((hit) => !lost.has(hit)) })),
  );
}

/** Ascending by position. */
function claimsOf(found: readonly DetectorHits[], homes: ReadonlySet<string>): Claim[] {
  return found
    .filter(({ detector }) => isNumbered(detector))
    .flatMap(({ detector, hits }) => {
      const isAtHome = detector.countries?.some((country) => homes.has(country)) ?? false;
      const by: Claimant = { detector, isAtHome, claims: hits.length };
      return hits.map((hit): Claim => ({ hit, by }));
    })
    .sort((a, b) => a.hit.start - b.hit.start || a.hit.end - b.hit.end);
}

/** Groups of claims that overlap directly or through others. Claims that overlap nothing, which are most, are left out. */
function* clustersOf(claims: readonly Claim[]): Generator<readonly Claim[]> {
  let first = 0;
  let end = 0;
  for (let i = 0; i <= claims.length; i++) {
    const claim = claims[i];
    if (claim === undefined || claim.hit.start >= end) {
      if (i - first > 1) yield claims.slice(first, i);
      first = i;
    }
    end = Math.max(end, claim?.hit.end ?? 0);
  }
}

function extentsOf(cluster: readonly Claim[]): Extent[] {
  const extents: (Extent & { claims: Claim[] })[] = [];
  for (const claim of cluster) {
    const { start, end } = claim.hit;
    const last = extents.at(-1);
    if (last?.start === start && last.end === end) last.claims.push(claim);
    else extents.push({ start, end, claims: [claim] });
  }
  return extents;
}

/** Keeps the strongest claim on the same characters, and those that can be true together with it. */
function withoutRivals(extent: Extent): Extent {
  if (extent.claims.length === 1) return extent;
  const claims: Claim[] = [];
  for (const claim of [...extent.claims].sort(strongerFirst)) {
    if (!claims.some((other) => areRivals(claim, other))) claims.push(claim);
  }
  return { ...extent, claims };
}

/** Half decades of the odds, so that a check digit modulo 10 is as strong as one modulo 11. */
const strengthOf = ({ hit: { confidence } }: Claim): number =>
  Math.round(2 * Math.log10(confidence / (1 - confidence)));

/**
 * Orders by odds, which depend on checksum, context and format. Then the tenant's countries come first, then the
 * detector with more hits in the text. The id makes the order deterministic.
 */
const strongerFirst = (a: Claim, b: Claim): number =>
  strengthOf(b) - strengthOf(a) ||
  Number(b.by.isAtHome) - Number(a.by.isAtHome) ||
  b.by.claims - a.by.claims ||
  (a.by.detector.id < b.by.detector.id ? -1 : 1);

/**
 * One number can be two kinds of one country, such as a social insurance number that is also the tax number. It can
 * also be a kind of one country and its general kind, such as a passport. If only one of the two has a context word,
 * they are rivals nevertheless.
 */
function areRivals(a: Claim, b: Claim): boolean {
  const [ofA, ofB] = [a.by.detector.countries, b.by.detector.countries];
  const mayBeBoth = ofA === undefined || ofB === undefined || ofA.some((country) => ofB.includes(country));
  return !mayBeBoth || isInContext(a.hit) !== isInContext(b.hit);
}

/** A column whose values nearly all pass says what they are, as a context word does. */
const isInContext = ({ tier }: Hit): boolean =>
  tier === 'context' || tier === 'checksum_and_context' || tier === 'checksum_of_many';
const isChecked = ({ tier }: Hit): boolean => tier.startsWith('checksum') || tier === 'sample';

/** Drops numbers inside a longer one if a checksum or a context word supports the longer one. */
function withoutOverlapping(extents: readonly Extent[]): readonly Extent[] {
  const [first] = extents;
  if (first === undefined || extents.length === 1) return extents;
  const end = extents.reduce((last, each) => Math.max(last, each.end), 0);
  const taken = new Uint8Array(end - first.start);
  return [...extents].sort(longerFirst).filter(({ start, end }) => {
    const [from, to] = [start - first.start, end - first.start];
    if (taken.subarray(from, to).includes(1)) return false;
    taken.fill(1, from, to);
    return true;
  });
}

const isSpokenFor = ({ claims }: Extent): boolean =>
  claims.some(({ hit }) => isInContext(hit) || isChecked(hit));

const strengthOfExtent = ({ claims }: Extent): number => Math.max(...claims.map(strengthOf));

const longerFirst = (a: Extent, b: Extent): number =>
  Number(isSpokenFor(b)) - Number(isSpokenFor(a)) ||
  b.end - b.start - (a.end - a.start) ||
  strengthOfExtent(b) - strengthOfExtent(a) ||
  a.start - b.start;

/**
 * Drops other hits that lie inside a longer value of another kind that a checksum proves with more confidence, or
 * inside a sample, which is always a whole value. Hits with a context word of their own stay.
 */
function withoutContained(found: readonly DetectorHits[]): DetectorHits[] {
  const vouched = found
    .flatMap(({ hits }) => hits.filter(isChecked))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  if (vouched.length === 0) return [...found];
  return found.map(({ detector, hits }) => {
    let next = 0;
    let around: Hit | undefined;
    const kept = hits.filter((hit) => {
      for (let each = vouched[next]; each !== undefined && each.start <= hit.start; each = vouched[++next]) {
        if (around === undefined || each.end > around.end) around = each;
      }
      const isInside =
        around !== undefined && hit.end <= around.end && hit.end - hit.start < around.end - around.start;
      const isSurer = around?.tier !== 'sample' && hit.confidence >= (around?.confidence ?? 0);
      return !isInside || isInContext(hit) || isSurer;
    });
    return { detector, hits: kept };
  });
}
