import { createHash } from 'node:crypto';
import type { Connector, SourceItem } from '../connectors/connector.ts';
import { WorkerNotStarted } from '../extractors/pool/worker-pool.ts';
import { inSpan } from '../observability/traces.ts';
import { MAX_CONTAINED } from '../similarity/comparable.ts';
import { OwnPartFailed } from '../work/failure.ts';
import { type Analysis, type AnalysisArgument, analyse } from './analyse.ts';
import type { AnalysisPool } from './analysis-pool.ts';
import type { ContentOutcome } from './asset-state.sql.ts';

/** The content state, the analysis, the hashes of the files inside, and the milliseconds that the analysis took. */
export type ReadContent = {
  outcome: ContentOutcome;
  analysis: Analysis;
  contains: readonly string[];
  analysisMs: number;
};

/** The arguments of an analysis besides the text. */
export type Looking = Pick<
  AnalysisArgument,
  'excerpts' | 'detectors' | 'homes' | 'fingerprintKey' | 'vocabulary' | 'forOpinion'
>;

const argumentOf = (item: SourceItem, contentHash: string | null, looking: Looking): AnalysisArgument => ({
  name: item.name,
  path: item.path,
  contentHash,
  ...looking,
});

/** The result for an item whose content has no text. */
export const withoutText = (outcome: ContentOutcome, item: SourceItem, looking: Looking): ReadContent => ({
  outcome,
  analysis: analyse(null, argumentOf(item, outcome.hash, looking)),
  contains: [],
  analysisMs: 0,
});

/**
 * Fetches, extracts and analyses the content of one item. Every problem of a file becomes a content state.
 * @throws {OwnPartFailed} if no worker thread could be started
 * @throws {ThreadFault} if an extractor, a detector or the analysis has a bug
 */
export async function readContent(
  connector: Connector,
  pool: AnalysisPool,
  scopeExternalId: string,
  item: SourceItem,
  { maxBytes, ...looking }: Looking & { maxBytes: number },
  signal: AbortSignal,
): Promise<ReadContent> {
  const without = (outcome: Omit<ContentOutcome, 'unreadParts'>) =>
    withoutText({ ...outcome, unreadParts: null }, item, looking);
  if (item.notRead === 'package') {
    return without({ state: 'unsupported', reason: item.notRead, format: null, hash: null });
  }
  if (item.notRead !== undefined) {
    return without({ state: 'inaccessible', reason: item.notRead, format: null, hash: null });
  }
  // A folder that could not be read is listed as an inaccessible asset, so that the gap is visible.
  const content =
    item.kind === 'folder'
      ? ({ state: 'inaccessible' } as const)
      : await connector.readContent(scopeExternalId, item.externalId, maxBytes, signal);
  if (content.state === 'inaccessible') {
    return without({ state: 'inaccessible', reason: null, format: null, hash: null });
  }
  if (content.state === 'too_large') {
    return without({ state: 'failed', reason: 'size_bound', format: null, hash: null });
  }
  const hash = createHash('sha256').update(content.bytes).digest('hex');
  const file = { name: item.name, mimeType: item.mimeType, bytes: content.bytes };
  const ended = await inSpan('analysis', {}, async (span) => {
    const extracted = await pool.extract(file, argumentOf(item, hash, looking));
    span.describe({ 'svc.content.state': extracted.state });
    return extracted;
  }).catch((error: unknown) => {
    throw error instanceof WorkerNotStarted ? new OwnPartFailed('no_threads') : error;
  });
  const outcome = {
    state: ended.state,
    reason: ended.reason,
    format: ended.format,
    hash,
    unreadParts: ('unreadParts' in ended ? ended.unreadParts : undefined) ?? null,
  };
  if (!('analysis' in ended)) return without(outcome);
  const contains = ('contains' in ended ? ended.contains : undefined) ?? [];
  return {
    outcome,
    analysis: ended.analysis,
    contains: contains.slice(0, MAX_CONTAINED),
    analysisMs: ended.analysisMs,
  };
}
