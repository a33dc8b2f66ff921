import { z } from 'zod';
import { AssetDetailSchema } from '../../assets/asset-detail-schema.ts';
import { FindingSchema } from '../../findings/finding-list.sql.ts';
import { ONE } from '../page.ts';
import { tool } from '../tool.ts';

/** Who has access, as numbers: an assistant gets no names of people. */
const SharingSchema = z.object({
  grants: z.record(z.string(), z.int()).describe('Grants by kind of grantee'),
  external: z.int().describe('Grants to people outside the organization'),
  complete: z.boolean().describe('False if there may be more grants than the service could read'),
});

const DataSchema = AssetDetailSchema.pick({
  assetId: true,
  name: true,
  kind: true,
  format: true,
  sizeBytes: true,
  contentState: true,
  contentReason: true,
  unreadParts: true,
  table: true,
  sourceModifiedAt: true,
  lastSeenAt: true,
  label: true,
  classifications: true,
  riskComponents: true,
  excerpts: true,
}).extend({
  location: AssetDetailSchema.shape.location.omit({ sourceItemId: true }),
  sharing: SharingSchema,
  findings: z.array(
    FindingSchema.pick({
      findingId: true,
      kind: true,
      severity: true,
      status: true,
      notes: true,
      openedAt: true,
    }),
  ),
});

export const getAsset = tool({
  name: 'get_asset',
  title: 'Read one asset',
  description:
    'Shows one asset: location, label, classification, risk, findings, how widely it is shared, and redacted excerpts ' +
    'if the person may read them, which is audited.',
  effect: 'read',
  input: z.strictObject({
    assetId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Is no id of an asset.')
      .describe('As `search_assets` returns it'),
  }),
  data: DataSchema,
  answer: async (ask, { assetId }) => {
    const { permissions, ...asset } = await ask(AssetDetailSchema, {
      method: 'GET',
      path: '/api/assets/{id}',
      params: { id: assetId },
    });
    const { grants } = permissions;
    const sharing = {
      grants: Object.fromEntries(
        [...Map.groupBy(grants.items, (grant) => grant.principalKind)].map(([kind, of]) => [kind, of.length]),
      ),
      external: grants.items.filter((grant) => grant.external).length,
      complete: permissions.complete && !grants.truncated,
    };
    return { ...ONE, truncated: grants.truncated, data: { ...asset, sharing } };
  },
});
