import type { DetectorHits } from './detect.ts';
import type { Hit } from './detector.ts';

/**
 * Drops what lies inside a longer value of another kind that a checksum vouches for with more confidence, such as the
 * twelve digits of a payment card that pass as a national number; or inside a sample, which is known as a whole. What its own context speaks for stays, and so does
 * what has the same extent, since either may be right.
 */
export function withoutContained(found: readonly DetectorHits[]): DetectorHits[] {
  const vouched = found
    .flatMap(({ hits }) => hits.filter(({ tier }) => tier.startsWith('checksum') || tier === 'sample'))
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
      const isSpokenFor = hit.tier === 'context' || hit.tier === 'checksum_and_context';
      const isSurer = around?.tier !== 'sample' && hit.confidence >= (around?.confidence ?? 0);
      return !isInside || isSpokenFor || isSurer;
    });
    return { detector, hits: kept };
  });
}
