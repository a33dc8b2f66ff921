import { z } from 'zod';
import { SENSITIVITIES, TAXONOMY_BOUNDS } from '../ai/taxonomy-proposal.ts';
import { lineOf } from '../kernel/line.ts';

const most = TAXONOMY_BOUNDS;
const name = lineOf(most.name);
const text = z.string().trim().max(most.text);
const Id = z.string().min(1).max(64);
/** The revision that the caller has read. If it has changed since, the response is `conflict`. */
const RevisionSchema = z.int().min(1).optional();

const detectors = z.array(z.string().min(1).max(64)).max(most.detectors);
const keywords = z.array(z.string().trim().toLowerCase().min(1).max(most.keyword)).max(most.keywords);

/** A domain that a person drafts. */
export const DomainDraftSchema = z.strictObject({
  name,
  description: text.default(''),
  inclusion: text.default(''),
  exclusion: text.default(''),
});

/** Omitted fields stay as they are. */
export const DomainChangeSchema = z.strictObject({
  revision: RevisionSchema,
  name: name.optional(),
  description: text.optional(),
  inclusion: text.optional(),
  exclusion: text.optional(),
});

/** An information type that a person drafts. */
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

/** Omitted fields stay as they are, also within `indicators`. */
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
 * Where an object came from and who approved it. `origin` is `provisioned` if it was created with the tenant.
 * `provider` and `model` are null if no model drafted it. `approvedBy` is null for a draft and for an object that was
 * provisioned as approved.
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

/** Domains whose names are similar to that of a draft. They warn the approver of a duplicate. */
export const SimilarDomainsSchema = z.array(z.object({ domainId: z.string(), name: z.string() }));

/**
 * `regulatoryMappings` counts those that are not rejected. For a draft, `similarTo` lists at most ten domains with
 * similar names. It is empty for an approved domain.
 */
export const ListedDomainSchema = DomainSchema.extend({
  similarTo: SimilarDomainsSchema,
  informationTypes: z.array(InformationTypeSchema),
  regulatoryMappings: z.object({ draft: z.int(), approved: z.int() }),
});
export type ListedDomain = z.infer<typeof ListedDomainSchema>;

/**
 * The effect of a change on inference. `next_scan`: the approved taxonomy has changed, and every scan from now on
 * uses it. `POST /api/models/rescore` scores the assets that no scan will read.
 */
const EffectSchema = z.object({ effect: z.enum(['none', 'next_scan']) });
export type Effect = z.infer<typeof EffectSchema>['effect'];

export const ChangedDomainSchema = DomainSchema.extend(EffectSchema.shape);
export const ChangedInformationTypeSchema = InformationTypeSchema.extend(EffectSchema.shape);
