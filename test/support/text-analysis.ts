import { analyse } from '../../core/scan/analyse.ts';
import type { AnalysisPool, GlancePool } from '../../core/scan/analysis-pool.ts';

/** Takes every file for a text and analyses it in this process. */
export const textAnalysis: AnalysisPool = {
  extract: async ({ bytes }, argument) => ({
    ...{ state: 'available', format: 'text', reason: null },
    ...{ analysis: analyse(new TextDecoder().decode(bytes), argument), analysisMs: 1, ms: 1 },
  }),
  stats: () => ({ workers: 0, busy: 0, waiting: 0, runs: 0, replaced: 0 }),
  close: async () => undefined,
};

/** The same for messages, and copies in them. */
export const textGlance: GlancePool = {
  glance: async ({ bytes }, argument) => ({
    ...{ state: 'available', format: 'text', reason: null },
    ...{ analysis: analyse(new TextDecoder().decode(bytes), argument), analysisMs: 1, ms: 1 },
  }),
};
