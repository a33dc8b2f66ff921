import type { Config } from '../config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { LabelWriter } from '../connectors/label-writer.ts';
import { createMockLabelWriter } from '../connectors/mock/mock-label-writer.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { createFixtureStore } from './fixture-store.sql.ts';

/** Why no label can be written: no live write path, or nothing at the source that a label could be written to. */
export const LABEL_WRITE_BLOCKS = ['label_write_not_live', 'source_has_no_labels'] as const;
export type LabelWriteBlock = (typeof LABEL_WRITE_BLOCKS)[number];

/** Families whose items bear sensitivity labels. */
const LABELED_FAMILIES: ReadonlySet<SourceFamily> = new Set(['m365', 'drive']);

/**
 * What writes labels to a family's source, as the configuration has it now, or why nothing does. No live writer is built
 * yet (`labelWrite` is `blocked`), so it is the fixture tenant's or none: it never falls back from a live source to it.
 */
export function labelWriterFor(
  { config, db, clock }: { config: Config; db: Db; clock: Clock },
  tenantId: TenantId,
  family: SourceFamily,
): LabelWriter | LabelWriteBlock {
  if (!LABELED_FAMILIES.has(family)) return 'source_has_no_labels';
  if (family !== 'm365' || config.SVC_CONNECTOR_MODE !== 'mock') return 'label_write_not_live';
  return createMockLabelWriter({ store: createFixtureStore(db, tenantId), clock });
}
