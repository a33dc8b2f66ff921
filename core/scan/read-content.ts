import { createHash } from 'node:crypto';
import type { Connector, SourceItem } from '../connectors/connector.ts';
import type { ExtractionPool } from '../extractors/extraction-pool.ts';
import type { ContentOutcome } from './asset-state.sql.ts';

export type ReadContent = { outcome: ContentOutcome; text: string | null };

/** Fetches and extracts one item's content. Whatever a file does, it ends as a content state. */
export async function readContent(
  connector: Connector,
  extraction: ExtractionPool,
  scopeExternalId: string,
  item: SourceItem,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadContent> {
  const content = await connector.readContent(scopeExternalId, item.externalId, maxBytes, signal);
  if (content.state === 'inaccessible') return without('inaccessible', null);
  if (content.state === 'too_large') return without('failed', 'size_bound');
  const hash = createHash('sha256').update(content.bytes).digest('hex');
  const extracted = await extraction.extract({
    name: item.name,
    mimeType: item.mimeType,
    bytes: content.bytes,
  });
  const { state, format, reason } = extracted;
  const text = extracted.state === 'available' || extracted.state === 'partial' ? extracted.text : null;
  return { outcome: { state, reason, format, hash }, text };
}

const without = (state: 'inaccessible' | 'failed', reason: string | null): ReadContent => ({
  outcome: { state, reason, format: null, hash: null },
  text: null,
});
