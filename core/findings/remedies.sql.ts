import { visibleAction } from '../authz/action-visibility.sql.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Remediable, type Remedy, type RemedyFacts, remedyOf } from './remedy.ts';
import { requiredLabel } from './required-label.sql.ts';

const MAX_PLACES = 5;

type Row = RemedyFacts & { findingId: string };

/**
 * Adds to findings what to do about them. The facts about all of them are read in one statement. The caller must have
 * checked that the reader may see their assets.
 * @param visibility the domains whose places may be named
 * @param drafts where the reader may draft actions; null means nowhere
 * @param actions the domains whose actions may be named
 */
export async function withRemedies<T extends Remediable>(
  tx: Tx,
  { visibility, drafts, actions }: { visibility: Visibility; drafts: Visibility | null; actions: Visibility },
  findings: readonly T[],
): Promise<(T & Remedy)[]> {
  const rows = await tx.query<Row>(sql`
    select f.finding_id as "findingId", f.asset_id as "assetId", a.path, a.source_url as "sourceUrl",
           coalesce(f.returned_at, f.opened_at) as since, required.label as "requiredLabel",
           coalesce(places.items, '[]') as "expectedPlaces", latest.action as "latestAction",
           ${drafts === null ? sql`false` : sql`a.status = 'active' and ${visibleAsset(drafts)}`} as "isDraftable"
      from unnest(${findings.map(({ findingId }) => findingId)}::text[]) as asked (finding_id)
      cross join lateral (
        select * from findings
         where tenant_id = ${unpeeked(tx.tenantId)} and finding_id = asked.finding_id ${FENCE}) f
      cross join lateral ${assetById(tx, sql`f.asset_id`)}
      left join lateral (
        select jsonb_build_object('labelGuid', l.label_guid, 'labelName', l.name) as label
          from (${requiredLabel(tx)}) l) required on true
      left join lateral (
        select jsonb_agg(jsonb_build_object('scopeId', e.scope_id, 'scopeName', e.name) order by e.name, e.scope_id) as items
          from (select s.scope_id, s.name from scopes s
                 where f.kind = 'location' and s.tenant_id = ${tx.tenantId} and s.scope_id <> a.scope_id
                   and s.expected_domain_id in (
                     select p.domain_id from asset_placements p
                      where p.tenant_id = ${unpeeked(tx.tenantId)} and p.asset_id = f.asset_id
                        and ${withinDomains(visibility, sql`p.domain_id`)})
                   and s.expected_domain_id is distinct from (
                     select expected_domain_id from scopes
                      where tenant_id = ${tx.tenantId} and scope_id = a.scope_id)
                 order by s.name, s.scope_id limit ${MAX_PLACES}) e) places on true
      left join lateral (
        select jsonb_build_object('actionId', a.action_id, 'status', a.status) as action from actions a
         where a.tenant_id = ${unpeeked(tx.tenantId)} and a.finding_id = f.finding_id and ${visibleAction(actions)}
         order by a.created_at desc, a.action_id desc limit 1) latest on true`);
  const facts = new Map(rows.map(({ findingId, ...row }) => [findingId, row]));
  return findings.flatMap((finding) => {
    const known = facts.get(finding.findingId);
    return known === undefined ? [] : [{ ...finding, ...remedyOf(finding, known) }];
  });
}
