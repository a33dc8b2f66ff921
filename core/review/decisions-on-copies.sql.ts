import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { AssetId } from '../kernel/ids.ts';
import { findSimilar } from '../similarity/find-similar.sql.ts';
import type { Sketches } from '../similarity/sketches.ts';

const MAX_DECISIONS = 100;
/** Limit for near-duplicates, and again for documents of the same template. */
const MAX_NEAR = 20;

/**
 * Decisions of owners on byte-identical copies of an asset, then on near-duplicates and on documents of the same
 * template (`near`), the newest first. A correction counts for the type that it names and against the type of the
 * question.
 * @param contentHash null if no bytes were read; there are then no copies
 * @param sketches of the present content; null to use the stored ones
 * @param decidedBefore leaves later decisions out; null for all of them
 */
export async function decisionsOnCopies(
  tx: Tx,
  assetId: AssetId,
  contentHash: string | null,
  sketches: Sketches | null = null,
  decidedBefore: Date | null = null,
): Promise<RelatedDecision[]> {
  const [said, similar] = await Promise.all([
    contentHash === null
      ? []
      : decisionsOn(
          tx,
          decidedBefore,
          sql`a.decided and a.content_hash = decode(${contentHash}, 'hex') and a.status = 'active' and a.asset_id <> ${assetId}`,
        ),
    findSimilar(tx, { assetId, contentHash, sketches }, { among: sql`true`, decided: true, limit: MAX_NEAR }),
  ]);
  const exact = said.map(({ assetId: _, ...decision }): RelatedDecision => ({ kind: 'exact', ...decision }));
  if (similar.length === 0) return exact;
  const bySimilar = new Map(similar.map((each) => [each.assetId, each]));
  const saidOfSimilar = await decisionsOn(
    tx,
    decidedBefore,
    sql`a.asset_id = any(${[...bySimilar.keys()]}::text[])`,
  );
  const near = saidOfSimilar.flatMap(({ assetId: of, ...decision }): RelatedDecision[] => {
    const like = bySimilar.get(of);
    return like === undefined
      ? []
      : [{ kind: 'near', ...decision, likeness: like.kind, similarity: like.similarity }];
  });
  return [...exact, ...near];
}

/** Decisions on `assets a`: one row for each asset, type and outcome. */
const decisionsOn = (tx: Tx, before: Date | null, which: Statement) =>
  tx.query<Pick<RelatedDecision, 'informationTypeId' | 'outcome'> & { assetId: string }>(sql`
    select asset_id as "assetId", information_type_id as "informationTypeId", outcome
      from (
        select distinct a.asset_id, d.created_at, d.decision_id, said.information_type_id, said.outcome
          from assets a
          join candidates k on k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
          join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
         cross join lateral (values
                 (d.corrected_information_type_id, 'confirmed'),
                 (k.information_type_id,
                  case when k.status = 'confirmed'
                        and coalesce(d.corrected_information_type_id, k.information_type_id) = k.information_type_id
                       then 'confirmed' else 'refused' end)
               ) as said (information_type_id, outcome)
         where a.tenant_id = ${tx.tenantId} and ${which}
           and ${before === null ? sql`true` : sql`d.created_at < ${before}`}
           and k.status in ('confirmed', 'rejected') and said.information_type_id is not null
      ) said
     order by created_at desc, decision_id, information_type_id limit ${MAX_DECISIONS}`);
