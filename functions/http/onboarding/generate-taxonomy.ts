import {
  GeneratedSchema,
  proposeTaxonomy,
  storeProposal,
} from '../../../core/governance/generate-taxonomy.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const generateTaxonomy = endpoint({
  name: 'onboarding-generate-taxonomy',
  method: 'POST',
  path: '/api/onboarding/generate-taxonomy',
  summary: 'Draft domains, types and mappings with the AI provider',
  description:
    'Drafts domains, information types and regulatory mappings from the profile and the policies. Skips ' +
    'domains whose names exist; `similar` lists those with similar names. Everything stays a draft until a ' +
    'person approves it.',
  access: can('governance.taxonomy.propose'),
  transaction: 'write',
  response: GeneratedSchema,
  errors: ['validation_failed', 'blocked_capability'],
  prepare: ({ runtime, principal }) => proposeTaxonomy(runtime, principal.tenantId),
  handle: ({ tx, principal, audit, now, prepared }) => storeProposal(tx, { principal, audit, now }, prepared),
});
