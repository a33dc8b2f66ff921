import { z } from 'zod';
import { EXPOSURES } from '../findings/exposure.ts';
import { InaccessibleSchema } from '../findings/inaccessible-scope.sql.ts';
import { idsUpTo, listOf } from '../kernel/list.ts';
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

/** How much of a table of a database was read. */
export const TableReadSchema = z.object({
  kind: z.enum(['table', 'view']),
  rows: z.int().describe('Rows that were read'),
  estimatedRows: z
    .int()
    .nullable()
    .describe(
      'Rows that there are: counted if all were read, else as the database says. Null if neither is known',
    ),
  columns: z.int().describe('Columns of the table'),
  maskedColumns: z.int().describe('Columns whose values the database masks. They were not read'),
  binaryColumns: z.int().describe('Columns of bytes that are no text'),
  allRowsVisible: z
    .boolean()
    .nullable()
    .describe('False if row security hides rows from the service. Null if that is not known'),
});

/** One column of a table, as one piece of evidence. */
export const ColumnEvidenceSchema = z.object({
  column: z.string().describe('Its name, or `#` and its number if an identifier is in its name'),
  saidBy: z
    .enum(['name', 'comment'])
    .nullable()
    .describe('What of the column says that its values are of this kind. Null: its values alone'),
  passing: z.int().describe('Values that are of this kind'),
  values: z.int().describe('Values that were read, without those that are empty'),
});
export const ColumnsSchema = listOf(ColumnEvidenceSchema);

/** Which redacted excerpts a detail has. Reading them is audited. */
export const ASKED_EXCERPTS = ['all', 'none'] as const;

/** `sure`: with finds that passed a check or have a context word. `all`: with any finds. */
export const IDENTIFIER_FINDS = ['sure', 'all'] as const;

/** The exposures, and `named` for assets that only named people and groups can read. */
export const ASKED_EXPOSURES = [...EXPOSURES, 'named'] as const;

const Id = z.string().max(64);

/** The list, its facets and its export have the same filter. docs/search.md describes what `q` finds. */
export const AssetFilterSchema = z.strictObject({
  q: z.string().trim().max(200).optional(),
  domainId: Id.optional(),
  ownerId: Id.optional().describe('A person: assets of the domains that they own'),
  informationTypeId: Id.optional(),
  scopeId: Id.optional(),
  contentState: ContentStateSchema.optional(),
  fileFormat: Id.optional().describe('The format of the file, such as `pdf`'),
  identifier: Id.optional().describe('The id of a detector that found something in the text'),
  identifierFinds: z
    .enum(IDENTIFIER_FINDS)
    .optional()
    .describe('With `identifier`: `sure` leaves out assets with doubtful finds alone'),
  exposure: z
    .enum(ASKED_EXPOSURES)
    .optional()
    .describe('The widest reach of any grant. `named`: only named people and groups have access'),
  labelState: LabelStateSchema.optional(),
  labelGuid: Id.optional().describe('The sensitivity label that the asset has'),
  riskSeverity: RiskSeveritySchema.optional(),
  changedFrom: Timestamp.optional().describe('Changed at this time or later'),
  changedBefore: Timestamp.optional().describe('Changed before this time'),
  ids: idsUpTo(200).optional().describe('Ids of at most 200 assets, separated by commas'),
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
  table: TableReadSchema.nullable().describe('Null if it is no table of a database, or was not read'),
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
