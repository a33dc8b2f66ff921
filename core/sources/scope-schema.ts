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
  inaccessible: InaccessibleSchema.nullable(),
  assetCount: z.int(),
  expectation: z.object({ domainId: z.string() }).nullable(),
  activeCampaignId: z.string().nullable(),
});
export type ShownScope = z.infer<typeof ScopeSchema>;
