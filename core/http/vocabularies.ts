import { ACTION_SORTS, ActionFilterSchema } from '../actions/action-filter.sql.ts';
import { ActionDetailSchema, ActionSchema, ApprovalSchema } from '../actions/action-schema.ts';
import { TaskFilterSchema } from '../actions/task-filter.sql.ts';
import { TASK_STATUSES } from '../actions/task-states.ts';
import { AI_TASKS } from '../ai/meter.ts';
import { PLANNERS, UNDERSTANDING_STATES } from '../analyst/answer-schema.ts';
import { PROVENANCES, SUBJECTS } from '../analyst/plan.ts';
import { GrantGroupSchema } from '../assets/access.ts';
import {
  ASKED_EXCERPTS,
  ASKED_EXPOSURES,
  ContentStateSchema,
  IDENTIFIER_FINDS,
  LabelStateSchema,
} from '../assets/asset-schema.ts';
import { ClassificationSchema } from '../assets/classification.sql.ts';
import { AssertionSchema } from '../assets/provenance.sql.ts';
import { AUDIT_CATEGORIES } from '../audit/event.ts';
import { SIGNING_STATES } from '../audit/signing-key.ts';
import { type AuthMode, PRINCIPAL_KINDS } from '../authz/principal.ts';
import { CampaignSchema } from '../campaigns/campaign-schema.ts';
import { WEEKDAYS } from '../campaigns/quiet-hours.ts';
import { WHEN_LATE, WHEN_RUNNING } from '../campaigns/schedule-schema.ts';
import type { Config } from '../config/config.ts';
import { CUSTOM_CHECKSUMS } from '../detectors/custom-definition.ts';
import { BASES, CERTAINTIES, MISSING_REASONS } from '../estimates/estimate-schema.ts';
import { ExportFormatSchema } from '../exports/export-format.ts';
import { EXPOSURES } from '../findings/exposure.ts';
import { FindingFilterSchema } from '../findings/finding-filter.sql.ts';
import { FINDING_STATUSES } from '../findings/next-status.ts';
import { FINDING_KINDS } from '../findings/risk.ts';
import { AttestationSchema } from '../governance/attestation.ts';
import { ListedDetectorSchema } from '../governance/custom-detectors.ts';
import { ProgressSchema } from '../governance/onboarding-progress.ts';
import { OwnerKindSchema } from '../governance/owners.ts';
import { MappingSchema } from '../governance/regulatory-mappings.ts';
import { SettingsSchema } from '../governance/settings.sql.ts';
import { ChangedDomainSchema, DomainSchema, InformationTypeSchema } from '../governance/taxonomy-schema.ts';
import type { IntegrationMode } from '../integrations/integrations.ts';
import { LABEL_WRITE_BLOCKS } from '../integrations/label-writer-for.ts';
import { SOURCE_WARNINGS } from '../integrations/source-warnings.ts';
import {
  ACTION_STATUSES,
  CONTENT_REASONS,
  OWN_PROBLEMS,
  RETRY_CLASSES,
  ROLES,
  SCAN_LEFT_OUT,
  SCOPE_REFUSALS,
  SEVERITIES,
  SOURCE_FAMILIES,
  UNIT_KINDS,
} from '../kernel/vocabulary.ts';
import { ClockStateSchema } from '../licensing/effective-time.ts';
import { LICENSE_STATES, SCAN_REFUSALS } from '../licensing/license-state.ts';
import { RENEWAL_FAILURES } from '../licensing/renewal-failures.ts';
import { MessageFindingFilterSchema } from '../messages/finding-list.sql.ts';
import { ASKED_IDENTIFIERS, ASKED_OUTSIDERS } from '../messages/message-list.sql.ts';
import { MESSAGE_COVERAGES, MESSAGE_FINDING_KINDS } from '../messages/message-schema.ts';
import { DATASET_CANDIDATE_STATUSES } from '../models/dataset-candidate-states.ts';
import { EvaluatedGroupSchema } from '../models/evaluation-report.ts';
import { ReleaseSchema } from '../models/release-schema.ts';
import { RELEASE_STATUSES, RELEASE_TRIGGERS } from '../models/release-states.ts';
import { CONSENT_SCOPES, SNAPSHOT_WARNINGS } from '../models/snapshot-schema.ts';
import { SKIP_REASONS } from '../notifications/notifications.sql.ts';
import { SubscriptionSchema } from '../notifications/subscription-list.sql.ts';
import { PRINCIPAL_STATUSES, ROLE_SOURCES } from '../people/principals.sql.ts';
import { CandidateSchema } from '../review/candidate-schema.ts';
import { CandidateStatusSchema } from '../review/candidate-states.ts';
import { DecisionSchema, SIMPLE_DECISIONS } from '../review/decision.ts';
import { DECIDED_BY, DECISION_STATES } from '../review/decision-list.sql.ts';
import { ScopeSchema } from '../sources/scope-schema.ts';
import { TelemetryPayloadSchema } from '../support/payload.ts';
import { NO_EFFECT_REASONS, SuppressionSchema } from '../suppressions/suppression-schema.ts';
import { SCANNER_STATUSES } from '../work/scanner-states.ts';
import { ERROR_CODES } from './each-apart.ts';

/**
 * The enums that more than one place of the API uses, by the names of their components in the OpenAPI document. An
 * enum is recognized by its values.
 */
export const VOCABULARIES: Readonly<Record<string, readonly string[]>> = {
  ActionKind: ActionSchema.shape.kind.options,
  ActionSort: ACTION_SORTS,
  ActionsOfMine: ActionFilterSchema.shape.mine.unwrap().options,
  ActionStatus: ACTION_STATUSES,
  ActionTrigger: ActionDetailSchema.shape.history.element.shape.trigger.options,
  AnalystPlanner: PLANNERS,
  AnalystSubject: SUBJECTS,
  AnalystUnderstandingState: UNDERSTANDING_STATES,
  AiTask: AI_TASKS,
  ApprovalDecision: ApprovalSchema.shape.decision.options,
  AskedExcerpts: ASKED_EXCERPTS,
  AskedExposure: ASKED_EXPOSURES,
  AskedBecause: CandidateSchema.shape.askedBecause.options,
  AssertionKind: AssertionSchema.shape.kind.options,
  AttestationState: AttestationSchema.shape.state.options,
  AuditCategory: AUDIT_CATEGORIES,
  AuthMode: ['dev', 'idp'] satisfies AuthMode[],
  CandidateBand: CandidateSchema.shape.band.options,
  CandidateStatus: CandidateStatusSchema.options,
  Checksum: CUSTOM_CHECKSUMS,
  ClassificationStatus: ClassificationSchema.shape.status.options,
  ConnectorMode: SubscriptionSchema.shape.mode.options,
  ConsentScope: CONSENT_SCOPES,
  ContentReason: CONTENT_REASONS,
  ContentState: ContentStateSchema.options,
  CoverageState: ScopeSchema.shape.coverageState.unwrap().options,
  DataHandlingProfile: SettingsSchema.shape.dataHandlingProfile.options,
  DatasetCandidateStatus: DATASET_CANDIDATE_STATUSES,
  DecidedBy: DECIDED_BY,
  Decision: DecisionSchema.options,
  DecisionState: DECISION_STATES,
  DeltaCursorStatus: ScopeSchema.shape.deltaCursorStatus.options,
  DetectorOrigin: ListedDetectorSchema.shape.origin.options,
  Effect: ChangedDomainSchema.shape.effect.options,
  Environment: ['development', 'production'] satisfies Config['SVC_ENV'][],
  ErrorCode: ERROR_CODES,
  ExportFormat: ExportFormatSchema.options,
  FindingFilterStatus: FindingFilterSchema.shape.status.unwrap().options,
  Exposure: EXPOSURES,
  FindingKind: FINDING_KINDS,
  GranteeKind: GrantGroupSchema.shape.items.element.shape.principalKind.options,
  GrantRole: GrantGroupSchema.shape.items.element.shape.role.options,
  FindingStatus: FINDING_STATUSES,
  IdentifierFinds: IDENTIFIER_FINDS,
  IntegrationMode: ['mock', 'live', 'blocked', 'disabled'] satisfies IntegrationMode[],
  LabelKind: EvaluatedGroupSchema.shape.fewOf.element.options,
  LabelState: LabelStateSchema.options,
  LabelWriteBlock: LABEL_WRITE_BLOCKS,
  LicenseClock: ClockStateSchema.options,
  LicenseState: LICENSE_STATES,
  MappingOrigin: MappingSchema.shape.origin.options,
  MappingStatus: MappingSchema.shape.status.options,
  AskedIdentifiers: ASKED_IDENTIFIERS,
  AskedOutsiders: ASKED_OUTSIDERS,
  MessageCoverage: MESSAGE_COVERAGES,
  MessageFindingFilterStatus: MessageFindingFilterSchema.shape.status.unwrap().options,
  MessageFindingKind: MESSAGE_FINDING_KINDS,
  OnboardingStep: ProgressSchema.shape.steps.element.shape.step.options,
  OutcomeReason: ActionSchema.shape.outcomeReason.unwrap().options,
  NoEffectReason: NO_EFFECT_REASONS,
  OwnerKind: OwnerKindSchema.options,
  OwnProblem: OWN_PROBLEMS,
  PrincipalKind: PRINCIPAL_KINDS,
  PrincipalStatus: PRINCIPAL_STATUSES,
  Provenance: PROVENANCES,
  ProposedActionKind: FindingFilterSchema.shape.actionKind.unwrap().options,
  ReleaseStatus: RELEASE_STATUSES,
  ReleaseTrigger: RELEASE_TRIGGERS,
  RetryClass: RETRY_CLASSES,
  Role: ROLES,
  RoleSource: ROLE_SOURCES,
  ScannerStatus: SCANNER_STATUSES,
  ScanKind: CampaignSchema.shape.kind.options,
  ScanRefusal: SCAN_REFUSALS,
  ScanStatus: CampaignSchema.shape.status.options,
  EstimateBasis: BASES,
  EstimateCertainty: CERTAINTIES,
  EstimateMissing: MISSING_REASONS,
  ScanLeftOut: SCAN_LEFT_OUT,
  Sensitivity: InformationTypeSchema.shape.sensitivity.options,
  ScopeRefusal: SCOPE_REFUSALS,
  Severity: SEVERITIES,
  RenewalFailure: RENEWAL_FAILURES,
  SimpleDecision: SIMPLE_DECISIONS,
  SigningState: SIGNING_STATES,
  SkipReason: SKIP_REASONS,
  SnapshotWarning: SNAPSHOT_WARNINGS,
  SourceFamily: SOURCE_FAMILIES,
  SourceWarning: SOURCE_WARNINGS,
  Statement: AssertionSchema.shape.statement.options,
  SuppressionKind: SuppressionSchema.shape.kind.options,
  SuppressionStatus: SuppressionSchema.shape.status.options,
  TasksOfMine: TaskFilterSchema.shape.mine.unwrap().options,
  TaskStatus: TASK_STATUSES,
  TaxonomyOrigin: DomainSchema.shape.origin.options,
  TaxonomyStatus: DomainSchema.shape.status.options,
  TelemetryAge: TelemetryPayloadSchema.shape.health.shape.lastCompletedScan.options,
  TelemetryCount: TelemetryPayloadSchema.shape.health.shape.pendingUnits.options,
  TelemetryShare: TelemetryPayloadSchema.shape.licensing.shape.assets.unwrap().options,
  UnitKind: UNIT_KINDS,
  WeightChange: ReleaseSchema.shape.weights.options,
  Weekday: WEEKDAYS,
  WhenLate: WHEN_LATE,
  WhenRunning: WHEN_RUNNING,
};
