import { constants, inflateRawSync } from 'node:zlib';
import type { Shortfall } from '../bounded-text.ts';
import { isDamage, isInflatedTooFar } from '../damage.ts';
import { mostHeld } from '../embedded.ts';
import type { ExtractionBudget } from '../extractor.ts';

/** The header of the zlib format. */
const HEAD_BYTES = 2;

/**
 * Inflates data in the zlib format. Ignores the checksum and a missing end. Returns the reason if nothing can be
 * inflated.
 */
export function inflatedBlock(packed: Uint8Array, budget: ExtractionBudget): Uint8Array | Shortfall {
  const most = Math.min(budget.inflatedBytes, mostHeld(packed.length));
  if (most <= 0) return 'inflated_bound';
  try {
    const bytes = inflateRawSync(packed.subarray(HEAD_BYTES), {
      maxOutputLength: most,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    budget.inflatedBytes -= bytes.length;
    return bytes;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    if (!isInflatedTooFar(error)) throw error;
    budget.inflatedBytes -= most;
    return 'inflated_bound';
  }
}
