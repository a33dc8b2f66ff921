import type { ConfidenceTier, Detector, Verdict } from '../detector.ts';
import { checksumConfidence } from './checksum-confidence.ts';

const CONFIDENCE: Readonly<Record<ConfidenceTier, number>> = {
  sample: 0.2,
  pattern: 0.4,
  context: 0.7,
  checksum: 0.8,
  checksum_of_many: 0.9,
  checksum_and_context: 0.95,
};

/** @param match the value */
export function confidenceOf(
  { confidence, randomMatch }: Detector,
  tier: ConfidenceTier,
  match: string,
): number {
  const isChecked = tier === 'checksum' || tier === 'checksum_and_context';
  if (isChecked && randomMatch !== undefined)
    return checksumConfidence(randomMatch, match, tier === 'checksum_and_context');
  return (tier === 'pattern' || tier === 'context' ? confidence?.[tier] : undefined) ?? CONFIDENCE[tier];
}

export function tierOf(verdict: Verdict, inContext: boolean): ConfidenceTier {
  if (verdict === 'sample') return 'sample';
  if (verdict === 'checksum') return inContext ? 'checksum_and_context' : 'checksum';
  return inContext ? 'context' : 'pattern';
}
