import type { Config, SettingName } from '../config/config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { LabelWriter } from '../connectors/label-writer.ts';
import { createGraphLabelWriter } from '../connectors/m365/graph-label-writer.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { SourceParts } from './connector-for.ts';
import { missingFor } from './integrations.ts';

/**
 * Why no label can be written: items of the source have no labels, this release writes none there, or a prerequisite of
 * `labelWrite` is missing.
 */
export const LABEL_WRITE_BLOCKS = [
  'label_write_not_live',
  'source_has_no_labels',
  'label_write_off',
  'source_not_live',
  'cloud_cannot_write_labels',
  'label_read_off',
  'write_client_id_missing',
  'write_client_secret_missing',
] as const;
export type LabelWriteBlock = (typeof LABEL_WRITE_BLOCKS)[number];

/** Families whose items can have sensitivity labels. */
const LABELED_FAMILIES: ReadonlySet<SourceFamily> = new Set(['m365', 'drive']);

/** The block that each missing setting means. Those of the connector, which are not here, mean `source_not_live`. */
const BLOCK_OF: Partial<Record<SettingName, LabelWriteBlock>> = {
  SVC_LABEL_WRITE_ENABLED: 'label_write_off',
  SVC_GRAPH_CLOUD: 'cloud_cannot_write_labels',
  SVC_LABEL_READ_ENABLED: 'label_read_off',
  SVC_LABEL_WRITE_CLIENT_ID: 'write_client_id_missing',
  SVC_LABEL_WRITE_CLIENT_SECRET_REF: 'write_client_secret_missing',
};

/**
 * Returns the label writer of a family under the current configuration, or why there is none. The fixture never
 * replaces a live source.
 */
export function labelWriterFor(
  { config, db, clock, graph, fixture }: SourceParts,
  tenantId: TenantId,
  family: SourceFamily,
): LabelWriter | LabelWriteBlock {
  if (!LABELED_FAMILIES.has(family)) return 'source_has_no_labels';
  if (family !== 'm365') return 'label_write_not_live';
  if (config.SVC_CONNECTOR_MODE === 'mock')
    return fixture?.labelWriter(db, tenantId, clock) ?? 'source_not_live';
  const client = graph.writesLabels('interactive');
  return labelWriteBlock(config) ?? (client === null ? 'source_not_live' : createGraphLabelWriter(client));
}

function labelWriteBlock(config: Config): LabelWriteBlock | null {
  const [missing] = missingFor(config, 'labelWrite');
  return missing === undefined ? null : (BLOCK_OF[missing] ?? 'source_not_live');
}
