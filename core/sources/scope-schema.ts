import { z } from 'zod';
import { InaccessibleSchema } from '../findings/inaccessible-scope.sql.ts';
import { SOURCE_FAMILIES } from '../kernel/vocabulary.ts';

/** A scannable container, as a reader who may see it receives it. */
export const ScopeSchema = z.object({
  scopeId: z.string(),
  name: z.string(),
  kind: z.string(),
  family: z.enum(SOURCE_FAMILIES),
  mode: z
    .enum(['mock', 'live', 'blocked'])
    .describe('`blocked`: the configuration of now does not read this source'),
  externalId: z.string(),
  selected: z.boolean().describe('Whether scans of it can start: connected, and configured now'),
  coverageState: z.enum(['baseline', 'delta', 'stale']).nullable(),
  deltaCursorStatus: z.enum(['none', 'valid', 'resync_required']),
  narrowed: z
    .boolean()
    .describe('Whether the last scan of it was narrowed, so that the coverage is that of the scan before'),
  leftOut: z
    .object({
      items: z.int().describe('Items that rules left out of the last scan that listed the whole scope'),
      assetsKept: z.int().describe('Assets that rules left out then, and that stay as they were last read'),
    })
    .nullable()
    .describe('Null to a reader who governs neither the scope nor the tenant'),
  inaccessible: InaccessibleSchema.nullable(),
  assetCount: z.int(),
  expectation: z.object({ domainId: z.string() }).nullable(),
  activeCampaignId: z.string().nullable(),
});
export type ShownScope = z.infer<typeof ScopeSchema>;
