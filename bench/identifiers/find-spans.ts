import type { Detector } from '../../core/detectors/detector.ts';
import { findHits } from '../../core/detectors/engine/detect.ts';
import type { TypedSpan } from './score.ts';
import { detectorsOf } from './types.ts';

type Find = TypedSpan & { confidence: number };

/**
 * Finds values of the wanted kinds. Of two overlapping values the more confident one is kept, or the longer one if
 * they are equal.
 */
export function spanFinder(
  types: readonly string[],
  detectors: readonly Detector[],
): (text: string) => TypedSpan[] {
  const typeOfDetector = new Map(
    types.flatMap((type) => detectorsOf(type, detectors).map((id) => [id, type] as const)),
  );
  const asked = detectors.filter(({ id }) => typeOfDetector.has(id));
  return (text) => {
    const finds: Find[] = findHits(text, asked).flatMap(({ detector, hits }) =>
      hits.map(({ start, end, confidence }) => ({
        type: typeOfDetector.get(detector.id) ?? '',
        start,
        end,
        confidence,
      })),
    );
    const kept: Find[] = [];
    for (const find of finds.sort(
      (a, b) => b.confidence - a.confidence || b.end - b.start - (a.end - a.start),
    )) {
      if (kept.every((other) => find.start >= other.end || find.end <= other.start)) kept.push(find);
    }
    return kept.sort((a, b) => a.start - b.start);
  };
}
