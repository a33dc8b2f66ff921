import { z } from 'zod';
import { visibleAsset } from '../assets/read.ts';
import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { FINDING_STATUSES, type FindingStatus } from './finding-state.ts';
import { FINDING_KINDS } from './risk.ts';

const Timestamp = z.iso.datetime();

/** Those that wait for somebody, by default; `all` adds what is resolved. */
export const FindingFilterSchema = z.strictObject({
  status: z.enum([...FINDING_STATUSES, 'all']).optional(),
});

/** A finding as its asset's detail shows it. `changedAt` is when it took its present status, severity or notes. */
export const FindingSchema = z.object({
  findingId: z.string(),
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(SEVERITIES),
  status: z.enum(FINDING_STATUSES),
  notes: z.string(),
  policyVersion: z.string(),
  openedAt: Timestamp,
  changedAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  revision: z.int(),
});
export type Finding = z.infer<typeof FindingSchema>;

export const ListedFindingSchema = FindingSchema.extend({
  assetId: z.string(),
  assetName: z.string(),
  scopeId: z.string(),
  scopeName: z.string(),
});
export type ListedFinding = z.infer<typeof ListedFindingSchema>;

type Row<T> = Omit<T, 'openedAt' | 'changedAt' | 'resolvedAt'> & {
  openedAt: Date;
  changedAt: Date;
  resolvedAt: Date | null;
};

const columns = sql`
  f.finding_id as "findingId", f.kind, f.severity, f.status, f.notes, f.policy_version as "policyVersion",
  f.opened_at as "openedAt", f.changed_at as "changedAt", f.resolved_at as "resolvedAt", f.revision`;

const order = sql`f.severity_rank desc, f.opened_at desc, f.finding_id desc`;

const shown = <T>(row: Row<T>) => ({
  ...row,
  openedAt: row.openedAt.toISOString(),
  changedAt: row.changedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});

/** Findings on assets that the reader may see, the most severe first, then the newest; at most `limit`. */
export async function listFindings(
  tx: Tx,
  visibility: Visibility,
  status: FindingStatus | 'all' | undefined,
  limit: number,
): Promise<ListedFinding[]> {
  const asked =
    status === undefined
      ? sql`f.status <> 'resolved'`
      : status === 'all'
        ? sql`true`
        : sql`f.status = ${status}`;
  const rows = await tx.query<Row<ListedFinding>>(sql`
    select ${columns}, a.asset_id as "assetId", a.name as "assetName", s.scope_id as "scopeId", s.name as "scopeName"
      from findings f
      join assets a using (tenant_id, asset_id)
      join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
     where f.tenant_id = ${tx.tenantId} and ${asked} and ${visibleAsset(visibility)}
     order by ${order} limit ${limit}`);
  return rows.map((row) => shown(row));
}

/** All findings on one asset, the most severe first. Whoever asks has made sure that the reader may see the asset. */
export async function findingsOf(tx: Tx, assetId: string): Promise<Finding[]> {
  const rows = await tx.query<Row<Finding>>(sql`
    select ${columns} from findings f
     where f.tenant_id = ${tx.tenantId} and f.asset_id = ${assetId} order by ${order}`);
  return rows.map((row) => shown(row));
}
