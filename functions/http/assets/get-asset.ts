import { z } from 'zod';
import { assetDetail } from '../../../core/assets/asset-detail.ts';
import { AssetDetailSchema } from '../../../core/assets/asset-detail-schema.ts';
import { ASKED_EXCERPTS } from '../../../core/assets/asset-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const getAsset = endpoint({
  name: 'assets-get',
  method: 'GET',
  path: '/api/assets/{id}',
  summary: 'One asset with its history and provenance',
  description:
    'Contains redacted excerpts for callers who may read them. Reading them is audited; `excerpts=none` leaves them out.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  params: IdParams,
  query: z.strictObject({ excerpts: z.enum(ASKED_EXCERPTS).default('all') }),
  response: AssetDetailSchema,
  handle: ({ tx, principal, visibility, params, query, audit }) =>
    assetDetail(tx, principal, visibility, params.id, audit, query.excerpts === 'all'),
});
