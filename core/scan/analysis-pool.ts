import { extname } from 'node:path';
import {
  type Analysed,
  createAnalysisPool,
  type ExtractionPool,
  type ExtractionPoolOptions,
} from '../extractors/pool/extraction-pool.ts';
import type { Analysis, AnalysisArgument } from './analyse.ts';

export type AnalysisPool = ExtractionPool<AnalysisArgument, Analysed<Analysis>>;

/** A bounded pool of workers that extract a file and analyse its text. */
export const createScanAnalysis = (options: ExtractionPoolOptions): AnalysisPool =>
  createAnalysisPool(options, new URL(`./analyse${extname(import.meta.url)}`, import.meta.url));
