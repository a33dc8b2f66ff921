import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';

type ReadSignals = { signals: Signal[]; customTitles: Record<string, string> };

/** The signals of an asset after suppressions, with the titles of the tenant's own detectors among them. */
export async function readSignals(tx: Tx, assetId: string): Promise<ReadSignals> {
  const [row] = await tx.query<ReadSignals>(sql`
    select found.signals, coalesce((
             select jsonb_object_agg(d.detector_id, v.definition ->> 'title')
               from custom_detectors d join custom_detector_versions v using (tenant_id, detector_id, version)
              where d.tenant_id = ${tx.tenantId}
                and d.detector_id in (select e ->> 'detectorId' from jsonb_array_elements(found.signals) e)), '{}')
             as "customTitles"
      from (select ${effectiveSignals(sql`a`)} as signals from assets a
             where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId}) found`);
  return row ?? { signals: [], customTitles: {} };
}
