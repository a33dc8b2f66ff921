import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomainsUnpeeked } from '../authz/within-domains.sql.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** An information type with its name. */
export const NamedTypeSchema = z.object({ informationTypeId: z.string(), informationTypeName: z.string() });

/**
 * The classification of an asset in one domain. `confidence` is the model's in this information type, or null if a
 * person named the type. `decision` is the latest one, or null while the question is open. `correctedFrom` are the types
 * that the owner was asked about and that a correction replaced by this one.
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
  correctedFrom: z.array(NamedTypeSchema),
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
  case when p.status <> 'pending' then d.decision end as decision, f.types as "correctedFrom"`;

/**
 * Joins what is shown of a placement `p` of `assets a`, or nulls if there is none. Each join is a lookup by id, even if the planner
 * has no statistics of the tenant.
 */
export const classificationJoins = (tx: Tx, visibility: Visibility): Statement => sql`
  left join lateral (
    select name from domains
     where tenant_id = ${unpeeked(tx.tenantId)} and domain_id = p.domain_id ${FENCE}) m on true
  left join lateral (
    select decision, corrected_information_type_id from decisions
     where tenant_id = ${unpeeked(tx.tenantId)} and decision_id = p.decision_id ${FENCE}) d on true
  left join lateral (
    select name from information_types
     where tenant_id = ${unpeeked(tx.tenantId)} and information_type_id = p.information_type_id ${FENCE}) t on true
  left join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('informationTypeId', y.information_type_id, 'informationTypeName', y.name)
                              order by y.name, y.information_type_id), '[]') as types
      from (select * from candidates
             where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = a.asset_id
               and d.corrected_information_type_id is not null ${FENCE}) k
      join information_types y on y.tenant_id = k.tenant_id and y.information_type_id = k.information_type_id
     where k.decision_id = p.decision_id and k.information_type_id <> d.corrected_information_type_id
       and ${withinDomainsUnpeeked(visibility, sql`k.domain_id`)}) f on true`;

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
 * Rows of `ClassificationSchema`: all classifications of `assets a` in the reader's domains, the firmest first, with each
 * type that a decision confirmed. What it confirmed without a type is left out if it also confirmed a type: a type of
 * another domain to which an owner corrected the asset appears in that domain. Readers who may see only the corrected
 * candidate do not see the type.
 */
export const classificationsOf = (tx: Tx, visibility: Visibility): Statement => sql`
  select ${classificationColumns}
    from (
      select p.*, bool_or(p.information_type_id is not null) over (partition by p.decision_id) as names_type
      ${seen(tx, visibility)}
    ) p ${classificationJoins(tx, visibility)}
   where p.information_type_id is not null or p.decision_id is null or not p.names_type
   order by ${firmestFirst}`;
