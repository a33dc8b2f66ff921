import { z } from 'zod';
import { shownCheckpoint } from '../../../core/audit/checkpoint.ts';
import { newestCheckpoints } from '../../../core/audit/checkpoints.sql.ts';
import { SIGNING_STATES, signingWith } from '../../../core/audit/signing-key.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listAuditCheckpoints = endpoint({
  name: 'audit-list-checkpoints',
  method: 'GET',
  path: '/api/audit/checkpoints',
  summary: 'Signed checkpoints of the audit chain, newest first',
  description:
    'Says whether new checkpoints are signed, and by which key. Store checkpoints elsewhere to prove later ' +
    'that the end of the trail was not cut.',
  access: can('audit.read'),
  transaction: 'read',
  response: listOf(
    z.object({
      number: z.int(),
      seq: z.int(),
      hash: z.string(),
      // As stored and unchecked. Verification checks it.
      at: z.string(),
      keyId: z.string(),
      record: z.string(),
      publicKey: z.string(),
      signature: z.string(),
    }),
  ).extend({ signing: z.enum(SIGNING_STATES), keyId: z.string().nullable() }),
  handle: async ({ tx, runtime }) => {
    const { items, truncated } = bounded(await newestCheckpoints(tx, LIMIT + 1), LIMIT);
    const { state, signer } = signingWith(runtime.config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
    return { items: items.map(shownCheckpoint), truncated, signing: state, keyId: signer?.keyId ?? null };
  },
});
