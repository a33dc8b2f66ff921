import type { z } from 'zod';
import { groupGrants } from '../assets/access.ts';
import { detectorTitles } from '../assets/detector-titles.sql.ts';
import { readExcerpts } from '../assets/excerpts.sql.ts';
import { readProvenance } from '../assets/provenance.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import type { Spellings } from '../inference/spellings.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { readTrackRecord } from './answers-to-model.sql.ts';
import type { Candidate, CandidateDetailSchema, RelatedCandidate } from './candidate-schema.ts';
import { REVISABLE_MS } from './decision.ts';
import { explainAll } from './explanation.ts';
import { findCandidate, type InferenceRecord } from './find-candidate.sql.ts';
import { decisionsOf } from './past-decisions.sql.ts';
import { relatedAssets } from './related-assets.sql.ts';
import { relatedCandidates } from './related-candidates.sql.ts';
import { basisOf, summarize } from './summary.ts';
import { inWords, withRecord } from './track-record.ts';

const MAX_DECISIONS = 50;
const MAX_RELATED = 20;

type Reading = { principal: Principal; visibility: Visibility; audit: (entry: AuditEntry) => void };

/**
 * Reads a candidate with its evidence. A rejected candidate is shown while its decision can still be revised, and
 * one that the reader has sent to another domain while they can take it back. Throws
 * `not_found` if the candidate does not exist, belongs to a domain that the reader may not see, or no longer ties the
 * asset to its domain.
 * @param withExcerpts whether excerpts are read, which is audited
 * @param now milliseconds
 */
export async function candidateDetail(
  tx: Tx,
  { principal, visibility, audit }: Reading,
  candidateId: string,
  withExcerpts: boolean,
  now: number,
): Promise<z.input<typeof CandidateDetailSchema>> {
  const found = await findCandidate(tx, candidateId, {
    principalId: principal.principalId,
    visibility,
    revisableSince: new Date(now - REVISABLE_MS),
  });
  if (found === null) throw notFound();
  const { candidate, answer, inference, spellings, grants, signals, ...rest } = found;
  const place = { name: candidate.assetName, path: candidate.location.path };
  const [record, excerpts, related] = await Promise.all([
    readTrackRecord(tx, visibility, candidate.domainId),
    withExcerpts
      ? readExcerpts(tx, principal, candidate.assetId, audit, answer?.decisionId)
      : { present: [], judged: [] },
    relatedAssets(tx, candidate.assetId).then((assets) => relatedCandidates(tx, candidate, assets)),
  ]);
  const titles = await detectorTitles(
    tx,
    [...signals, ...(answer?.evidence?.signals ?? [])].map(({ detectorId }) => detectorId),
  );
  const titled = (all: readonly Signal[]) =>
    all.map((each) => ({ ...each, title: titles.get(each.detectorId) ?? each.detectorId }));
  const alike = (kind: RelatedCandidate['kind']) => related.filter((each) => each.kind === kind).length;
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
    signals: titled(signals),
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
          titles,
        ),
        inference: explained(answer.evidence.inference, answer.evidence.spellings),
        signals: titled(answer.evidence.signals),
        excerpts: excerpts.judged,
      },
    },
    provenance: await readProvenance(tx, candidate.assetId, visibility),
    decisions: bounded(await decisionsOf(tx, candidate, visibility, MAX_DECISIONS + 1), MAX_DECISIONS),
    excerpts: excerpts.present,
    access: {
      ...groupGrants(grants.all, seesNames(principal, candidate)),
      complete: grants.complete,
      observedAt: grants.observedAt,
    },
    reranks: {
      total: related.length,
      identicalBytes: alike('identical_bytes'),
      nearDuplicates: alike('near_duplicate'),
      sameTemplate: alike('same_template'),
    },
    related: bounded(related, MAX_RELATED),
  };
}

/** Whether the reader may see who has access: they may read the metadata of the asset. */
function seesNames(principal: Principal, { domainId }: Pick<Candidate, 'domainId'>): boolean {
  const sees = visibilityOf(principal, 'asset.metadata.read');
  return sees?.kind === 'tenant' || (sees?.domainIds.some((each) => each === domainId) ?? false);
}
