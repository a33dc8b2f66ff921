import type { Connector, SourceFamily } from '../connectors/connector.ts';
import type { LabelWriter } from '../connectors/label-writer.ts';
import { connectorFor, type SourceParts } from '../integrations/connector-for.ts';
import { type LabelWriteBlock, labelWriterFor } from '../integrations/label-writer-for.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import type { Target } from './target.sql.ts';

/** The parts of the process that previews and executions use. */
export type ActionParts = SourceParts & {
  log: Logger;
  /** Aborts when the process is asked to stop. */
  stopping: AbortSignal;
  /** For tests: replaces the connectors and writers of the configuration. */
  connectorOf?: (tenantId: TenantId, family: SourceFamily) => Connector;
  writerOf?: (tenantId: TenantId, family: SourceFamily) => LabelWriter | LabelWriteBlock;
};

/** How the label of a target is read and written, or why it cannot be written. */
export type LabelPath = { connector: Connector; writer: LabelWriter } | { blocked: LabelWriteBlock };

/**
 * How to write the label of a target. The writer must have the mode in which the scope was connected, so that a mock
 * writer never serves a live source.
 */
export function labelPathOf(
  parts: ActionParts,
  tenantId: TenantId,
  { family, connectedAs }: Target,
): LabelPath {
  const writer = parts.writerOf?.(tenantId, family) ?? labelWriterFor(parts, tenantId, family);
  if (typeof writer === 'string') return { blocked: writer };
  if (writer.mode !== connectedAs) return { blocked: 'label_write_not_live' };
  return {
    connector: parts.connectorOf?.(tenantId, family) ?? connectorFor(parts, tenantId, family),
    writer,
  };
}
