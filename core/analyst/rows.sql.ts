import { z } from 'zod';
import { ContentStateSchema, LabelStateSchema, RiskSeveritySchema } from '../assets/asset-schema.ts';
import {
  classificationColumns,
  classificationJoins,
  firmestPlacement,
} from '../assets/classification.sql.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import { lastScanOf } from '../campaigns/last-scan.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import { assetsByScope } from '../landscape/cells.sql.ts';
import { countedType } from '../review/counted.sql.ts';
import { type Asking, isSeen } from './conditions.sql.ts';
import type { Subject } from './plan.ts';

const Timestamp = z.string().nullable();
/** The asset that a row is about, and its place in the API. Null if the asker may not see it. */
const OfAsset = {
  assetId: z.string().nullable(),
  assetName: z.string().nullable(),
  scopeName: z.string().nullable(),
  href: z.string().nullable(),
};

/** A row of an answer. */
export const EvidenceRowSchema = z.discriminatedUnion('subject', [
  z.object({
    subject: z.literal('assets'),
    id: z.string(),
    ...OfAsset,
    path: z.string().nullable(),
    domainName: z.string().nullable(),
    informationTypeName: z.string().nullable(),
    classificationStatus: z.string().nullable(),
    labelState: LabelStateSchema,
    labelName: z.string().nullable(),
    labeledElsewhere: z.boolean(),
    riskSeverity: RiskSeveritySchema.nullable(),
    contentState: ContentStateSchema,
    format: z.string().nullable(),
    sizeBytes: z.int(),
    modifiedAt: Timestamp,
  }),
  z.object({
    subject: z.literal('findings'),
    id: z.string(),
    ...OfAsset,
    kind: z.string(),
    severity: RiskSeveritySchema,
    status: z.string(),
    openedAt: Timestamp,
    resolvedAt: Timestamp,
  }),
  z.object({
    subject: z.literal('candidates'),
    id: z.string(),
    ...OfAsset,
    domainName: z.string().nullable(),
    informationTypeName: z.string().nullable(),
    askedInformationTypeName: z
      .string()
      .nullable()
      .describe(
        'The type that was asked about. `informationTypeName` is what it was confirmed as, if it was corrected.',
      ),
    confidence: z.number().nullable(),
    band: z.string(),
    status: z.string(),
    askedAt: Timestamp,
  }),
  z.object({
    subject: z.literal('actions'),
    id: z.string(),
    ...OfAsset,
    kind: z.string(),
    status: z.string(),
    requesterName: z.string(),
    requestedAt: Timestamp,
  }),
  z.object({
    subject: z.literal('scopes'),
    id: z.string(),
    ...OfAsset,
    family: z.string(),
    coverage: z.string(),
    assetCount: z.int(),
    scannedAt: Timestamp,
  }),
]);
export type EvidenceRow = z.infer<typeof EvidenceRowSchema>;

const at = (column: Statement): Statement =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Details of rows, in the order of their ids. Names of assets that the asker may not see are null. */
export async function rowsOf(
  asking: Asking,
  subject: Subject,
  ids: readonly string[],
): Promise<EvidenceRow[]> {
  if (ids.length === 0) return [];
  const rows = await asking.tx.query<Record<string, unknown>>(QUERIES[subject](asking, ids));
  return rows.map((row) => ({ ...row, subject }) as EvidenceRow);
}

/** `a` and `s`: asset and scope of a row, if the asker may see the asset. */
const seenAsset = (asking: Asking, assetId: Statement): Statement => sql`
  left join lateral (
    select a.* from ${assetById(asking.tx, assetId)} where ${isSeen(asking, sql`a.asset_id`)}) a on true
  left join scopes s on s.tenant_id = ${asking.tx.tenantId} and s.scope_id = a.scope_id`;
const ASSET = sql`
  a.asset_id as "assetId", a.name as "assetName", s.name as "scopeName", '/api/assets/' || a.asset_id as href`;
const wanted = (ids: readonly string[]): Statement =>
  sql`unnest(${ids}::text[]) with ordinality as i (id, n)`;

const QUERIES: Readonly<Record<Subject, (asking: Asking, ids: readonly string[]) => Statement>> = {
  assets: (asking, ids) => sql`
    select i.id, ${ASSET}, a.path, a.label_state as "labelState", a.label_name as "labelName",
           coalesce(a.foreign_labels <> '[]', false) as "labeledElsewhere",
           a.risk_severity as "riskSeverity", a.content_state as "contentState", a.format, a.size_bytes::float8 as "sizeBytes",
           ${at(sql`a.source_modified_at`)} as "modifiedAt", c."domainName", c."informationTypeName",
           c.status as "classificationStatus"
      from ${wanted(ids)} ${seenAsset(asking, sql`i.id`)}
      left join lateral (
        select ${classificationColumns}
          from (${firmestPlacement(asking.tx, asking.reach, undefined)}) p
          ${classificationJoins(asking.tx, asking.reach)}) c on true
     where a.asset_id is not null order by i.n`,
  findings: (asking, ids) => sql`
    select i.id, ${ASSET}, f.kind, f.severity, f.status, ${at(sql`f.opened_at`)} as "openedAt",
           ${at(sql`f.resolved_at`)} as "resolvedAt"
      from ${wanted(ids)} join findings f on f.tenant_id = ${asking.tx.tenantId} and f.finding_id = i.id
      ${seenAsset(asking, sql`f.asset_id`)} order by i.n`,
  candidates: (asking, ids) => sql`
    select i.id, ${ASSET}, m.name as "domainName", y.name as "informationTypeName", q.name as "askedInformationTypeName",
           k.confidence, k.band, k.status,
           ${at(sql`k.created_at`)} as "askedAt"
      from ${wanted(ids)} join candidates k on k.tenant_id = ${asking.tx.tenantId} and k.candidate_id = i.id
      left join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
      left join information_types y on y.tenant_id = k.tenant_id and y.information_type_id = ${countedType}
      left join information_types q on q.tenant_id = k.tenant_id and q.information_type_id = k.information_type_id
      ${seenAsset(asking, sql`k.asset_id`)} order by i.n`,
  actions: (asking, ids) => sql`
    select i.id, ${ASSET}, t.kind, t.status, r.display_name as "requesterName", ${at(sql`t.created_at`)} as "requestedAt"
      from ${wanted(ids)} join actions t on t.tenant_id = ${asking.tx.tenantId} and t.action_id = i.id
      join principals r on r.tenant_id = t.tenant_id and r.principal_id = t.requested_by
      ${seenAsset(asking, sql`t.target_asset_id`)} order by i.n`,
  scopes: (asking, ids) => sql`
    select i.id, null as "assetId", null as "assetName", s.name as "scopeName", null as href, s.family,
           coalesce(s.coverage_state, 'never') as coverage, coalesce(n.assets, 0)::int as "assetCount",
           ${at(lastScanOf(asking.tx, sql`s.scope_id`))} as "scannedAt"
      from ${wanted(ids)} join scopes s on s.tenant_id = ${asking.tx.tenantId} and s.scope_id = i.id
      left join (${assetsByScope(asking.tx, asking.reach)}) n using (scope_id)
     order by i.n`,
};
