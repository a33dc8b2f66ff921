import { z } from 'zod';
import type { Tx } from '../db/tx.ts';
import { type Detector, type Signal, SURE_CONFIDENCE } from '../detectors/detector.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import { isSure } from '../findings/sensitivity.ts';
import { ColumnsSchema } from './asset-schema.ts';
import { detectorTitles } from './detector-titles.sql.ts';
import { readSignals } from './signals.sql.ts';

/**
 * What a detector found in an asset, never the values. `sure` hits prove themselves or stand beside a word that says what
 * they are; `doubtful` ones may be something else.
 */
export const ShownSignalSchema = z.object({
  detectorId: z.string(),
  title: z.string().describe('The display name of the kind of identifier'),
  family: z.string(),
  sure: z.int(),
  doubtful: z.int(),
  byChance: z
    .number()
    .nullable()
    .describe('The share of random values of the same form that pass its check. Null if it has none'),
  columns: ColumnsSchema.nullable().describe('Null if the asset is no table of a database'),
});
export type ShownSignal = z.infer<typeof ShownSignalSchema>;

/** The signals of an asset that count, those with the most sure hits first. The caller has checked that the reader may see the asset. */
export async function shownSignals(tx: Tx, assetId: string): Promise<ShownSignal[]> {
  const signals = await readSignals(tx, assetId);
  const titles = await detectorTitles(
    tx,
    signals.map(({ detectorId }) => detectorId),
  );
  const detectors = await builtInDetectors();
  const byId = new Map(detectors.map((each) => [each.id, each]));
  return signals
    .map((signal) => {
      const detector = byId.get(signal.detectorId);
      const title = titles.get(signal.detectorId) ?? signal.detectorId;
      const sure = sureHits(signal, detector);
      return {
        detectorId: signal.detectorId,
        title,
        family: signal.family,
        sure,
        doubtful: signal.count - sure,
        byChance: detector?.randomMatch ?? null,
        columns: signal.columns ?? null,
      };
    })
    .sort((a, b) => b.sure - a.sure || b.doubtful - a.doubtful || (a.title < b.title ? -1 : 1));
}

/**
 * How many hits of a signal are sure. The confidence of a single hit is not retained: it follows from its tier. A correct
 * checksum alone counts only if no hit with better support made the signal sure, because it may be chance.
 */
export function sureHits(
  signal: Pick<Signal, 'count' | 'confidence' | 'tiers'>,
  detector: Pick<Detector, 'confidence'> | undefined,
): number {
  if (!isSure(signal)) return 0;
  const { tiers, count } = signal;
  const own = (tier: 'context' | 'pattern') =>
    (detector?.confidence?.[tier] ?? 0) >= SURE_CONFIDENCE ? (tiers[tier] ?? 0) : 0;
  const supported =
    (tiers.checksum_and_context ?? 0) + (tiers.checksum_of_many ?? 0) + own('context') + own('pattern');
  return supported > 0 ? supported : (tiers.checksum ?? count);
}
