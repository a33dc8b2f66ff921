import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomainsUnpeeked } from '../visibility/within-domains.sql.ts';

/**
 * The classification of an asset in one domain. `confidence` is the model's in this information type, or null if a
 * person named the type. `decision` is the latest one, or null while the question is open.
 */
export const ClassificationSchema = z.object({
  candidateId: z.string(),
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  confidence: z.number().nullable(),
  status: z.enum(['pending', 'deferred', 'confirmed']),
  decision: z.string().nullable(),
});

export type Classification = z.infer<typeof ClassificationSchema>;

/** Order of placements `p`: confirmed ones first, then those with an information type, then by confidence. */
export const firmestFirst = sql`
  p.provenance = 'confirmed' desc, p.information_type_id is null, p.confidence desc nulls last, p.candidate_id`;

/**
 * Placements `p` of `assets a` in the reader's domains. The fence makes the planner read the asset's placements by
 * asset id. Otherwise it may use an index that lists use and scan the whole tenant.
 */
const seen = (tx: Tx, visibility: Visibility): Statement => sql`
  from (select * from asset_placements
         where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = a.asset_id ${FENCE}) p
 where p.domain_id is not null and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)}`;

/** The columns of a placement `p` that its classification needs. */
export const placementColumns = sql`
  p.candidate_id, p.domain_id, p.information_type_id, p.confidence, p.status, p.decision_id`;

/** The columns of `ClassificationSchema` for a placement `p` and what is joined to it. */
export const classificationColumns = sql`
  p.candidate_id as "candidateId", p.domain_id as "domainId", m.name as "domainName",
  p.information_type_id as "informationTypeId", t.name as "informationTypeName",
  case when d.corrected_information_type_id is null then p.confidence end as confidence, p.status,
  case when p.status <> 'pending' then d.decision end as decision`;

/**
 * Joins what is shown of a placement `p`, or nulls if there is none. Each join is a lookup by id, even if the planner
 * has no statistics of the tenant.
 */
export const classificationJoins = (tx: Tx): Statement => sql`
  left join lateral (
    select name from domains
     where tenant_id = ${unpeeked(tx.tenantId)} and domain_id = p.domain_id ${FENCE}) m on true
  left join lateral (
    select decision, corrected_information_type_id from decisions
     where tenant_id = ${unpeeked(tx.tenantId)} and decision_id = p.decision_id ${FENCE}) d on true
  left join lateral (
    select name from information_types
     where tenant_id = ${unpeeked(tx.tenantId)} and information_type_id = p.information_type_id ${FENCE}) t on true`;

/** The firmest placement of `assets a` in the reader's domains, optionally only of one information type. */
export const firmestPlacement = (
  tx: Tx,
  visibility: Visibility,
  informationTypeId: string | undefined,
): Statement => sql`
  select p.* ${seen(tx, visibility)}
     and ${informationTypeId === undefined ? sql`p.firmest` : sql`p.information_type_id = ${informationTypeId}`}
   order by ${firmestFirst} limit 1`;

/**
 * Rows of `ClassificationSchema`: all classifications of `assets a` in the reader's domains, the firmest first. A
 * type to which an owner corrected the asset appears once, in its own domain. Readers who may see only the corrected
 * candidate do not see the type.
 */
export const classificationsOf = (tx: Tx, visibility: Visibility): Statement => sql`
  select ${classificationColumns}
    from (
      select distinct on (coalesce(p.decision_id, p.candidate_id)) p.* ${seen(tx, visibility)}
       order by coalesce(p.decision_id, p.candidate_id), p.information_type_id is null
    ) p ${classificationJoins(tx)}
   order by ${firmestFirst}`;
