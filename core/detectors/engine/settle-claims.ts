import { type Detector, type Hit, isNumbered } from '../detector.ts';
import type { DetectorHits } from './detect.ts';

/** Whose claims they are, and what is the same of all of them. */
type Claimant = {
  readonly detector: Detector;
  readonly isAtHome: boolean;
  /** Hits in the text, before any is lost. */
  readonly claims: number;
};

type Claim = { readonly hit: Hit; readonly by: Claimant };

/** Claims of the very same characters. */
type Extent = { readonly start: number; readonly end: number; readonly claims: readonly Claim[] };

const NOWHERE: ReadonlySet<string> = new Set();

/**
 * Settles who holds the characters that several detectors claim, in time linear in the claims but for sorting them. Of
 * the numbers that people are given one stands there: rivals lose and are not counted, in whatever order they come. What
 * is no such number, as a name or an address, loses only what lies inside a longer value that its checksum proves.
 * @param homes countries of the tenant (ISO 3166), whose numbers win where all else is the same
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

/** Ascending. */
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

/** Claims that overlap, and those that overlap these; none of what overlaps nothing, which is nearly all. */
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

/** The strongest claim of the same characters, and those that may be true beside it. */
function withoutRivals(extent: Extent): Extent {
  if (extent.claims.length === 1) return extent;
  const claims: Claim[] = [];
  for (const claim of [...extent.claims].sort(strongerFirst)) {
    if (!claims.some((other) => areRivals(claim, other))) claims.push(claim);
  }
  return { ...extent, claims };
}

/** Half decades of the odds, so that one check digit by 10 is as strong as one by 11. */
const strengthOf = ({ hit: { confidence } }: Claim): number =>
  Math.round(2 * Math.log10(confidence / (1 - confidence)));

/**
 * By the odds, which hold the checksum, the words around and the form; then the tenant's countries; then who explains
 * more of the text's numbers; and at last by name, so that it is the same one every time.
 */
const strongerFirst = (a: Claim, b: Claim): number =>
  strengthOf(b) - strengthOf(a) ||
  Number(b.by.isAtHome) - Number(a.by.isAtHome) ||
  b.by.claims - a.by.claims ||
  (a.by.detector.id < b.by.detector.id ? -1 : 1);

/**
 * One number may be two things of one country, such as a tax number that a social insurance gave, or a thing of a country
 * and the same thing by its general name, such as a passport. Not where a word tells the one and none the other.
 */
function areRivals(a: Claim, b: Claim): boolean {
  const [ofA, ofB] = [a.by.detector.countries, b.by.detector.countries];
  const mayBeBoth = ofA === undefined || ofB === undefined || ofA.some((country) => ofB.includes(country));
  return !mayBeBoth || isInContext(a.hit) !== isInContext(b.hit);
}

const isInContext = ({ tier }: Hit): boolean => tier === 'context' || tier === 'checksum_and_context';
const isChecked = ({ tier }: Hit): boolean => tier.startsWith('checksum') || tier === 'sample';

/** A number inside a longer one is none of its own, if a checksum or a word speaks for the longer. */
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
 * Drops what is no number and lies inside a longer value of another kind that a checksum vouches for with more confidence;
 * or inside a sample, which is known as a whole. What its own context speaks for stays.
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
