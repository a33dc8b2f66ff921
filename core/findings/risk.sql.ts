import type { Grant } from '../connectors/connector.ts';
import { isOneOf } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { isLabelOf } from '../governance/labels.sql.ts';
import { hasOwner } from '../governance/owners.sql.ts';
import { newId } from '../kernel/ids.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';
import { levelOfType as level } from './level-of-type.sql.ts';
import type { KnownFinding, LoweringAnswer } from './next-status.ts';
import { highestSeverity, RISK_POLICY_VERSION, type RiskComponent, type RiskFacts } from './risk.ts';
import type { Level, RiskClassification } from './sensitivity.ts';

/** The facts that an assessment of one asset needs, and its previous result. */
export type RiskState = {
  assetId: string;
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
  assetId: string;
  isActive: boolean;
  classifications: SaidClassification[];
  signals: Signal[];
  grants: Grant[];
  permissionsComplete: boolean;
  labelState: RiskFacts['label']['state'];
  labelRank: number | null;
  isLabeledElsewhere: boolean;
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
  select tenant_id, asset_id, scope_id, status, grants, permissions_complete, label_state, label_guid, foreign_labels, content_hash,
         coalesce(content_modified_at, source_modified_at) as content_modified_at,
         stage_keys ->> 'inference' as inference_key, ${effectiveSignals(sql`assets`)} as signals
    from assets`;

/**
 * Reads the facts about assets in one statement. Assets that do not exist or were deleted are left out. To store the
 * result, lock the rows of the assets first, so that two assessments do not overlap.
 * @param seen the row that is about to be stored, with the columns of the stored one; by default the stored row
 */
export async function loadRiskStates(
  tx: Tx,
  assetIds: readonly string[],
  now: number,
  seen: Statement = STORED,
): Promise<RiskState[]> {
  const rows = await tx.query<DatabaseRow>(sql`
    with a as (
      ${seen} where tenant_id = ${tx.tenantId} and ${isOneOf(sql`asset_id`, assetIds)}
    )
    select a.asset_id as "assetId", a.status = 'active' as "isActive", a.grants, a.permissions_complete as "permissionsComplete",
           a.label_state as "labelState", l.rank as "labelRank", coalesce(a.foreign_labels <> '[]', false) as "isLabeledElsewhere",
           (select max(l.rank) from sensitivity_labels l where l.tenant_id = a.tenant_id and ${isLabelOf(sql`s.family`)}) as "topRank",
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
      left join sensitivity_labels l on l.tenant_id = a.tenant_id and l.label_guid = a.label_guid and ${isLabelOf(sql`s.family`)}
      left join asset_risks r on r.tenant_id = a.tenant_id and r.asset_id = a.asset_id`);
  return rows.filter(({ isActive }) => isActive).map((row) => stateOf(row, now));
}

function stateOf(row: DatabaseRow, now: number): RiskState {
  const { assetId, components, policyVersion } = row;
  return {
    assetId,
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
      label: {
        state: row.labelState,
        rank: row.labelRank,
        topRank: row.topRank,
        isLabeledElsewhere: row.isLabeledElsewhere,
      },
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
  assetId: string;
  components: readonly RiskComponent[];
  findings: readonly KnownFinding[];
  answer: RiskState['answer'];
};

/**
 * Stores assessments and their findings in one statement. The caller stores the severity with the row of the asset.
 */
export async function storeRisks(tx: Tx, judged: readonly Judgement[], now: number): Promise<void> {
  const at = new Date(now);
  const risks = judged.map(({ assetId, components }) => ({ assetId, components }));
  const rows = judged.flatMap(({ assetId, findings, answer }) =>
    findings.map((finding) => ({
      ...finding,
      assetId,
      findingId: newId('fnd', now),
      ...(finding.acknowledgedDecisionId !== null &&
        answer !== null && { acknowledgedBy: answer.principalId, acknowledgedAt: answer.decidedAt }),
    })),
  );
  await tx.query(sql`
    with risk as (
      insert into asset_risks (tenant_id, asset_id, components, policy_version, computed_at)
      select ${tx.tenantId}, "assetId", components, ${RISK_POLICY_VERSION}, ${at}
        from jsonb_to_recordset(${sql.json(risks)}::jsonb) as r ("assetId" text, components jsonb)
      on conflict (tenant_id, asset_id) do update
        set components = excluded.components, policy_version = excluded.policy_version,
            computed_at = excluded.computed_at
    )
    insert into findings as f (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                               changed_at, resolved_at, acknowledged_by, acknowledged_at, acknowledged_decision_id)
    select ${tx.tenantId}, "findingId", "assetId", kind, severity, status, notes, ${RISK_POLICY_VERSION}, ${at}, ${at},
           case when status = 'resolved' then ${at}::timestamptz end, "acknowledgedBy", "acknowledgedAt",
           "acknowledgedDecisionId"
      from jsonb_to_recordset(${sql.json(rows)}::jsonb)
        as r ("assetId" text, "findingId" text, kind text, severity text, status text, notes text, "acknowledgedBy" text,
              "acknowledgedAt" timestamptz, "acknowledgedDecisionId" text)
    on conflict on constraint findings_once do update
      set severity = excluded.severity, status = excluded.status, notes = excluded.notes,
          acknowledged_by = coalesce(excluded.acknowledged_by, f.acknowledged_by),
          acknowledged_at = coalesce(excluded.acknowledged_at, f.acknowledged_at),
          acknowledge_note = case when excluded.acknowledged_decision_id is null then f.acknowledge_note end,
          acknowledged_decision_id = coalesce(excluded.acknowledged_decision_id, f.acknowledged_decision_id),
          policy_version = excluded.policy_version, changed_at = excluded.changed_at, revision = f.revision + 1,
          resolved_at = excluded.resolved_at,
          returned_at = case when f.status = 'resolved' and excluded.status <> 'resolved' then excluded.changed_at
                             else f.returned_at end`);
}

export async function storeSeverities(tx: Tx, judged: readonly Judgement[]): Promise<void> {
  const severities = judged.map(({ components }) => highestSeverity(components));
  await tx.execute(sql`
    update assets a set risk_severity = j.severity
      from unnest(${judged.map(({ assetId }) => assetId)}::text[], ${severities}::text[]) as j (asset_id, severity)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = j.asset_id and a.risk_severity is distinct from j.severity`);
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
