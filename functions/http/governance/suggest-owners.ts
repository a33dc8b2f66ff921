import { z } from 'zod';
import { OwnerSuggestionsSchema, suggestOwners } from '../../../core/governance/suggest-owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const suggestDomainOwners = endpoint({
  name: 'governance-suggest-owners',
  method: 'GET',
  path: '/api/governance/owner-suggestions',
  summary: 'Who may own a domain, with reasons',
  description:
    'The likeliest first: who confirmed, changed or may write to its assets, and whose title or ' +
    'department speaks of it. The newest 1,000 confirmed assets are looked at and the 1,000 that changed ' +
    'last. At most 20 people, then at most 10 whom only a source knows (`principalId` null), by the ' +
    'source’s name; where nothing speaks for anybody, none, and a `note` says so.',
  access: can('governance.owner.assign'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().min(1).max(64) }),
  response: OwnerSuggestionsSchema,
  errors: ['not_found'],
  handle: ({ tx, query }) => suggestOwners(tx, query.domainId),
});
