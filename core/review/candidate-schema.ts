import { z } from 'zod';
import { AssertionSchema, ContentStateSchema, ExcerptSchema, LabelStateSchema } from '../assets/read.ts';
import { listOf } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { CandidateStatusSchema, DecisionSchema } from './decision.ts';
import { ReasonSchema } from './explanation.ts';

const Timestamp = z.iso.datetime();

const VALUE_PARTS = ['band', 'risk', 'related'] as const;

/** What a part adds to the value of an answer. The points of all parts are the value. */
const ValueReasonSchema = z.object({
  part: z.enum(VALUE_PARTS),
  points: z.int(),
  explanation: z.string(),
});

/**
 * A question to the owners of a domain: is this asset yours? Without a type and confidence where a person asks. The
 * queue goes by `value`; `relatedCount` is at most 200 and tells of assets about which the same domain is asked.
 */
export const CandidateSchema = z.object({
  candidateId: z.string(),
  assetId: z.string(),
  assetName: z.string(),
  location: z.object({ scopeId: z.string(), scopeName: z.string(), path: z.string() }),
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  confidence: z.number().nullable(),
  band: z.enum(['high', 'review', 'routed']),
  status: CandidateStatusSchema,
  revision: z.int(),
  value: z.int(),
  riskSeverity: z.enum(SEVERITIES).nullable(),
  relatedCount: z.int(),
  reasons: z.array(ValueReasonSchema),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export type Candidate = z.infer<typeof CandidateSchema>;

/** What a detector found: how often and how surely, never what. */
export const SignalSchema = z.object({
  detectorId: z.string(),
  family: z.string(),
  count: z.int(),
  confidence: z.number(),
  tiers: z.record(z.string(), z.int()),
});

export const PastDecisionSchema = z.object({
  decisionId: z.string(),
  candidateId: z.string(),
  decision: DecisionSchema,
  correctedInformationTypeId: z.string().nullable(),
  routedDomainId: z.string().nullable(),
  note: z.string().nullable(),
  trainingEligible: z.boolean(),
  revision: z.int(),
  principalId: z.string(),
  principalName: z.string(),
  decidedAt: Timestamp,
});

/** An open question of the same domain about an asset that an answer has scored again. */
const RelatedCandidateSchema = z.object({
  candidateId: z.string(),
  assetId: z.string(),
  assetName: z.string(),
  kind: z.enum(['identical_bytes', 'near_duplicate', 'same_template']),
  similarity: z.number(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  confidence: z.number().nullable(),
  status: CandidateStatusSchema,
});

export type RelatedCandidate = z.infer<typeof RelatedCandidateSchema>;

export const CandidateDetailSchema = CandidateSchema.extend({
  asset: z.object({
    kind: z.string(),
    sizeBytes: z.int(),
    mimeType: z.string().nullable(),
    format: z.string().nullable(),
    contentState: ContentStateSchema,
    contentReason: z.string().nullable(),
    labelState: LabelStateSchema,
    labelName: z.string().nullable(),
    sourceUrl: z.string().nullable(),
    sourceModifiedAt: Timestamp.nullable(),
  }),
  /** The model's own words, whatever was decided since; null where a person sent the asset here. */
  inference: z
    .object({
      inferenceId: z.string(),
      confidence: z.number(),
      ensembleVersion: z.int(),
      inferredAt: Timestamp,
      contributions: z.array(ReasonSchema),
    })
    .nullable(),
  signals: z.array(SignalSchema),
  provenance: listOf(AssertionSchema),
  decisions: listOf(PastDecisionSchema),
  excerpts: z.array(ExcerptSchema),
  /** One per asset, the likest first. */
  related: listOf(RelatedCandidateSchema),
});
