import { z } from 'zod';
import { OwnerSuggestionsSchema, suggestOwners } from '../../../core/governance/suggest-owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const suggestDomainOwners = endpoint({
  name: 'governance-suggest-owners',
  method: 'GET',
  path: '/api/governance/owner-suggestions',
  summary: 'Suggest owners for a domain, with reasons',
  description:
    'The likeliest person first: people who confirmed, changed or may write to its assets, or whose title or ' +
    'department matches it. Looks at the newest 1,000 confirmed assets and the 1,000 that changed last. ' +
    'Returns at most 20 people, then at most 10 whom only a source knows (`principalId` null). If nothing ' +
    'supports anybody, the list is empty and `note` says so.',
  access: can('governance.owner.assign'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().min(1).max(64) }),
  response: OwnerSuggestionsSchema,
  errors: ['not_found'],
  handle: ({ tx, query }) => suggestOwners(tx, query.domainId),
});
