import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';
import { DEV } from './seed.ts';

export type StoredSignal = {
  detectorId: string;
  family: string;
  count: number;
  confidence: number;
  tiers: Record<string, number>;
};
export type StoredInference = {
  inference_id: string;
  information_type_id: string;
  inference_key: string;
  confidence: number;
  contributions: { value: number }[];
};
export type StoredCandidate = {
  candidate_id: string;
  domain_id: string;
  information_type_id: string | null;
  inference_id: string | null;
  confidence: number | null;
  status: string;
  revision: number;
  decision_id: string | null;
  earlier_decision_id: string | null;
  asked_because: string;
};
export type StoredDecision = {
  decision_id: string;
  candidate_id: string;
  principal_id: string;
  decision: string;
  corrected_information_type_id: string | null;
  routed_domain_id: string | null;
  created_at: string;
};
type StoredFinding = {
  kind: string;
  status: string;
  notes: string;
  acknowledged_decision_id: string | null;
};

/** The stored facts of an asset. */
export type AssetFacts = {
  assetId: string;
  fileId: string;
  contentHash: string;
  grants: { principalKind: string }[];
  labelState: string;
  labelRank: number | null;
  inferenceKey: string;
  signals: StoredSignal[];
  inferences: StoredInference[];
  candidates: StoredCandidate[];
  decisions: StoredDecision[];
  assertions: { assertion_id: string }[];
  findings: StoredFinding[];
};

/** The facts of assets of the development tenant, in the order of the source ids. */
export async function factsOf(database: TestDatabase, fileIds: readonly string[]): Promise<AssetFacts[]> {
  const of = (table: string, order: string) => sql`
    array(select to_jsonb(t) from ${sql.ident(table)} t
           where t.tenant_id = a.tenant_id and t.asset_id = a.asset_id order by ${sql.ident(order)})`;
  return database.inspect<AssetFacts>(sql`
    select a.asset_id as "assetId", a.external_id as "fileId", encode(a.content_hash, 'hex') as "contentHash", a.grants,
           a.label_state as "labelState", l.rank as "labelRank", a.stage_keys ->> 'inference' as "inferenceKey",
           coalesce((select jsonb_agg(signal - 'positions' - 'detectorVersion')
                       from jsonb_array_elements(f.features -> 'signals') as signal), '[]') as signals,
           ${of('inferences', 'inference_id')} as inferences, ${of('candidates', 'candidate_id')} as candidates,
           ${of('decisions', 'decision_id')} as decisions, ${of('assertions', 'assertion_id')} as assertions,
           ${of('findings', 'finding_id')} as findings
      from assets a
      left join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
      left join sensitivity_labels l on l.tenant_id = a.tenant_id and l.label_guid = a.label_guid
     where a.tenant_id = ${DEV} and a.external_id = any(${[...fileIds]}::text[])
     order by array_position(${[...fileIds]}::text[], a.external_id)`);
}

/** The `candidateThreshold` of the development tenant. */
const CANDIDATE_THRESHOLD = 0.4;

/** The model's suggestions for the present content, the most likely first. */
export const suggestionsIn = ({ inferences, inferenceKey }: AssetFacts): StoredInference[] =>
  inferences
    .filter((each) => each.inference_key === inferenceKey && each.confidence >= CANDIDATE_THRESHOLD)
    .sort((a, b) => b.confidence - a.confidence || (a.information_type_id < b.information_type_id ? -1 : 1));

export const decisionIn = ({ decisions }: AssetFacts, id: string | null): StoredDecision | null =>
  decisions.find((each) => each.decision_id === id) ?? null;

/** The answer on which the status of a candidate is based. */
export const standingOf = (
  facts: AssetFacts,
  { status, decision_id }: StoredCandidate,
): StoredDecision | null =>
  ['confirmed', 'rejected', 'routed'].includes(status) ? decisionIn(facts, decision_id) : null;

/** The type that an answer names. */
export const statedType = (candidate: StoredCandidate, decision: StoredDecision): string | null =>
  decision.corrected_information_type_id ?? candidate.information_type_id;

/** For a routed candidate, the question of the domain to which it was sent. */
export const sentTo = (facts: AssetFacts, { decision_id }: StoredCandidate): StoredCandidate | undefined => {
  const domainId = decisionIn(facts, decision_id)?.routed_domain_id;
  return facts.candidates.find((each) => each.domain_id === domainId && each.information_type_id === null);
};

/** The revision of the question that a candidate belongs to, as long as its words stay the same. */
export const revisionOfQuestion = ({ candidates }: AssetFacts, { domain_id }: StoredCandidate): number =>
  Math.max(...candidates.filter((each) => each.domain_id === domain_id).map(({ revision }) => revision));

/** Whether a candidate was routed and nobody there has answered. */
export const canTakeBack = (facts: AssetFacts, candidate: StoredCandidate): boolean => {
  const there = candidate.status === 'routed' ? sentTo(facts, candidate) : undefined;
  return there?.status === 'pending' && there.asked_because === 'routed';
};

/** The answer to a candidate: the current one, or the earlier one of its question. */
export function answerOf(facts: AssetFacts, candidate: StoredCandidate): StoredDecision | null {
  const { decision_id, earlier_decision_id, domain_id, status } = candidate;
  const ofQuestion = facts.candidates
    .filter((each) => status === 'pending' && each.status === 'pending' && each.domain_id === domain_id)
    .map((each) => each.earlier_decision_id ?? '')
    .sort();
  return decisionIn(facts, decision_id ?? earlier_decision_id ?? ofQuestion.at(-1) ?? null);
}

/** What the person who answers can see of an asset. */
export type Seen = {
  contentHash: string;
  signals: readonly StoredSignal[];
  /** The types that the model suggests, the most likely first. */
  types: readonly string[];
  inferenceIds: ReadonlySet<string>;
};

export const seenIn = (facts: AssetFacts): Seen => ({
  contentHash: facts.contentHash,
  signals: facts.signals,
  types: suggestionsIn(facts).map((each) => each.information_type_id),
  inferenceIds: new Set(facts.inferences.map((each) => each.inference_id)),
});
