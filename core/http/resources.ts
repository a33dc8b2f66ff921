import type { z } from 'zod';
import {
  ActionDetailSchema,
  ActionSchema,
  PendingApprovalSchema,
  PersonSchema,
} from '../actions/action-schema.ts';
import { TaskSchema } from '../actions/tasks.sql.ts';
import { AnswerSchema, ResultSchema, UnderstandingSchema } from '../analyst/answer-schema.ts';
import { PointSchema } from '../analyst/comparison.sql.ts';
import { CoverageSchema } from '../analyst/coverage.sql.ts';
import { HasSchema, PlanSchema, SimpleConditionSchema } from '../analyst/plan.ts';
import { PlanNameSchema } from '../analyst/plan-language.ts';
import { EvidenceRowSchema } from '../analyst/rows.sql.ts';
import { SavedPlanSchema } from '../analyst/saved-plans.sql.ts';
import { GrantGroupSchema } from '../assets/access.ts';
import {
  AssetDetailSchema,
  AssetVersionSchema,
  ClusterSchema,
  RelatedAssetSchema,
} from '../assets/asset-detail-schema.ts';
import { AssetSummarySchema, ColumnEvidenceSchema, TableReadSchema } from '../assets/asset-schema.ts';
import { ClassificationSchema, NamedTypeSchema } from '../assets/classification.sql.ts';
import { ConnectionGraphSchema } from '../assets/connection-schema.ts';
import { ExcerptSchema } from '../assets/excerpts.sql.ts';
import { AssertionSchema } from '../assets/provenance.sql.ts';
import { SemanticNeighborsSchema } from '../assets/semantic-neighbors.sql.ts';
import {
  CampaignSchema,
  DeadLetterSchema,
  ListedCampaignSchema,
  StageCountSchema,
} from '../campaigns/campaign-schema.ts';
import { ScheduledTimesSchema, ScheduleSchema } from '../campaigns/schedule-schema.ts';
import { FigureSchema } from '../estimates/estimate-schema.ts';
import { FindingSchema } from '../findings/finding-list.sql.ts';
import { InaccessibleSchema } from '../findings/inaccessible-scope.sql.ts';
import {
  ShownAssetFindingsSchema,
  ShownFindingSchema,
  ShownListedFindingSchema,
} from '../findings/shown-findings.ts';
import { AttestationSchema } from '../governance/attestation.ts';
import {
  CustomDefinitionSchema,
  DryRunSchema,
  ListedDetectorSchema,
} from '../governance/custom-detectors.ts';
import { ProgressSchema } from '../governance/onboarding-progress.ts';
import { ProfileSchema } from '../governance/organization-profile.sql.ts';
import { OwnerSchema } from '../governance/owners.ts';
import { ListedPolicySchema, PolicySchema } from '../governance/policy-documents.ts';
import { MappingSchema } from '../governance/regulatory-mappings.ts';
import { SettingsSchema } from '../governance/settings.sql.ts';
import { OwnerSuggestionSchema } from '../governance/suggest-owners.ts';
import {
  ApprovalSchema,
  ChangedDomainSchema,
  ChangedInformationTypeSchema,
  DomainSchema,
  InformationTypeSchema,
  ListedDomainSchema,
  SimilarDomainsSchema,
} from '../governance/taxonomy-schema.ts';
import { HomeSchema } from '../home/home.ts';
import { FacetValueSchema } from '../kernel/facets.ts';
import { CellSchema } from '../landscape/cells.sql.ts';
import { DomainWithoutOwnerSchema } from '../landscape/domains-without-owner.sql.ts';
import { LicenseStatusSchema } from '../licensing/status.ts';
import {
  AlikeAssetSchema,
  CanonicalDocumentSchema,
  MessageAttachmentSchema,
  MessageContainerSchema,
  MessageDetailSchema,
  MessageFindingSchema,
  MessageSchema,
  MessageSignalSchema,
} from '../messages/message-schema.ts';
import { DatasetCandidateSchema } from '../models/dataset-candidates.sql.ts';
import { EvaluatedGroupSchema, EvaluationReportSchema } from '../models/evaluation-report.ts';
import { ReleaseDetailSchema, ReleaseSchema, ReleaseStepSchema } from '../models/release-schema.ts';
import { SnapshotSchema } from '../models/snapshot-schema.ts';
import { ConfigPatchSchema, ThresholdsSchema } from '../models/thresholds.ts';
import { LeftOutCountSchema, OnlySchema, ScanRuleSchema } from '../narrowing/narrowing-schema.ts';
import { NotificationSchema } from '../notifications/notification-list.sql.ts';
import { SubscriptionSchema } from '../notifications/subscription-list.sql.ts';
import { MetricsReportSchema } from '../operations/metrics-report.ts';
import { LogEntrySchema, OverviewSchema } from '../operations/overview.ts';
import { ReadinessWarningSchema } from '../operations/readiness.ts';
import { DirectoryPersonSchema } from '../people/search-directory.ts';
import {
  CandidateDetailSchema,
  CandidateSchema,
  PastDecisionSchema,
  QueuedCandidateSchema,
  SignalSchema,
} from '../review/candidate-schema.ts';
import { ListedDecisionSchema } from '../review/decision-list.sql.ts';
import { CorrectionSchema, DestinationSchema } from '../review/destinations.sql.ts';
import { ReasonSchema } from '../review/explanation.ts';
import { ScopeSchema } from '../sources/scope-schema.ts';
import { SuggestionSchema } from '../suggestions/suggest.ts';
import { NoEffectSchema } from '../suppressions/suppression-schema.ts';

/**
 * The resources of the API by their names in the OpenAPI document, which generated clients use. A schema that only
 * one operation uses needs no line here: it is named after the operation.
 */
export const RESOURCES = {
  Action: ActionSchema,
  ActionOfFinding: ShownFindingSchema.shape.latestAction.unwrap(),
  ActionApproval: ActionSchema.shape.approvals.element,
  ActionDetail: ActionDetailSchema,
  ActionPreview: ActionSchema.shape.preview,
  ActionTarget: ActionSchema.shape.preview.shape.currentState,
  ActionVerification: ActionSchema.shape.verification.unwrap(),
  AnalystAnswer: AnswerSchema,
  AnalystCondition: SimpleConditionSchema,
  AnalystCoverage: CoverageSchema,
  AnalystNumberCondition: HasSchema,
  AnalystPlan: PlanSchema,
  AnalystPlanName: PlanNameSchema,
  AnalystPoint: PointSchema,
  AnalystResult: ResultSchema,
  AnalystRow: EvidenceRowSchema,
  AnalystUnderstanding: UnderstandingSchema,
  Assertion: AssertionSchema,
  AssetCluster: ClusterSchema,
  AssetConnections: ConnectionGraphSchema,
  AssetDetail: AssetDetailSchema,
  AssetFindings: ShownAssetFindingsSchema,
  AssetSummary: AssetSummarySchema,
  AssetVersion: AssetVersionSchema,
  Attestation: AttestationSchema,
  Candidate: QueuedCandidateSchema,
  CandidateDetail: CandidateDetailSchema,
  CandidateLocation: CandidateSchema.shape.location,
  CandidateReason: CandidateSchema.shape.reasons.element,
  CandidateType: CandidateSchema.shape.types.element,
  ChangedDomain: ChangedDomainSchema,
  ChangedInformationType: ChangedInformationTypeSchema,
  Classification: ClassificationSchema,
  ColumnEvidence: ColumnEvidenceSchema,
  Correction: CorrectionSchema,
  CustomDetectorDraft: CustomDefinitionSchema,
  CustomDetectorExamples: CustomDefinitionSchema.shape.examples,
  DatasetCandidate: DatasetCandidateSchema,
  DatasetSide: SnapshotSchema.shape.training,
  DatasetSnapshot: SnapshotSchema,
  DeadLetter: DeadLetterSchema,
  Destination: DestinationSchema,
  Detector: ListedDetectorSchema,
  DetectorDryRun: DryRunSchema,
  DirectoryPerson: DirectoryPersonSchema,
  Domain: DomainSchema,
  DomainWithoutOwner: DomainWithoutOwnerSchema,
  DomainWithTypes: ListedDomainSchema,
  EarlierAnswer: CandidateSchema.shape.earlierAnswer.unwrap(),
  Excerpt: ExcerptSchema,
  Expectation: CandidateSchema.shape.expectation.unwrap(),
  FacetValue: FacetValueSchema,
  Finding: FindingSchema,
  FindingOfAsset: ShownListedFindingSchema,
  FindingWithRemedy: ShownFindingSchema,
  ExpectedPlace: ShownFindingSchema.shape.expectedPlaces.element,
  ProposedAction: ShownFindingSchema.shape.proposedAction.unwrap(),
  RequiredLabel: ShownFindingSchema.shape.requiredLabel.unwrap(),
  GrantedTo: GrantGroupSchema.shape.items.element,
  GrantGroup: GrantGroupSchema,
  Home: HomeSchema,
  Indicators: InformationTypeSchema.shape.indicators,
  Inference: CandidateDetailSchema.shape.inference.unwrap(),
  InferenceReason: ReasonSchema,
  InaccessibleScope: InaccessibleSchema,
  InformationType: InformationTypeSchema,
  LandscapeCell: CellSchema,
  License: LicenseStatusSchema,
  LogLine: LogEntrySchema,
  Message: MessageSchema,
  MessageAlikeAsset: AlikeAssetSchema,
  MessageAttachment: MessageAttachmentSchema,
  MessageAudience: MessageContainerSchema.shape.audience.unwrap(),
  MessageContainer: MessageContainerSchema,
  MessageDetail: MessageDetailSchema,
  MessageDocument: CanonicalDocumentSchema,
  MessageFinding: MessageFindingSchema,
  MessageSignal: MessageSignalSchema,
  Metrics: MetricsReportSchema,
  NamedType: NamedTypeSchema,
  NoEffect: NoEffectSchema,
  Notification: NotificationSchema,
  OnboardingProgress: ProgressSchema,
  OperationsOverview: OverviewSchema,
  OrganizationProfile: ProfileSchema,
  GivenDecision: ListedDecisionSchema,
  Owner: OwnerSchema,
  OwnerSuggestion: OwnerSuggestionSchema,
  PastDecision: PastDecisionSchema,
  PendingApproval: PendingApprovalSchema,
  Person: PersonSchema,
  Policy: PolicySchema,
  PolicySection: ListedPolicySchema.shape.sections.element,
  PolicySummary: ListedPolicySchema,
  EstimatedFigure: FigureSchema,
  Evaluation: EvaluationReportSchema,
  EvaluatedShare: EvaluatedGroupSchema.shape.current.shape.precision.unwrap(),
  EvaluatedDifference: EvaluatedGroupSchema.shape.difference,
  EvaluatedGroup: EvaluatedGroupSchema,
  EvaluatedMeasures: EvaluatedGroupSchema.shape.current,
  SkippedLabels: EvaluatedGroupSchema.shape.skipped,
  ReadinessWarning: ReadinessWarningSchema,
  Reliability: EvaluationReportSchema.shape.reliability.shape.current,
  Release: ReleaseSchema,
  ReleaseDetail: ReleaseDetailSchema,
  ReleaseStep: ReleaseStepSchema,
  Thresholds: ThresholdsSchema,
  ThresholdsPatch: ConfigPatchSchema,
  RegulatoryMapping: MappingSchema,
  RelatedAsset: RelatedAssetSchema,
  SavedPlan: SavedPlanSchema,
  ListedScan: ListedCampaignSchema,
  LeftOutCount: LeftOutCountSchema,
  ScanOnly: OnlySchema,
  ScanRule: ScanRuleSchema,
  Scan: CampaignSchema,
  ScanWorkUnits: CampaignSchema.shape.workUnits,
  Schedule: ScheduleSchema,
  ScheduledRuns: ScheduledTimesSchema.unwrap().shape.last.unwrap(),
  ScheduledTimes: ScheduledTimesSchema.unwrap(),
  Scope: ScopeSchema,
  SemanticNeighbors: SemanticNeighborsSchema,
  SeenRevision: ApprovalSchema,
  Settings: SettingsSchema,
  SimilarDomain: SimilarDomainsSchema.element,
  Signal: SignalSchema,
  StageCount: StageCountSchema,
  Subscription: SubscriptionSchema,
  Suggestion: SuggestionSchema,
  TableRead: TableReadSchema,
  Task: TaskSchema,
} as const satisfies Record<string, z.ZodType>;
