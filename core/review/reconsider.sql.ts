import { judgedContentVersion } from '../assets/same-content.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { levelOfType } from '../findings/level-of-type.sql.ts';
import type { Level } from '../findings/sensitivity.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { CandidateStatus } from './candidate-states.ts';
import type { Decision } from './decision.ts';
import type { Evidence, MaterialChange } from './material-change.ts';
import { nextRevision } from './question.sql.ts';

/** A candidate with the decision by which it has its status, and the evidence of that decision. */
export type Answered = {
  assetId: AssetId;
  candidateId: string;
  status: CandidateStatus;
  informationTypeId: string | null;
  decision: Decision;
  statedType: { informationTypeId: string; level: Level } | null;
  contentVersion: string;
  contentHash: string | null;
  /** Null if a former release did not keep it. */
  evidence: Pick<Evidence, 'signals' | 'types'> | null;
  shingles: Uint8Array | null;
};

/** The valid decisions on assets. */
export const answersOn = (tx: Tx, assetIds: readonly AssetId[]): Promise<Answered[]> =>
  tx.query<Answered>(sql`
    select k.asset_id as "assetId", k.candidate_id as "candidateId", k.status, k.information_type_id as "informationTypeId", d.decision,
           case when t.information_type_id is not null then
             jsonb_build_object('informationTypeId', t.information_type_id, 'level', ${levelOfType}) end as "statedType",
           coalesce(${judgedContentVersion}, '') as "contentVersion",
           encode(d.content_hash, 'hex') as "contentHash",
           case when d.evidence is not null then jsonb_build_object(
             'signals', d.evidence -> 'signals',
             'types', coalesce((
               select jsonb_agg(jsonb_build_object('informationTypeId', t.information_type_id, 'level', ${levelOfType})
                                order by said.nth)
                 from jsonb_array_elements(d.evidence -> 'types') with ordinality as said (type, nth)
                 join information_types t
                   on t.tenant_id = d.tenant_id and t.information_type_id = said.type ->> 'informationTypeId'), '[]'))
           end as evidence, d.shingles
      from candidates k
      join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
      left join information_types t
        on t.tenant_id = k.tenant_id
       and t.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
     where k.tenant_id = ${tx.tenantId} and k.asset_id = any(${assetIds}::text[])
       and k.status in ('confirmed', 'rejected', 'routed')`);

/** The stored signature of an asset's text. Null if the text is too short. */
export async function storedShingles(tx: Tx, assetId: string): Promise<Uint8Array | null> {
  const [row] = await tx.query<{ shingles: Uint8Array | null }>(sql`
    select shingles from asset_sketches where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  return row?.shingles ?? null;
}

/** A candidate whose decision is no longer valid, because the content has changed. */
export type Reconsidered = {
  candidateId: string;
  status: 'pending' | 'withdrawn';
  changes: readonly MaterialChange[];
  /** Null if the model no longer suggests the type. */
  supported: { confidence: number; band: string; basis: object } | null;
};

/**
 * Opens or withdraws candidates whose decision is no longer valid, and keeps that decision as the earlier one. A
 * candidate that the model does not support is then shown as asked by a person (`routed`).
 */
export async function storeReconsidered(
  tx: Tx,
  assetId: string,
  inferenceKey: string,
  reconsidered: readonly Reconsidered[],
  now: number,
): Promise<void> {
  await tx.execute(sql`
    update candidates k
       set status = r.status, decision_id = null, earlier_decision_id = k.decision_id, changes = r.changes,
           asked_because = 'content_changed', representative = false, revision = ${nextRevision(sql`k`)}, updated_at = ${new Date(now)},
           inference_id = i.inference_id, confidence = (r.supported ->> 'confidence')::double precision,
           band = coalesce(r.supported ->> 'band', 'routed'), basis = r.supported -> 'basis'
      from jsonb_to_recordset(${sql.json(
        reconsidered.map(({ candidateId, ...rest }) => ({ candidate_id: candidateId, ...rest })),
      )}::jsonb) as r (candidate_id text, status text, changes jsonb, supported jsonb)
      left join candidates own on own.tenant_id = ${tx.tenantId} and own.candidate_id = r.candidate_id
      left join inferences i
        on r.supported is not null and i.tenant_id = ${tx.tenantId} and i.asset_id = ${assetId}
       and i.information_type_id = own.information_type_id and i.inference_key = ${inferenceKey}
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.candidate_id = r.candidate_id`);
}
