import type { Visibility } from '../authz/principal.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { domainsOf } from './queue-filter.sql.ts';
import { type AnswersOfDomain, type TrackRecord, trackRecordOf } from './track-record.ts';

/** How many answers of a domain are looked at, the newest first. */
const LOOKED_AT = 300;

/**
 * What owners answered to questions of the model, in the reader's domains or in one of them. Only valid answers
 * count. *Need more evidence* is none, and an answer about a representative says nothing of what the model asks. A correction to a type of another domain says that the asset is not theirs. The
 * confidence is the one that the question had when it was answered. The index `candidates_answered` has the same
 * conditions, and the order.
 */
export async function readTrackRecord(
  tx: Tx,
  visibility: Visibility,
  domainId: string | null,
): Promise<TrackRecord> {
  return trackRecordOf(
    await tx.query<AnswersOfDomain>(sql`
      select o.domain_id as "domainId", a.answers
        from (${domainsOf(tx, visibility)}) o cross join lateral (
          select json_agg(json_build_array(
                   k.decision_id, k.information_type_id, k.confidence,
                   k.status = 'confirmed' and coalesce(t.domain_id = k.domain_id, true))) as answers
            from (
              select decision_id, information_type_id, confidence, status, domain_id from candidates
               where tenant_id = ${tx.tenantId} and domain_id = o.domain_id and decision_id is not null
                 and inference_id is not null and status in ('confirmed', 'rejected', 'routed')
                 and asked_because in ('inferred', 'put_off', 'content_changed', 'correction_revised')
                 and not representative
               order by decision_id desc limit ${sql.whole(LOOKED_AT)}) k
            left join lateral (
              select corrected_information_type_id as type_id from decisions
               where k.status = 'confirmed' and tenant_id = ${unpeeked(tx.tenantId)} and decision_id = k.decision_id
               ${FENCE}) corrected on true
            left join lateral (
              select domain_id from information_types
               where tenant_id = ${unpeeked(tx.tenantId)} and information_type_id = corrected.type_id ${FENCE}) t on true) a
       where a.answers is not null and ${domainId === null ? sql`true` : sql`o.domain_id = ${domainId}`}`),
  );
}
