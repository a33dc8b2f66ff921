import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CustomDefinition, CustomDetector } from '../detectors/custom-definition.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';

/** The newest version of a tenant's own detector. */
export type StoredDetector = {
  detectorId: string;
  version: number;
  definition: CustomDefinition;
  /** The version that scans use, or null. */
  enabledVersion: number | null;
  /** The newest version that had a dry run, or null. */
  dryRunVersion: number | null;
  updatedAt: Date;
  updatedBy: string;
};

const columns = sql`
  d.detector_id as "detectorId", d.version, v.definition, d.enabled_version as "enabledVersion",
  d.dry_run_version as "dryRunVersion", d.updated_at as "updatedAt", v.principal_id as "updatedBy"`;

/** The tenant's own detectors, the oldest first; at most `limit`. */
export const listCustomDetectors = (tx: Tx, limit: number): Promise<StoredDetector[]> =>
  tx.query<StoredDetector>(sql`
    select ${columns} from custom_detectors d join custom_detector_versions v using (tenant_id, detector_id, version)
     where d.tenant_id = ${tx.tenantId} order by d.detector_id limit ${limit}`);

/** A detector, locked until the transaction ends, or null. */
export async function lockCustomDetector(tx: Tx, detectorId: string): Promise<StoredDetector | null> {
  // Locked first: a statement that waited for the lock would join the new row with the definition of the former version
  // and find neither.
  await tx.query(sql`
    select 1 from custom_detectors
     where tenant_id = ${tx.tenantId} and detector_id = ${detectorId} for update`);
  const [row] = await tx.query<StoredDetector>(sql`
    select ${columns} from custom_detectors d join custom_detector_versions v using (tenant_id, detector_id, version)
     where d.tenant_id = ${tx.tenantId} and d.detector_id = ${detectorId}`);
  return row ?? null;
}

/** The detectors that scans use, each in its enabled version. */
export const loadEnabledDetectors = (tx: Tx): Promise<CustomDetector[]> =>
  tx.query<CustomDetector>(sql`
    select d.detector_id as "detectorId", v.version, v.definition
      from custom_detectors d
      join custom_detector_versions v
        on v.tenant_id = d.tenant_id and v.detector_id = d.detector_id and v.version = d.enabled_version
     where d.tenant_id = ${tx.tenantId} order by d.detector_id`);

/** Adds the first version of a detector, disabled. */
export async function insertCustomDetector(
  tx: Tx,
  definition: CustomDefinition,
  principalId: PrincipalId,
  now: number,
): Promise<string> {
  const detectorId = newId('custom', now);
  await tx.query(sql`
    insert into custom_detectors (tenant_id, detector_id, version, updated_at)
    values (${tx.tenantId}, ${detectorId}, 1, ${new Date(now)})`);
  await insertVersion(tx, detectorId, 1, definition, principalId, now);
  return detectorId;
}

/** Adds a version. The enabled version stays the same. */
export async function reviseCustomDetector(
  tx: Tx,
  { detectorId, version }: StoredDetector,
  definition: CustomDefinition,
  principalId: PrincipalId,
  now: number,
): Promise<void> {
  await insertVersion(tx, detectorId, version + 1, definition, principalId, now);
  await tx.query(sql`
    update custom_detectors set version = ${version + 1}, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and detector_id = ${detectorId}`);
}

const insertVersion = (
  tx: Tx,
  detectorId: string,
  version: number,
  definition: CustomDefinition,
  principalId: PrincipalId,
  now: number,
) =>
  tx.query(sql`
    insert into custom_detector_versions (tenant_id, detector_id, version, definition, principal_id, created_at)
    values (${tx.tenantId}, ${detectorId}, ${version}, ${sql.json(definition)}::jsonb, ${principalId}, ${new Date(now)})`);

/** Sets the version that scans use. Null disables the detector. */
export const enableCustomDetector = (tx: Tx, detectorId: string, version: number | null, now: number) =>
  tx.query(sql`
    update custom_detectors set enabled_version = ${version}, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and detector_id = ${detectorId}`);

export const recordDryRun = (tx: Tx, detectorId: string, version: number) =>
  tx.query(sql`
    update custom_detectors set dry_run_version = ${version}
     where tenant_id = ${tx.tenantId} and detector_id = ${detectorId}`);

/**
 * Redacted excerpts of the assets with the newest features, one text per asset: at most `limit.assets` texts with
 * `limit.characters` characters in all. Empty under a profile that keeps no excerpts, even if some remain from an
 * earlier profile.
 */
export async function retainedExcerpts(
  tx: Tx,
  limit: { assets: number; characters: number },
): Promise<string[]> {
  const rows = await tx.query<{ text: string }>(sql`
    select text from (
      select text, sum(length(text)) over (order by computed_at desc, asset_id) as characters from (
        select f.computed_at, f.asset_id,
               (select string_agg(e ->> 'text', e'\n') from jsonb_array_elements(f.excerpts) as e) as text
          from asset_features f join assets a using (tenant_id, asset_id)
         where f.tenant_id = ${tx.tenantId} and f.excerpts <> '[]'::jsonb and a.status = 'active'
           and (select data_handling_profile from tenants where tenant_id = ${tx.tenantId}) <> 'metadata_only'
         order by f.computed_at desc, f.asset_id limit ${limit.assets}
      ) newest
    ) counted
     where characters <= ${limit.characters}`);
  return rows.map((row) => row.text);
}
