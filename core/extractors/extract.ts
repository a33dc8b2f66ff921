import type { Extraction, ExtractionBounds, Extractor, FileHead } from './extractor.ts';
import { EXTRACTORS } from './index.ts';

/** Who reads this file, or null. */
export const extractorFor = (file: FileHead): Extractor | null =>
  EXTRACTORS.find((candidate) => candidate.claims(file)) ?? null;

/**
 * The text of a file, or why there is none. Never rejects: what an extractor throws is `failed`/`corrupt`.
 * It has no bound on time or memory; `createExtractionPool` adds those.
 */
export async function extract(file: FileHead, bounds: ExtractionBounds): Promise<Extraction> {
  const extractor = extractorFor(file);
  if (extractor === null) return { state: 'unsupported', format: 'unknown', reason: 'unknown_format' };
  try {
    return await extractor.extract(file, bounds);
  } catch {
    return { state: 'failed', format: extractor.format, reason: 'corrupt' };
  }
}
