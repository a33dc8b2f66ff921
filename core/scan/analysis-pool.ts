import {
  type Analysed,
  createAnalysisPool,
  type ExtractionPool,
  type ExtractionPoolOptions,
} from '../extractors/pool/extraction-pool.ts';
import { moduleBeside } from '../kernel/module-beside.ts';
import type { Analysis, AnalysisArgument, Glance, GlanceArgument } from './analyse.ts';

export type AnalysisPool = ExtractionPool<AnalysisArgument, Analysed<Analysis>>;

/** Extracts a message, or a copy in one. */
export type GlancePool = {
  glance: ExtractionPool<GlanceArgument, Analysed<Glance>>['extract'];
};

/** A bounded pool of workers that extract a file and analyse its text. */
export function createScanAnalysis(options: ExtractionPoolOptions): AnalysisPool & GlancePool {
  const analyser = moduleBeside('./analyse', import.meta.url);
  const pool = createAnalysisPool<AnalysisArgument | GlanceArgument, Analysed<Analysis> | Analysed<Glance>>(
    options,
    analyser,
  );
  // The kind of the argument decides on that of the result.
  return {
    ...pool,
    extract: pool.extract as AnalysisPool['extract'],
    glance: pool.extract as GlancePool['glance'],
  };
}
