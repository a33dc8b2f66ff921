import type { z } from 'zod';
import { readExcerpts, readProvenance } from '../assets/read.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import type { CandidateDetailSchema } from './candidate-schema.ts';
import { decisionsOf, findCandidate } from './candidates.sql.ts';
import { REVISABLE_MS } from './decision.ts';
import { explain } from './explanation.ts';
import { relatedAssets } from './related-assets.sql.ts';
import { relatedCandidates } from './related-candidates.sql.ts';

const DECISIONS_MAX = 50;
const RELATED_MAX = 20;

/**
 * A candidate with its evidence. Throws `not_found` alike for one that does not exist, one of a foreign domain and one
 * that no longer ties the asset to its domain; a refusal is shown as long as it may be revised.
 * @param now milliseconds
 */
export async function candidateDetail(
  tx: Tx,
  principal: Principal,
  visibility: Visibility,
  candidateId: string,
  audit: (entry: AuditEntry) => void,
  now: number,
): Promise<z.input<typeof CandidateDetailSchema>> {
  const found = await findCandidate(tx, candidateId, visibility, new Date(now - REVISABLE_MS));
  if (found === null) throw notFound();
  const { candidate, asset, inference, signals } = found;
  return {
    ...candidate,
    asset,
    inference: inference && {
      ...inference,
      contributions: inference.contributions.map((contribution) => explain(contribution, visibility)),
    },
    signals,
    provenance: await readProvenance(tx, candidate.assetId, visibility),
    decisions: bounded(await decisionsOf(tx, candidate, visibility, DECISIONS_MAX + 1), DECISIONS_MAX),
    excerpts: await readExcerpts(tx, principal, candidate.assetId, audit),
    related: bounded(
      await relatedCandidates(tx, candidate, await relatedAssets(tx, candidate.assetId), RELATED_MAX + 1),
      RELATED_MAX,
    ),
  };
}
