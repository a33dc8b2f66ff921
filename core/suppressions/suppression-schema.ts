import { z } from 'zod';
import { lineOf } from '../kernel/line.ts';
import { SUPPRESSION_KINDS } from '../signals/suppression.ts';
import { SUPPRESSION_STATUSES } from './suppression-states.ts';

export const MOST_DAYS = 366;
/** An index holds folders. */
const MOST_FOLDER_BYTES = 2_000;

const Id = z.string().min(1).max(64);
const common = {
  detectorId: z.string().min(1).max(100),
  domainId: Id.optional().describe('The domain whose assets it applies to; without one, the whole tenant'),
  reason: lineOf(500),
  expiresAt: z.iso.datetime().describe(`At most ${MOST_DAYS} days from now`),
  dryRun: z.boolean().default(false).describe('Only tell what the rule would change'),
};

/** What a person asks for. A value is read, fingerprinted and forgotten. */
export const SuppressionRequestSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('detector_in_scope'),
    ...common,
    scopeId: Id,
    folder: z
      .string()
      .trim()
      .max(1_000)
      .transform((folder) => folder.replace(/^\/+|\/+$/g, ''))
      .refine((folder) => folder !== '', 'Names no folder. To mean the whole scope, leave it out.')
      .refine(
        (folder) => Buffer.byteLength(folder) <= MOST_FOLDER_BYTES,
        `At most ${MOST_FOLDER_BYTES} bytes of UTF-8`,
      )
      .optional()
      .describe('A folder of the scope, with all folders in it'),
  }),
  z.strictObject({
    kind: z.literal('template'),
    ...common,
    exampleAssetId: Id.describe('The rule applies to near-duplicates and documents of the same template'),
  }),
  z.strictObject({
    kind: z.literal('value'),
    ...common,
    value: z
      .string()
      .trim()
      .max(500)
      .regex(/[\p{L}\p{N}]/u, 'Holds no letter and no digit.')
      .describe('Only a keyed fingerprint of it is stored'),
  }),
]);
export type SuppressionRequest = z.infer<typeof SuppressionRequestSchema>;

const Timestamp = z.iso.datetime();

export const SuppressionSchema = z.object({
  suppressionId: z.string(),
  kind: z.enum(SUPPRESSION_KINDS),
  detectorId: z.string(),
  domainId: z.string().nullable(),
  scopeId: z.string().nullable(),
  folder: z.string().nullable(),
  exampleAssetId: z.string().nullable(),
  reason: z.string(),
  status: z.enum(SUPPRESSION_STATUSES),
  needsApproval: z.boolean(),
  proposedBy: z.string(),
  proposedAt: Timestamp,
  expiresAt: Timestamp,
  decidedBy: z.string().nullable(),
  decidedAt: Timestamp.nullable(),
  endedBy: z.string().nullable(),
  endedAt: Timestamp.nullable(),
  fromVersion: z.int().nullable().describe('The version of this rule with which it came into force: 1'),
  untilVersion: z.int().nullable().describe('The version of this rule with which it ended: 2'),
});
export type ShownSuppression = z.infer<typeof SuppressionSchema>;

/** Why a rule changes nothing. */
export const NO_EFFECT_REASONS = [
  'scope_of_another_domain',
  'no_finds',
  'not_of_this_domain',
  'scan_first',
  'suppressed_already',
] as const;

export const NoEffectSchema = z.object({ reason: z.enum(NO_EFFECT_REASONS), message: z.string() });
export type NoEffect = z.infer<typeof NoEffectSchema>;

const Count = z.int().nullable();

/** What a rule would change, of the assets that the caller may see. */
export const DryRunSchema = z.object({
  scopeNote: z.string(),
  assetsExamined: Count.describe(
    'Null, as for each count: fewer than ten, and the caller may not read evidence',
  ),
  truncated: z.boolean().describe('Whether there are more assets that the rule may be about'),
  assetsAffected: Count,
  signalsRemoved: Count,
  signalsReduced: Count,
  findingsResolved: Count,
  findingsLessened: Count,
  findingsOpened: Count,
  candidatesWithdrawn: Count,
  candidatesAdded: Count,
  candidatesInOtherBand: Count,
  assetsToScanAgain: Count.describe(
    'Assets with finds of the detector that the rule reaches after their next scan',
  ),
  noEffect: NoEffectSchema.nullable().describe(
    'Why the rule would change no asset that the caller may see. Null if it would change some, or if that is not told',
  ),
});
export type DryRun = z.infer<typeof DryRunSchema>;
