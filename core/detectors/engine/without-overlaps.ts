import type { Hit } from '../detector.ts';

/** Of overlapping hits of one detector, the most confident one. Ascending and disjoint. The list is sorted in place. */
export function withoutOverlaps(hits: Hit[]): Hit[] {
  const kept: Hit[] = [];
  for (const hit of hits.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || hit.start >= last.end) kept.push(hit);
    else if (hit.confidence > last.confidence) kept[kept.length - 1] = hit;
  }
  return kept;
}
