import type { Config } from '../config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { LabelWriter } from '../connectors/label-writer.ts';
import { createMockLabelWriter } from '../connectors/mock/mock-label-writer.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { createFixtureStore } from './fixture-store.sql.ts';

/** Why no label can be written: there is no live write path, or items of the source have no labels. */
export const LABEL_WRITE_BLOCKS = ['label_write_not_live', 'source_has_no_labels'] as const;
export type LabelWriteBlock = (typeof LABEL_WRITE_BLOCKS)[number];

/** Families whose items can have sensitivity labels. */
const LABELED_FAMILIES: ReadonlySet<SourceFamily> = new Set(['m365', 'drive']);

/**
 * Returns the label writer of a family under the current configuration, or why there is none. No live writer is built
 * yet (`labelWrite` is `blocked`), so it is the fixture's writer or none. It never replaces a live source with the
 * fixture.
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
