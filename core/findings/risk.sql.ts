import type { Grant } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { hasOwner } from '../governance/owners.sql.ts';
import { newId } from '../kernel/ids.ts';
import { standingSignals } from '../signals/standing-signals.sql.ts';
import { levelOfType as level } from './level-of-type.sql.ts';
import type { KnownFinding, LoweringAnswer } from './next-standing.ts';
import { highestSeverity, RISK_POLICY_VERSION, type RiskComponent, type RiskFacts } from './risk.ts';
import type { Level, RiskClassification } from './sensitivity.ts';

/** The facts that an assessment of one asset needs, and its previous result. */
export type RiskState = {
  facts: RiskFacts;
  /** Null before the first assessment. */
  known: { components: RiskComponent[]; policyVersion: string } | null;
  findings: KnownFinding[];
  /** Null if no owner has confirmed the asset as public. */
  answer: Omit<LoweringAnswer, 'isNew'> | null;
};

type SaidClassification = RiskClassification & {
  decisionId: string | null;
  decidedBy: string | null;
  decidedAt: string | null;
};

type DatabaseRow = {
  isActive: boolean;
  classifications: SaidClassification[];
  signals: Signal[];
  grants: Grant[];
  permissionsComplete: boolean;
  labelState: RiskFacts['label']['state'];
  labelRank: number | null;
  topRank: number | null;
  copyLevel: Level | null;
  contentModifiedAt: Date | null;
  withoutOwnerSince: Date | null;
  components: RiskComponent[] | null;
  policyVersion: string | null;
  findings: KnownFinding[];
};

/** The columns of an asset that an assessment reads, with its signals after suppressions. */
const STORED = sql`
  select tenant_id, asset_id, scope_id, status, grants, permissions_complete, label_state, label_guid, content_hash,
         coalesce(content_modified_at, source_modified_at) as content_modified_at,
         stage_keys ->> 'inference' as inference_key, ${standingSignals(sql`assets`)} as signals
    from assets`;

/**
 * Reads an asset's facts in one statement. Null if the asset does not exist or was deleted. To store the result, lock
 * the row of the asset first, so that two assessments do not overlap.
 * @param seen the row that is about to be stored, with the columns of the stored one; by default the stored row
 */
export async function loadRiskState(
  tx: Tx,
  assetId: string,
  now: number,
  seen: Statement = STORED,
): Promise<RiskState | null> {
  const [row] = await tx.query<DatabaseRow>(sql`
    with a as (
      ${seen} where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
    )
    select a.status = 'active' as "isActive", a.grants, a.permissions_complete as "permissionsComplete",
           a.label_state as "labelState", l.rank as "labelRank",
           (select max(rank) from sensitivity_labels where tenant_id = a.tenant_id) as "topRank",
           a.content_modified_at as "contentModifiedAt", a.signals, r.components, r.policy_version as "policyVersion",
           array(select jsonb_build_object('kind', kind, 'status', status, 'severity', severity, 'notes', notes,
                                           'acknowledgedDecisionId', acknowledged_decision_id)
                   from findings where tenant_id = a.tenant_id and asset_id = a.asset_id) as findings,
           array(select jsonb_build_object(
                          'domainId', coalesce(d.routed_domain_id, k.domain_id),
                          'level', case when d.decision = 'mine_not_sensitive' then 0 else ${level} end,
                          'confirmed', k.status = 'confirmed', 'confidence', i.confidence,
                          'decisionId', d.decision_id, 'decidedBy', d.principal_id, 'decidedAt', d.created_at,
                          'location', case
                            when s.expected_domain_id = k.domain_id then 'governed'
                            when s.expected_domain_id is not null or exists (
                              select 1 from scopes o
                               where o.tenant_id = k.tenant_id and o.expected_domain_id = k.domain_id) then 'elsewhere'
                            else 'anywhere' end)
                   from candidates k
                   left join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
                   left join information_types t
                     on t.tenant_id = k.tenant_id
                    and t.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
                   left join inferences i
                     on i.tenant_id = k.tenant_id and i.asset_id = k.asset_id
                    and i.information_type_id = k.information_type_id and i.inference_key = a.inference_key
                    and i.confidence >= (select candidate_threshold from ensembles e
                                          where e.tenant_id = a.tenant_id and e.active)
                  where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
                    and (k.status = 'confirmed'
                         -- The model's present inference counts, also while another domain is asked.
                         or (k.status in ('pending', 'deferred', 'routed') and i.inference_id is not null)
                         -- An earlier confirmation that is asked again has no inference.
                         or (k.status in ('pending', 'deferred') and k.inference_id is null))) as classifications,
           (select min(k.updated_at) filter (where not ${hasOwner})
              from candidates k
              join domains d on d.tenant_id = k.tenant_id and d.domain_id = k.domain_id
             where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and k.status = 'pending'
               and k.information_type_id is null) as "withoutOwnerSince",
           (select max(${level})
              from assets c
              join candidates k on k.tenant_id = c.tenant_id and k.asset_id = c.asset_id and k.status = 'confirmed'
              join decisions d
                on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id and d.decision <> 'mine_not_sensitive'
              join information_types t
                on t.tenant_id = k.tenant_id
               and t.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
             where c.tenant_id = a.tenant_id and c.decided and c.content_hash = a.content_hash
               and c.asset_id <> a.asset_id and c.status = 'active') as "copyLevel"
      from a
      join scopes s using (tenant_id, scope_id)
      left join sensitivity_labels l on l.tenant_id = a.tenant_id and l.label_guid = a.label_guid
      left join asset_risks r on r.tenant_id = a.tenant_id and r.asset_id = a.asset_id`);
  if (row?.isActive !== true) return null;
  const { components, policyVersion } = row;
  return {
    facts: {
      classifications: row.classifications.map(({ domainId, level, confirmed, confidence, location }) => ({
        domainId,
        level,
        confirmed,
        confidence,
        location,
      })),
      signals: row.signals,
      grants: row.grants,
      permissionsComplete: row.permissionsComplete,
      label: { state: row.labelState, rank: row.labelRank, topRank: row.topRank },
      confirmedCopyLevel: row.copyLevel,
      contentModifiedAt: row.contentModifiedAt?.getTime() ?? null,
      withoutOwnerSince: row.withoutOwnerSince?.getTime() ?? null,
      now,
    },
    known: components === null || policyVersion === null ? null : { components, policyVersion },
    findings: row.findings,
    answer: loweringAnswer(row.classifications),
  };
}

const loweringAnswer = (classifications: readonly SaidClassification[]): RiskState['answer'] =>
  classifications
    .flatMap(({ level, confirmed, decisionId, decidedBy, decidedAt }) =>
      level === 0 && confirmed && decisionId !== null && decidedBy !== null && decidedAt !== null
        ? [{ decisionId, principalId: decidedBy, decidedAt: new Date(decidedAt) }]
        : [],
    )
    .sort((a, b) => b.decidedAt.getTime() - a.decidedAt.getTime())[0] ?? null;

/** An assessment that differs from the stored one, and the findings that it changes. */
export type Judgement = {
  components: readonly RiskComponent[];
  findings: readonly KnownFinding[];
  answer: RiskState['answer'];
};

/**
 * Stores an assessment and its findings in one statement. The caller stores the severity with the row of the asset.
 */
export async function storeRisk(
  tx: Tx,
  assetId: string,
  { components, findings, answer }: Judgement,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = findings.map((finding) => ({ ...finding, findingId: newId('fnd', now) }));
  await tx.query(sql`
    with risk as (
      insert into asset_risks (tenant_id, asset_id, components, policy_version, computed_at)
      values (${tx.tenantId}, ${assetId}, ${sql.json(components)}::jsonb, ${RISK_POLICY_VERSION}, ${at})
      on conflict (tenant_id, asset_id) do update
        set components = excluded.components, policy_version = excluded.policy_version,
            computed_at = excluded.computed_at
    )
    insert into findings as f (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                               changed_at, resolved_at, acknowledged_by, acknowledged_at, acknowledged_decision_id)
    select ${tx.tenantId}, "findingId", ${assetId}, kind, severity, status, notes, ${RISK_POLICY_VERSION}, ${at}, ${at},
           case when status = 'resolved' then ${at}::timestamptz end,
           case when "acknowledgedDecisionId" is not null then ${answer?.principalId ?? null} end,
           case when "acknowledgedDecisionId" is not null then ${answer?.decidedAt ?? null}::timestamptz end,
           "acknowledgedDecisionId"
      from jsonb_to_recordset(${sql.json(rows)}::jsonb)
        as r ("findingId" text, kind text, severity text, status text, notes text, "acknowledgedDecisionId" text)
    on conflict on constraint findings_once do update
      set severity = excluded.severity, status = excluded.status, notes = excluded.notes,
          acknowledged_by = coalesce(excluded.acknowledged_by, f.acknowledged_by),
          acknowledged_at = coalesce(excluded.acknowledged_at, f.acknowledged_at),
          acknowledge_note = case when excluded.acknowledged_decision_id is null then f.acknowledge_note end,
          acknowledged_decision_id = coalesce(excluded.acknowledged_decision_id, f.acknowledged_decision_id),
          policy_version = excluded.policy_version, changed_at = excluded.changed_at, revision = f.revision + 1,
          resolved_at = excluded.resolved_at`);
}

export async function storeSeverity(tx: Tx, assetId: string, { components }: Judgement): Promise<void> {
  const severity = highestSeverity(components);
  await tx.execute(sql`
    update assets set risk_severity = ${severity}
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and risk_severity is distinct from ${severity}`);
}

/** Locks the row of an asset, so that two assessments of it do not overlap. */
export async function lockJudged(tx: Tx, assetId: string): Promise<void> {
  await tx.execute(sql`
    select from assets where tenant_id = ${tx.tenantId} and asset_id = ${assetId} for no key update`);
}

/** The components of an asset's risk from the last assessment, with its policy version and time. */
export async function riskOf(tx: Tx, assetId: string) {
  const [row] = await tx.query<{
    components: RiskComponent[];
    policyVersion: string;
    computedAt: Date;
  }>(sql`
    select components, policy_version as "policyVersion", computed_at as "computedAt" from asset_risks
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  if (row === undefined) return [];
  const judged = { policyVersion: row.policyVersion, computedAt: row.computedAt.toISOString() };
  return row.components.map((component) => ({ ...component, ...judged }));
}
