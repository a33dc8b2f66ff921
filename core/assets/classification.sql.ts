import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomainsUnpeeked } from '../visibility/within-domains.sql.ts';

/**
 * What is held of an asset in one domain. `confidence` is the model's in this information type: null where a person
 * named the type. `decision` is the latest one, null while the question is open.
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

/** Of placements `p`: what an owner confirmed, then what the model is surest of. A type told by another domain is last. */
export const firmestFirst = sql`
  p.provenance = 'confirmed' desc, p.information_type_id is null, p.confidence desc nulls last, p.candidate_id`;

/**
 * Placements `p` of `assets a` in the reader's domains. Those of the asset are read first: an index of the placements that
 * lists show knows the id too, and is read for the whole tenant to find one.
 */
const seen = (tx: Tx, visibility: Visibility): Statement => sql`
  from (select * from asset_placements
         where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = a.asset_id ${FENCE}) p
 where p.domain_id is not null and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)}`;

/** What of a placement `p` is read to tell of it. */
export const placementColumns = sql`
  p.candidate_id, p.domain_id, p.information_type_id, p.confidence, p.status, p.decision_id`;

/** The columns of `ClassificationSchema` for a placement `p` and what is joined to it. */
export const classificationColumns = sql`
  p.candidate_id as "candidateId", p.domain_id as "domainId", m.name as "domainName",
  p.information_type_id as "informationTypeId", t.name as "informationTypeName",
  case when d.corrected_information_type_id is null then p.confidence end as confidence, p.status,
  case when p.status <> 'pending' then d.decision end as decision`;

/** What is told of a placement `p`, or nothing where there is none: each by its id, whatever the planner knows. */
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

/** The firmest placement of `assets a` in the reader's domains, or as one information type where one is given. */
export const firmestPlacement = (
  tx: Tx,
  visibility: Visibility,
  informationTypeId: string | undefined,
): Statement => sql`
  select p.* ${seen(tx, visibility)}
     and ${informationTypeId === undefined ? sql`p.firmest` : sql`p.information_type_id = ${informationTypeId}`}
   order by ${firmestFirst} limit 1`;

/**
 * Rows of `ClassificationSchema`: all classifications of `assets a` in the reader's domains, the firmest first. A type
 * that an owner corrected the asset to is told once, by its own domain; who sees that of the corrected candidate alone is
 * not told the type.
 */
export const classificationsOf = (tx: Tx, visibility: Visibility): Statement => sql`
  select ${classificationColumns}
    from (
      select distinct on (coalesce(p.decision_id, p.candidate_id)) p.* ${seen(tx, visibility)}
       order by coalesce(p.decision_id, p.candidate_id), p.information_type_id is null
    ) p ${classificationJoins(tx)}
   order by ${firmestFirst}`;
