import { z } from 'zod';
import { InaccessibleSchema } from '../findings/inaccessible-scope.sql.ts';
import { CONTENT_REASONS, SEVERITIES } from '../kernel/vocabulary.ts';
import { ClassificationSchema } from './classification.sql.ts';

const Timestamp = z.iso.datetime();
export const LabelStateSchema = z.enum(['labeled', 'unlabeled', 'unknown']);
export const RiskSeveritySchema = z.enum(SEVERITIES);

export const ContentStateSchema = z.enum([
  'not_fetched',
  'available',
  'partial',
  'unsupported',
  'failed',
  'inaccessible',
]);

export const ContentReasonSchema = z
  .enum(CONTENT_REASONS)
  .describe('Why the content was not read, or not wholly. Null for `inaccessible`: the source denied access');

export const UnreadPartsSchema = z
  .int()
  .describe('How many pages and files inside were not read, or not wholly. Null if none is known');

/** docs/search.md describes what `q` finds. */
export const AssetFilterSchema = z.strictObject({
  q: z.string().trim().max(200).optional(),
  informationTypeId: z.string().max(64).optional(),
  labelState: LabelStateSchema.optional(),
  riskSeverity: RiskSeveritySchema.optional(),
  contentState: ContentStateSchema.optional(),
});

export type AssetFilter = z.infer<typeof AssetFilterSchema>;

/** `classification` is the firmest one that the caller may see. */
export const AssetSummarySchema = z.object({
  assetId: z.string(),
  name: z.string(),
  path: z.string(),
  kind: z.string(),
  sizeBytes: z.int(),
  mimeType: z.string().nullable(),
  format: z.string().nullable(),
  scopeId: z.string(),
  scopeName: z.string(),
  scopeInaccessible: InaccessibleSchema.nullable(),
  contentState: ContentStateSchema,
  contentReason: ContentReasonSchema.nullable(),
  unreadParts: UnreadPartsSchema.nullable(),
  labelState: LabelStateSchema,
  labelName: z.string().nullable(),
  labeledElsewhere: z.boolean().describe('Another organization gave it a label, which does not count here'),
  riskSeverity: RiskSeveritySchema.nullable(),
  classification: ClassificationSchema.nullable(),
  sourceModifiedAt: Timestamp.nullable(),
  lastSeenAt: Timestamp,
  /** When its newest version was observed. */
  changedAt: Timestamp,
});

export type AssetSummary = z.infer<typeof AssetSummarySchema>;
