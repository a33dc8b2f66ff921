import type { z } from 'zod';
import { readExcerpts } from '../assets/excerpts.sql.ts';
import { readProvenance } from '../assets/provenance.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { builtInTitles } from '../detectors/on-demand.ts';
import type { Spellings } from '../inference/spellings.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { readTrackRecord } from './answers-to-model.sql.ts';
import type { CandidateDetailSchema } from './candidate-schema.ts';
import { decisionsOf, findCandidate, type InferenceRecord } from './candidates.sql.ts';
import { REVISABLE_MS } from './decision.ts';
import { explainAll } from './explanation.ts';
import { relatedAssets } from './related-assets.sql.ts';
import { relatedCandidates } from './related-candidates.sql.ts';
import { basisOf, summarize } from './summary.ts';
import { inWords, withRecord } from './track-record.ts';

const MAX_DECISIONS = 50;
const MAX_RELATED = 20;

/**
 * Reads a candidate with its evidence. A rejected candidate is shown while its decision can still be revised. Throws
 * `not_found` if the candidate does not exist, belongs to a domain that the reader may not see, or no longer ties the
 * asset to its domain.
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
  const { candidate, answer, inference, spellings, ...rest } = found;
  const place = { name: candidate.assetName, path: candidate.location.path };
  const [record, excerpts] = await Promise.all([
    readTrackRecord(tx, visibility, candidate.domainId),
    readExcerpts(tx, principal, candidate.assetId, audit, answer?.decisionId),
  ]);
  const explained = (said: InferenceRecord | null, written: Spellings | null) =>
    said && {
      ...said,
      confidenceInWords: inWords(record, candidate.domainId, said.confidence),
      contributions: explainAll(said.contributions, visibility, { ...place, spellings: written }),
    };
  return {
    ...withRecord(candidate, record),
    ...rest,
    inference: explained(inference, spellings),
    answer: answer && {
      ...answer,
      evidence: answer.evidence && {
        summary: summarize(
          candidate,
          answer.evidence.inference &&
            basisOf(
              answer.evidence.inference.contributions,
              answer.evidence.signals,
              answer.evidence.spellings,
            ),
          place,
          await builtInTitles(),
        ),
        inference: explained(answer.evidence.inference, answer.evidence.spellings),
        signals: answer.evidence.signals,
        excerpts: excerpts.judged,
      },
    },
    provenance: await readProvenance(tx, candidate.assetId, visibility),
    decisions: bounded(await decisionsOf(tx, candidate, visibility, MAX_DECISIONS + 1), MAX_DECISIONS),
    excerpts: excerpts.present,
    related: bounded(
      await relatedCandidates(tx, candidate, await relatedAssets(tx, candidate.assetId), MAX_RELATED + 1),
      MAX_RELATED,
    ),
  };
}
