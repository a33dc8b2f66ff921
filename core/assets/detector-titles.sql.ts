import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { builtInTitles, type DetectorTitles } from '../detectors/on-demand.ts';

/** Display names of detectors: of the built-in ones, and of those that the tenant has defined. */
export async function detectorTitles(tx: Tx, detectorIds: readonly string[]): Promise<DetectorTitles> {
  const builtIn = await builtInTitles();
  const own = detectorIds.filter((id) => !builtIn.has(id));
  if (own.length === 0) return builtIn;
  const rows = await tx.query<{ id: string; title: string }>(sql`
    select d.detector_id as id, v.definition ->> 'title' as title
      from custom_detectors d join custom_detector_versions v using (tenant_id, detector_id, version)
     where d.tenant_id = ${tx.tenantId} and d.detector_id = any(${own}::text[])`);
  return new Map([...builtIn, ...rows.map(({ id, title }) => [id, title] as const)]);
}
