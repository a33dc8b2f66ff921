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
  summary: 'Have the AI provider draft domains, types and mappings',
  description:
    'It drafts domains, information types and regulatory mappings from the profile and the policies. ' +
    'Domains whose names are there already are skipped, `similar` tells those whose names are like ' +
    'others, and everything stays a draft until it is approved.',
  access: can('governance.taxonomy.propose'),
  transaction: 'write',
  response: GeneratedSchema,
  errors: ['validation_failed', 'blocked_capability'],
  prepare: ({ runtime, principal }) => proposeTaxonomy(runtime, principal.tenantId),
  handle: ({ tx, principal, audit, now, prepared }) => storeProposal(tx, { principal, audit, now }, prepared),
});
