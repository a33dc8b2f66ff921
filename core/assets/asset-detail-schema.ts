import { z } from 'zod';
import { InaccessibleSchema } from '../findings/inaccessible-scope.sql.ts';
import { RISK_COMPONENTS } from '../findings/risk.ts';
import { ShownFindingSchema } from '../findings/shown-findings.ts';
import { listOf } from '../kernel/list.ts';
import { SOURCE_FAMILIES } from '../kernel/vocabulary.ts';
import {
  ContentReasonSchema,
  ContentStateSchema,
  LabelStateSchema,
  RiskSeveritySchema,
  TableReadSchema,
  UnreadPartsSchema,
} from './asset-schema.ts';
import { ClassificationSchema } from './classification.sql.ts';
import { ExcerptSchema } from './excerpts.sql.ts';
import { AssertionSchema } from './provenance.sql.ts';
import { ShownSignalSchema } from './shown-signals.ts';

const Timestamp = z.iso.datetime();

export const AssetVersionSchema = z.object({
  version: z.int(),
  sourceVersion: z.string(),
  contentVersion: z.string(),
  name: z.string(),
  path: z.string(),
  sizeBytes: z.int(),
  contentState: ContentStateSchema,
  contentReason: ContentReasonSchema.nullable(),
  unreadParts: UnreadPartsSchema.nullable(),
  format: z.string().nullable(),
  observedAt: Timestamp,
});

export const RelatedAssetSchema = z.object({
  assetId: z.string(),
  name: z.string(),
  path: z.string(),
  scopeId: z.string(),
  scopeName: z.string(),
  /** 1 if hashes are equal. For near-duplicates and templates the estimated Jaccard similarity. */
  similarity: z.number(),
});

/**
 * In the order in which they are listed. `attachment_copy`: the bytes of one asset are those of a file inside the
 * other.
 */
export const CLUSTER_KINDS = [
  'identical_bytes',
  'near_duplicate',
  'same_template',
  'attachment_copy',
] as const;

export const ClusterSchema = z.object({
  kind: z.enum(CLUSTER_KINDS),
  assets: listOf(RelatedAssetSchema),
});

/** Its lists are bounded: the newest versions and assertions, the first grants and copies. */
export const AssetDetailSchema = z.object({
  assetId: z.string(),
  name: z.string(),
  kind: z.string(),
  sizeBytes: z.int(),
  mimeType: z.string().nullable(),
  format: z.string().nullable(),
  sourceUrl: z.string().nullable(),
  location: z.object({
    scopeId: z.string(),
    scopeName: z.string(),
    scopeInaccessible: InaccessibleSchema.nullable(),
    family: z.enum(SOURCE_FAMILIES),
    path: z.string(),
    sourceItemId: z.string().describe('What the source calls the item, to find it there'),
  }),
  sourceVersion: z.string(),
  contentVersion: z.string(),
  contentState: ContentStateSchema,
  contentReason: ContentReasonSchema.nullable(),
  unreadParts: UnreadPartsSchema.nullable(),
  table: TableReadSchema.nullable().describe('Null if it is no table of a database, or was not read'),
  sourceCreatedAt: Timestamp.nullable(),
  sourceModifiedAt: Timestamp.nullable(),
  modifiedBy: z.string().nullable(),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  tags: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe('Tags at the source. Empty if it has none or does not report them'),
  retention: z
    .object({
      legalHold: z.boolean().describe('Whether a hold without an end covers the item'),
      immutable: z.boolean().describe('Whether a policy by time covers the item'),
      immutableUntil: Timestamp.nullable().describe('Null if the source does not say when that policy ends'),
    })
    .nullable()
    .describe('What keeps the item from being changed or deleted at the source. Null if nothing is known to'),
  label: z.object({
    state: LabelStateSchema,
    labelGuid: z.string().nullable(),
    labelName: z.string().nullable(),
    observedAt: Timestamp.nullable(),
    foreign: z
      .array(z.object({ tenantId: z.string(), labelGuid: z.string() }))
      .describe('Labels that other organizations gave. With these alone the state is `unlabeled`'),
  }),
  permissions: z.object({
    grants: listOf(
      z.object({
        principal: z.string(),
        principalKind: z.enum(['user', 'group', 'link', 'organization', 'anyone']),
        external: z.boolean(),
        role: z.enum(['read', 'write', 'owner']),
        inherited: z
          .boolean()
          .nullable()
          .describe('Whether something above the item has the grant. Null if the source does not say'),
        unconfirmed: z
          .boolean()
          .describe('Whether a setting that could not be read may close what the grant opens'),
        groupId: z.string().nullable().describe('What the directory calls a group; null if it is not known'),
      }),
    ),
    complete: z.boolean(),
    caveat: z.string(),
    observedAt: Timestamp.nullable(),
  }),
  classifications: z.array(ClassificationSchema),
  versions: listOf(AssetVersionSchema),
  provenance: listOf(AssertionSchema),
  riskComponents: z.array(
    z.object({
      name: z.enum(RISK_COMPONENTS),
      severity: RiskSeveritySchema,
      notes: z.string(),
      policyVersion: z.string(),
      computedAt: Timestamp,
    }),
  ),
  findings: z.array(ShownFindingSchema),
  clusters: z.array(ClusterSchema),
  signals: z.array(ShownSignalSchema).describe('What was found in the content, by kind, without the values'),
  excerpts: z.array(ExcerptSchema),
  suppressedSignals: z
    .array(
      z.object({
        detectorId: z.string(),
        removed: z.int(),
        remaining: z.int(),
        suppressionId: z.string().nullable().describe('Null if the reader may not see the rule'),
      }),
    )
    .describe('Finds of detectors that do not count, because a rule says that they are no identifiers'),
});
