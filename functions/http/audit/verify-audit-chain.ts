import { z } from 'zod';
import { SIGNING_STATES, signingWith } from '../../../core/audit/signing-key.ts';
import { BREAK_REASONS } from '../../../core/audit/verify.ts';
import { verifyChain } from '../../../core/audit/verify-chain.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const verifyAudit = endpoint({
  name: 'audit-verify',
  method: 'GET',
  path: '/api/audit/verify',
  summary: 'Check the whole audit chain and its signed checkpoints',
  description: 'Reports how far the chain of the tenant is valid and where it breaks first.',
  access: can('audit.read'),
  transaction: 'read',
  response: z.object({
    ok: z.boolean(),
    count: z.int(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    checkpoints: z.int(),
    lastCheckpoint: z
      .object({ number: z.int(), seq: z.int(), hash: z.string(), at: z.iso.datetime(), keyId: z.string() })
      .nullable(),
    signing: z.enum(SIGNING_STATES),
    firstBreak: z.object({ seq: z.int(), reason: z.enum(BREAK_REASONS) }).nullable(),
  }),
  handle: async ({ tx, runtime }) => {
    const { config } = runtime;
    const { state, signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
    const own = signer === null ? [] : [signer.keyId];
    const report = await verifyChain(tx, new Set([...own, ...config.SVC_AUDIT_TRUSTED_KEY_IDS]));
    return { ...report, signing: state };
  },
});
