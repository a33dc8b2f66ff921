import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isExposedTo } from '../findings/exposure.sql.ts';
import { EXPOSURES } from '../findings/exposure.ts';
import { levelOfType } from '../findings/level-of-type.sql.ts';
import type { Level } from '../findings/sensitivity.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';

const Count = z.int().nonnegative();

/** The counts of a domain or of the tenant at the last measurement of a day (UTC). */
const TrendPointSchema = z.object({
  day: z.iso.date().describe('The day in UTC. A day on which no measurement ran has no point'),
  assets: Count.describe('Active assets'),
  sensitive: Count.describe('Assets whose information type is confidential or restricted'),
  exposed: Count.describe(
    'Assets that people can read who are not named: anyone, outsiders, the organization, a broad group',
  ),
  labeled: Count.describe('Assets with a sensitivity label'),
  labelUnknown: Count.describe('Assets whose label is not known'),
  contentRead: Count.describe('Assets whose content was read completely'),
  openFindings: Count.describe('Findings that are not resolved'),
  openFindingsBySeverity: z
    .record(z.enum(SEVERITIES), Count)
    .describe('Findings that are not resolved, by severity. They add up to `openFindings`'),
  openQuestions: Count.describe('Assets about which owners are asked, once for each domain'),
  answeredQuestions: Count.describe('Questions that are answered so far and not asked again'),
  scopes: Count.nullable().describe('Selected scopes. Null in the series of a domain'),
  scopesScanned: Count.nullable().describe(
    'Selected scopes with an inventory. Null in the series of a domain',
  ),
});
type TrendPoint = z.infer<typeof TrendPointSchema>;

export const TrendSchema = z.object({
  domainId: z.string().nullable().describe('Null: all assets of the tenant'),
  domainName: z.string().nullable(),
  points: z.array(TrendPointSchema).describe('By day, the oldest first'),
});
export type Trend = z.infer<typeof TrendSchema>;

/** The domain of the series of the whole tenant. */
const WHOLE = '';
/** The least level that counts as sensitive: confidential. */
const SENSITIVE: Level = 2;
const NO_FINDINGS = sql.json(Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])));

/**
 * Stores the counts of the tenant and of each of its domains as those of the present day, in place of earlier ones of
 * the same day. It reads all assets of the tenant once.
 */
export async function measureTrends(tx: Tx, now: number): Promise<void> {
  const at = new Date(now);
  await tx.execute(sql`
    with facts as materialized (
      select a.asset_id, a.label_state, a.content_state = 'available' as is_read, ${isExposedTo(EXPOSURES)} as is_exposed
        from assets a where a.tenant_id = ${tx.tenantId} and a.status = 'active'
    ), placed as materialized (
      select p.asset_id, p.domain_id, p.open_findings, p.pending_reviews,
             coalesce(${levelOfType} >= ${SENSITIVE}, false) as is_sensitive
        from asset_placements p
        left join information_types t
          on t.tenant_id = p.tenant_id and t.information_type_id = p.information_type_id
       where p.tenant_id = ${tx.tenantId} and p.firmest
    ), each as (
      select domain_id, asset_id, open_findings, pending_reviews, is_sensitive from placed where domain_id is not null
      union all
      select ${WHOLE}, asset_id, max(open_findings), sum(pending_reviews), bool_or(is_sensitive) from placed group by asset_id
    ), open as (
      select asset_id, count(*) filter (where severity = 'low') as low, count(*) filter (where severity = 'medium') as medium,
             count(*) filter (where severity = 'high') as high, count(*) filter (where severity = 'critical') as critical
        from findings where tenant_id = ${tx.tenantId} and status <> 'resolved' group by asset_id
    ), counted as (
      select e.domain_id, count(*) as assets, count(*) filter (where e.is_sensitive) as sensitive,
             count(*) filter (where f.is_exposed) as exposed, count(*) filter (where f.label_state = 'labeled') as labeled,
             count(*) filter (where f.label_state = 'unknown') as label_unknown,
             count(*) filter (where f.is_read) as content_read, sum(e.open_findings) as open_findings,
             sum(e.pending_reviews) as open_questions,
             jsonb_build_object('low', coalesce(sum(o.low), 0), 'medium', coalesce(sum(o.medium), 0),
                                'high', coalesce(sum(o.high), 0), 'critical', coalesce(sum(o.critical), 0)) as by_severity
        from each e join facts f using (asset_id) left join open o using (asset_id) group by e.domain_id
    ), answered as (
      select coalesce(domain_id, ${WHOLE}) as domain_id, count(*) as questions from candidates
       where tenant_id = ${tx.tenantId} and decision_id is not null and status in ('confirmed', 'rejected', 'routed')
       group by grouping sets ((domain_id), ())
    ), scanned as (
      select count(*) as scopes, count(*) filter (where coverage_state is not null) as scanned from scopes
       where tenant_id = ${tx.tenantId} and selected
    )
    insert into trend_days as d (tenant_id, domain_id, day, measured_at, assets, sensitive, exposed, labeled, label_unknown,
                                 content_read, open_findings, open_findings_by_severity, open_questions,
                                 answered_questions, scopes, scopes_scanned)
    select ${tx.tenantId}, s.domain_id, (${at}::timestamptz at time zone 'UTC')::date, ${at}, coalesce(c.assets, 0),
           coalesce(c.sensitive, 0), coalesce(c.exposed, 0), coalesce(c.labeled, 0), coalesce(c.label_unknown, 0),
           coalesce(c.content_read, 0), coalesce(c.open_findings, 0),
           coalesce(c.by_severity, ${NO_FINDINGS}::jsonb), coalesce(c.open_questions, 0),
           coalesce(a.questions, 0), case when s.domain_id = ${WHOLE} then scanned.scopes end,
           case when s.domain_id = ${WHOLE} then scanned.scanned end
      from (select ${WHOLE} as domain_id
            union all select domain_id from domains where tenant_id = ${tx.tenantId}) s
      cross join scanned
      left join counted c using (domain_id)
      left join answered a using (domain_id)
    on conflict (tenant_id, domain_id, day) do update
      set measured_at = excluded.measured_at, assets = excluded.assets, sensitive = excluded.sensitive,
          exposed = excluded.exposed, labeled = excluded.labeled, label_unknown = excluded.label_unknown,
          content_read = excluded.content_read, open_findings = excluded.open_findings,
          open_findings_by_severity = excluded.open_findings_by_severity,
          open_questions = excluded.open_questions, answered_questions = excluded.answered_questions,
          scopes = excluded.scopes, scopes_scanned = excluded.scopes_scanned
    where d.measured_at < excluded.measured_at`);
}

/**
 * The series that the reader may see, since a day: that of the tenant first, which only a reader of the whole tenant
 * sees, then those of the domains with the most assets today; at most `limit`.
 */
export async function listTrends(
  tx: Tx,
  visibility: Visibility,
  { domainId, since, limit }: { domainId: string | undefined; since: number; limit: number },
): Promise<Trend[]> {
  const rows = await tx.query<TrendPoint & { domainId: string | null; domainName: string | null }>(sql`
    with newest as (
      select distinct on (t.domain_id) t.domain_id, t.assets from trend_days t
       where t.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`t.domain_id`)}
         and ${domainId === undefined ? sql`true` : sql`t.domain_id = ${domainId}`}
         and t.day >= (${new Date(since)}::timestamptz at time zone 'UTC')::date
       order by t.domain_id, t.day desc
    ), shown as (
      select n.domain_id, d.name, row_number() over (order by n.domain_id = ${WHOLE} desc, n.assets desc, n.domain_id) as place
        from newest n
        left join domains d on d.tenant_id = ${tx.tenantId} and d.domain_id = n.domain_id
       order by place limit ${limit}
    )
    select nullif(t.domain_id, ${WHOLE}) as "domainId", s.name as "domainName", t.day::text as day, t.assets, t.sensitive,
           t.exposed, t.labeled, t.label_unknown as "labelUnknown", t.content_read as "contentRead",
           t.open_findings as "openFindings", t.open_findings_by_severity as "openFindingsBySeverity", t.open_questions as "openQuestions",
           t.answered_questions as "answeredQuestions", t.scopes, t.scopes_scanned as "scopesScanned"
      from shown s join trend_days t on t.tenant_id = ${tx.tenantId} and t.domain_id = s.domain_id
     where t.day >= (${new Date(since)}::timestamptz at time zone 'UTC')::date
     order by s.place, t.day`);
  return [...Map.groupBy(rows, (row) => row.domainId)].map(([id, ofDomain]) => ({
    domainId: id,
    domainName: ofDomain[0]?.domainName ?? null,
    points: ofDomain.map(({ domainId: _, domainName: __, ...point }) => point),
  }));
}
