import type { Figure } from './estimate-schema.ts';
import type { EndedScan } from './known.sql.ts';
import { missing } from './work-figures.ts';

/** A scan of today may be slower or faster than any before. */
const WIDER = 1.25;
const HUNDREDTHS = 100;

/** The minutes that calls take, at the paces of scans that have ended: those of the scope, or else those of its family. */
export function minutesOf(calls: Figure, scans: readonly EndedScan[]): Figure {
  if (calls.low === null) return missing(calls.missing ?? 'source_failed');
  const timed = scans.flatMap(({ isOfScope, calls: made, seconds }) =>
    seconds !== null && seconds > 0 && made > 0 ? [{ isOfScope, perMinute: (made / seconds) * 60 }] : [],
  );
  const own = timed.filter(({ isOfScope }) => isOfScope);
  const paces = (own.length > 0 ? own : timed).map(({ perMinute }) => perMinute);
  if (paces.length === 0) return missing('no_scan_to_compare');
  const high =
    calls.high === null
      ? null
      : Math.ceil((calls.high / Math.min(...paces)) * WIDER * HUNDREDTHS) / HUNDREDTHS;
  return {
    low: Math.floor((calls.low / Math.max(...paces) / WIDER) * HUNDREDTHS) / HUNDREDTHS,
    high,
    basis: own.length > 0 ? 'last_walk' : 'other_scans',
    certainty: own.length > 0 && calls.certainty !== 'low' ? 'medium' : 'low',
    missing: high === null ? calls.missing : null,
  };
}
