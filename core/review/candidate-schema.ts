import { z } from 'zod';
import { GrantGroupsSchema } from '../assets/access.ts';
import { ColumnsSchema, ContentStateSchema, LabelStateSchema } from '../assets/asset-schema.ts';
import { NamedTypeSchema } from '../assets/classification.sql.ts';
import { ExcerptSchema } from '../assets/excerpts.sql.ts';
import { AssertionSchema } from '../assets/provenance.sql.ts';
import { EXPOSURES } from '../findings/exposure.ts';
import { listOf } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { CandidateStatusSchema } from './candidate-states.ts';
import { DecisionSchema } from './decision.ts';
import { ReasonSchema } from './explanation.ts';
import { MATERIAL_CHANGES } from './material-change.ts';

const Timestamp = z.iso.datetime();

const VALUE_PARTS = ['band', 'risk', 'related'] as const;

/** What one part adds to the value of an answer. The value is the sum of the points. */
const ValueReasonSchema = z.object({
  part: z.enum(VALUE_PARTS),
  points: z.int(),
  explanation: z.string(),
});

/**
 * Why a question waits or waited:
 * - `inferred`: the model suggests it.
 * - `routed`: a colleague of another domain sent the asset here.
 * - `corrected`: a correction named this type.
 * - `returned`: the answer sent the asset to another domain, or named its type, and that domain refused it.
 * - `put_off`: the question was put off, and the model now says something new.
 * - `correction_revised`: the correction that had answered the question was revised.
 * - `content_changed`: the asset no longer has the content that its answer was given on.
 * - `representative`: nobody has been asked about several assets like this one, and the model is not sure of any domain.
 */
const ASKED_BECAUSE = [
  'inferred',
  'routed',
  'corrected',
  'returned',
  'put_off',
  'correction_revised',
  'content_changed',
  'representative',
] as const;

/** A type that a question is about. The detail of its candidate says why the model suggests it. */
const AskedTypeSchema = z.object({
  candidateId: z.string(),
  informationTypeId: z.string(),
  informationTypeName: z.string(),
  confidence: z.number().nullable(),
});

/** What an owner looks at before an answer: the asset as it was last seen. */
const AskedAssetSchema = z.object({
  kind: z.string(),
  sizeBytes: z.int(),
  format: z.string().nullable(),
  labelState: LabelStateSchema,
  labelName: z.string().nullable(),
  labeledElsewhere: z.boolean(),
  exposure: z.enum(EXPOSURES).nullable().describe('The widest reach of its grants. Null if all are named'),
  exposureInWords: z.string().describe('Who can open it, in one sentence with numbers and without names'),
  sourceUrl: z.string().nullable(),
  sourceModifiedAt: Timestamp.nullable(),
  modifiedBy: z.string().nullable().describe('Who changed it last, as the source names them'),
});

/**
 * A question to the owners of a domain: is this asset yours? There is one for each asset and domain. `types` lists
 * all types that it is about, and one answer applies to all of them. Type and confidence are null if a person asks.
 * The queue is ordered by `value`. `relatedCount` is at most 200 and counts only assets about which the same domain
 * is asked, or for a representative, those about which nobody is asked. If the question is asked again, `earlierAnswer` is its earlier answer, with what has changed since.
 */
export const CandidateSchema = z.object({
  candidateId: z.string(),
  assetId: z.string(),
  assetName: z.string(),
  location: z.object({ scopeId: z.string(), scopeName: z.string(), path: z.string() }),
  asset: AskedAssetSchema,
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  types: z.array(AskedTypeSchema),
  confidence: z.number().nullable(),
  confidenceInWords: z.string().nullable(),
  band: z.enum(['high', 'review', 'routed']),
  /** One sentence: what the asset looks like, and why. */
  summary: z.string(),
  askedBecause: z.enum(ASKED_BECAUSE),
  /**
   * Of the last answers that owners of the domain gave to questions like this one, at most 10, how many were theirs. Null
   * if a person asks, the question is answered, or there are fewer than 5 such answers.
   */
  expectation: z.object({ answered: z.int(), yours: z.int(), explanation: z.string() }).nullable(),
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

/** A question in the queue. */
export const QueuedCandidateSchema = CandidateSchema.extend({
  firstExcerpt: ExcerptSchema.nullable().describe(
    'The first redacted excerpt. Null unless it is asked for and the caller may read it',
  ),
});

export type Candidate = z.infer<typeof CandidateSchema>;

/**
 * What to expect of the listed questions of the model in one domain. `expected` of the `listed` ones are expected to be
 * theirs. `isWorthwhile` is false if at most one of the last 10 answers was.
 */
export const OutlookSchema = z.object({
  domainId: z.string(),
  domainName: z.string(),
  listed: z.int(),
  expected: z.int(),
  isWorthwhile: z.boolean(),
  explanation: z.string(),
});

export type Outlook = z.infer<typeof OutlookSchema>;

/** What a detector found: how often and how surely, never the value. */
export const SignalSchema = z.object({
  detectorId: z.string(),
  title: z.string().describe('The display name of the kind of identifier'),
  family: z.string(),
  count: z.int(),
  confidence: z.number(),
  tiers: z.record(z.string(), z.int()),
  columns: ColumnsSchema.optional().describe('Of a table of a database: where it was found'),
});

/** A decision of another domain does not name its candidate. It names the person only if they left a note. */
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

/** An open question of the same domain about an asset that a decision has scored again. */
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
  /** The version that gave this result. Of the present inference: the last version that did. */
  ensembleVersion: z.int(),
  /** When this result was given first. */
  inferredAt: Timestamp,
  contributions: z.array(ReasonSchema),
});

export const CandidateDetailSchema = CandidateSchema.extend({
  informationTypeDefinition: z.string().nullable(),
  /**
   * The type that it was confirmed as: another one than `informationTypeId`, which is asked about, if the answer was a
   * correction. Null if it is not confirmed, has no type, or the type is of a domain that the reader may not see.
   */
  confirmedAs: NamedTypeSchema.nullable(),
  asset: AskedAssetSchema.extend({
    mimeType: z.string().nullable(),
    contentState: ContentStateSchema,
    contentReason: z.string().nullable(),
  }),
  access: GrantGroupsSchema.extend({
    complete: z.boolean().describe('False if the source does not report every grant'),
    observedAt: Timestamp.nullable(),
  }),
  /** The model's inference on the present content, whatever was decided. Null if it does not suggest the type. */
  inference: InferenceSchema.nullable(),
  signals: z.array(SignalSchema),
  provenance: listOf(AssertionSchema),
  decisions: listOf(PastDecisionSchema),
  excerpts: z.array(ExcerptSchema),
  /**
   * The valid decision, or the earlier one of a question that is asked again, with the evidence that it was
   * given on. Null if there is none. `evidence` is null if a former release did not keep it.
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
  /** Open questions of the same domain that an answer scores again, by the likeness of their assets. None is answered by it. */
  reranks: z.object({
    total: z.int(),
    identicalBytes: z.int(),
    nearDuplicates: z.int(),
    sameTemplate: z.int(),
  }),
  /** One per asset, the most similar first. */
  related: listOf(RelatedCandidateSchema),
});
