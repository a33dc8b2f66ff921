import type { Figure } from './estimate-schema.ts';
import type { EndedScan } from './known.sql.ts';
import { missing, type WorkFigures } from './work-figures.ts';

/** A scan of today may be slower or faster than any before. */
const WIDER = 1.25;
const HUNDREDTHS = 100;
/** How many other calls one content takes the time of, with extraction: at least its own, and at most as it was measured. */
const LIGHTEST = 1;
const HEAVIEST = 10;
const WEIGHTS = Array.from({ length: 25 }, (_, step) => LIGHTEST * 2 ** (step / 4));
/** Shares of contents among the calls of scans that differ less say nothing of what a content takes. */
const APART = 0.1;
/** A scan with so many times fewer or more calls has another pace: a short one waits more than it works. */
const COMPARABLE = 8;

type Timed = { isOfScope: boolean; calls: number; reads: number; minutes: number };
type Work = Pick<WorkFigures, 'calls' | 'reads'>;

/**
 * The minutes that a scan takes, at the paces of scans that have ended: those of the scope, or else those of its family.
 * A content takes more time than another call. How much more follows from scans that read many contents and others that
 * read few; before there are both, the range has room for it.
 */
export function minutesOf({ calls, reads }: Work, scans: readonly EndedScan[]): Figure {
  if (calls.low === null) return missing(calls.missing ?? 'source_failed');
  const timed = scans.flatMap(({ isOfScope, calls: made, reads, seconds }) =>
    seconds !== null && seconds > 0 && made > 0
      ? [{ isOfScope, calls: made, reads: Math.min(reads, made), minutes: seconds / 60 }]
      : [],
  );
  if (timed.length === 0) return missing('no_scan_to_compare');
  const own = timed.filter(({ isOfScope }) => isOfScope);
  const compared = comparable(own.length > 0 ? own : timed, calls.low, calls.high ?? calls.low);
  const known = weightOf(own) ?? weightOf(timed);
  const atWeights = (known === null ? [LIGHTEST, HEAVIEST] : [known]).map((weight) => {
    const paces = compared.map((scan) => scan.minutes / weighed(scan, weight));
    const work = (bound: 'low' | 'high') =>
      weighed({ calls: calls[bound] ?? 0, reads: reads[bound] ?? 0 }, weight);
    return { least: work('low') * Math.min(...paces), most: work('high') * Math.max(...paces) };
  });
  const least = atWeights.map((each) => each.least);
  const most = atWeights.map((each) => each.most);
  const isUnclear = Math.max(...least) > Math.min(...least) * WIDER;
  const high = calls.high === null ? null : Math.ceil(Math.max(...most) * WIDER * HUNDREDTHS) / HUNDREDTHS;
  return {
    low: Math.floor((Math.min(...least) / WIDER) * HUNDREDTHS) / HUNDREDTHS,
    high,
    basis: own.length > 0 ? 'last_walk' : 'other_scans',
    certainty: own.length > 0 && calls.certainty !== 'low' && !isUnclear ? 'medium' : 'low',
    missing: high === null ? calls.missing : null,
    ...(isUnclear && {
      why: 'Scans that read many contents and scans that read few have not both ended, so it is not known how much faster a scan is that reads few.',
    }),
  };
}

const weighed = ({ calls, reads }: Pick<Timed, 'calls' | 'reads'>, weight: number): number =>
  calls - reads + weight * reads;

/** Those of a similar size; all if there are none. */
function comparable(timed: readonly Timed[], low: number, high: number): readonly Timed[] {
  const near = timed.filter(({ calls }) => calls * COMPARABLE >= low && calls <= high * COMPARABLE);
  return near.length > 0 ? near : timed;
}

/** The weight of a content at which scans have the most similar paces. Null if they do not differ in what they read. */
function weightOf(timed: readonly Timed[]): number | null {
  const shares = timed.map(({ calls, reads }) => reads / calls);
  if (Math.max(...shares) - Math.min(...shares) < APART) return null;
  const spreads = WEIGHTS.map((weight) => {
    const paces = timed.map((scan) => scan.minutes / weighed(scan, weight));
    return { weight, spread: Math.max(...paces) / Math.min(...paces) };
  });
  return spreads.reduce((best, each) => (each.spread < best.spread ? each : best)).weight;
}
