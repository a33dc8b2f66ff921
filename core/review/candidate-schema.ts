import { z } from 'zod';
import { ContentStateSchema, LabelStateSchema } from '../assets/asset-schema.ts';
import { ExcerptSchema } from '../assets/excerpts.sql.ts';
import { AssertionSchema } from '../assets/provenance.sql.ts';
import { listOf } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { CandidateStatusSchema, DecisionSchema } from './decision.ts';
import { ReasonSchema } from './explanation.ts';
import { MATERIAL_CHANGES } from './material-change.ts';

const Timestamp = z.iso.datetime();

const VALUE_PARTS = ['band', 'risk', 'related'] as const;

/** What a part adds to the value of an answer. The points of all parts are the value. */
const ValueReasonSchema = z.object({
  part: z.enum(VALUE_PARTS),
  points: z.int(),
  explanation: z.string(),
});

/**
 * Why a question waits or waited: the model says so; a colleague sent the asset; a correction named its type; an answer that sent it on, or named its type, was
 * refused there; it was put off, and the model says something new; the correction that answered it was revised; or the
 * asset no longer holds what its answer spoke of.
 */
const ASKED_BECAUSE = [
  'inferred',
  'routed',
  'corrected',
  'returned',
  'put_off',
  'correction_revised',
  'content_changed',
] as const;

/** A type that a question is about; the candidate of each tells why the model suggests it. */
const AskedTypeSchema = z.object({
  candidateId: z.string(),
  informationTypeId: z.string(),
  informationTypeName: z.string(),
  confidence: z.number().nullable(),
});

/**
 * A question to the owners of a domain: is this asset yours? One for an asset and domain: `types` are all that it is about,
 * and an answer is for all of them. Without a type and confidence where a person asks. The queue goes by `value`;
 * `relatedCount` is at most 200 and tells of assets about which the same domain is asked. `earlierAnswer` is the one that it
 * had before it was asked again, with what has changed since.
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
  types: z.array(AskedTypeSchema),
  confidence: z.number().nullable(),
  confidenceInWords: z.string().nullable(),
  band: z.enum(['high', 'review', 'routed']),
  /** One sentence: what it looks like, and why. */
  summary: z.string(),
  askedBecause: z.enum(ASKED_BECAUSE),
  earlierAnswer: z
    .object({
      decisionId: z.string(),
      decision: DecisionSchema,
      decidedAt: Timestamp,
      changes: z.array(z.object({ kind: z.enum(MATERIAL_CHANGES), explanation: z.string() })),
    })
    .nullable(),
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

/** An answer of another domain names neither its candidate nor, unless they left a note, the person who gave it. */
export const PastDecisionSchema = z.object({
  decisionId: z.string(),
  candidateId: z.string().nullable(),
  decision: DecisionSchema,
  correctedInformationTypeId: z.string().nullable(),
  routedDomainId: z.string().nullable(),
  note: z.string().nullable(),
  trainingEligible: z.boolean(),
  revision: z.int(),
  principalId: z.string().nullable(),
  principalName: z.string().nullable(),
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

const InferenceSchema = z.object({
  inferenceId: z.string(),
  confidence: z.number(),
  confidenceInWords: z.string(),
  ensembleVersion: z.int(),
  inferredAt: Timestamp,
  contributions: z.array(ReasonSchema),
});

export const CandidateDetailSchema = CandidateSchema.extend({
  informationTypeDefinition: z.string().nullable(),
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
  /** The model's own words of what the asset holds now, whatever was decided; null where it does not suggest the type. */
  inference: InferenceSchema.nullable(),
  signals: z.array(SignalSchema),
  provenance: listOf(AssertionSchema),
  decisions: listOf(PastDecisionSchema),
  excerpts: z.array(ExcerptSchema),
  /**
   * The answer that stands, or the earlier one of a question that is asked again, with the evidence that it was given on;
   * null where there is none. `evidence` is null where a former release did not keep it.
   */
  answer: z
    .object({
      decisionId: z.string(),
      decision: DecisionSchema,
      decidedAt: Timestamp,
      contentVersion: z.string().nullable(),
      isAboutPresentContent: z.boolean(),
      evidence: z
        .object({
          summary: z.string(),
          inference: InferenceSchema.nullable(),
          signals: z.array(SignalSchema),
          excerpts: z.array(ExcerptSchema),
        })
        .nullable(),
    })
    .nullable(),
  /** One per asset, the likest first. */
  related: listOf(RelatedCandidateSchema),
});
