import type { Connector } from '../connectors/connector.ts';
import { storeLabels } from '../governance/labels.sql.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { WorkUnit } from '../work/unit.ts';
import type { ScanParts } from './scan-parts.ts';

const WAIT_MS = 10_000;

/** Stores the source's present catalog of labels. If the source does not return it, the scan continues. */
export async function refreshLabels(
  parts: ScanParts,
  unit: WorkUnit,
  connector: Connector,
  signal: AbortSignal,
): Promise<void> {
  try {
    const listed = await connector.listLabels(AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
    await withLeasedTx(parts.db, unit, (tx) => storeLabels(tx, connector.family, listed, parts.clock()));
  } catch (error) {
    const { tenantId, campaignId } = unit;
    parts.log.warn('label_catalog_failed', { tenantId, campaignId }, error);
  }
}
