import { z } from 'zod';
import { SENSITIVITIES, TAXONOMY_BOUNDS } from '../ai/taxonomy-proposal.ts';
import { lineOf } from '../kernel/line.ts';

const most = TAXONOMY_BOUNDS;
const name = lineOf(most.name);
const text = z.string().trim().max(most.text);
const Id = z.string().min(1).max(64);
/** The one that the caller looked at: where it is another by now, the answer is `conflict`. */
const RevisionSchema = z.int().min(1).optional();

const detectors = z.array(z.string().min(1).max(64)).max(most.detectors);
const keywords = z.array(z.string().trim().toLowerCase().min(1).max(most.keyword)).max(most.keywords);

/** What a person writes of a domain. */
export const DomainDraftSchema = z.strictObject({
  name,
  description: text.default(''),
  inclusion: text.default(''),
  exclusion: text.default(''),
});

/** What is left out stays as it is. */
export const DomainChangeSchema = z.strictObject({
  revision: RevisionSchema,
  name: name.optional(),
  description: text.optional(),
  inclusion: text.optional(),
  exclusion: text.optional(),
});

/** What a person writes of an information type. */
export const TypeDraftSchema = z.strictObject({
  domainId: Id,
  name,
  definition: text.default(''),
  sensitivityRationale: text.default(''),
  expectedLocationNote: text.default(''),
  sensitivity: z.enum(SENSITIVITIES).default('internal'),
  indicators: z
    .strictObject({ detectors: detectors.default([]), keywords: keywords.default([]) })
    .default({ detectors: [], keywords: [] }),
});

/** What is left out stays as it is, in `indicators` too. */
export const TypeChangeSchema = z.strictObject({
  revision: RevisionSchema,
  name: name.optional(),
  definition: text.optional(),
  sensitivityRationale: text.optional(),
  expectedLocationNote: text.optional(),
  sensitivity: z.enum(SENSITIVITIES).optional(),
  indicators: z.strictObject({ detectors: detectors.optional(), keywords: keywords.optional() }).optional(),
});

export const ApprovalSchema = z.strictObject({ revision: RevisionSchema });

/**
 * Where an object came from and who approved it. `origin` is `provisioned` for what was there when the tenant was made;
 * `provider` and `model` are null for what no model drafted. `approvedBy` is null for a draft and for what was provisioned
 * as approved.
 */
const ProvenanceSchema = z.object({
  origin: z.enum(['provisioned', 'generated', 'manual']),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  createdBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  approvedAt: z.iso.datetime().nullable(),
  revision: z.int(),
  updatedAt: z.iso.datetime(),
});

const Status = z.enum(['draft', 'approved']);

export const DomainSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  inclusion: z.string(),
  exclusion: z.string(),
  status: Status,
  ...ProvenanceSchema.shape,
});
export type Domain = z.infer<typeof DomainSchema>;

export const InformationTypeSchema = z.object({
  id: z.string(),
  domainId: z.string(),
  name: z.string(),
  definition: z.string(),
  sensitivityRationale: z.string(),
  expectedLocationNote: z.string(),
  sensitivity: z.enum(SENSITIVITIES),
  indicators: z.object({ detectors: z.array(z.string()), keywords: z.array(z.string()) }),
  status: Status,
  ...ProvenanceSchema.shape,
});
export type InformationType = z.infer<typeof InformationTypeSchema>;

/** Domains whose names are like that of a draft: whoever approves it may make a second one of the same. */
export const SimilarDomainsSchema = z.array(z.object({ domainId: z.string(), name: z.string() }));

/**
 * `regulatoryMappings` counts those that are not rejected. `similarTo` names, for a draft, at most ten domains whose names
 * are like its own; of what is approved it is empty.
 */
export const ListedDomainSchema = DomainSchema.extend({
  similarTo: SimilarDomainsSchema,
  informationTypes: z.array(InformationTypeSchema),
  regulatoryMappings: z.object({ draft: z.int(), approved: z.int() }),
});
export type ListedDomain = z.infer<typeof ListedDomainSchema>;

/**
 * What a change means for inference. `next_scan`: it changes what is approved, so that every scan from now on goes by it;
 * `POST /api/models/rescore` scores what no scan will look at.
 */
const EffectSchema = z.object({ effect: z.enum(['none', 'next_scan']) });
export type Effect = z.infer<typeof EffectSchema>['effect'];

export const ChangedDomainSchema = DomainSchema.extend(EffectSchema.shape);
export const ChangedInformationTypeSchema = InformationTypeSchema.extend(EffectSchema.shape);
