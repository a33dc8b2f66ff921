import { z } from 'zod';
import {
  gatherEvidence,
  OwnerSuggestionsSchema,
  suggestOwners,
} from '../../../core/governance/suggest-owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const suggestDomainOwners = endpoint({
  name: 'governance-suggest-owners',
  method: 'GET',
  path: '/api/governance/owner-suggestions',
  summary: 'Suggest owners for a domain, with reasons',
  description:
    'The likeliest person first: people who confirmed, changed or may write to its assets, who own a group that may, ' +
    'who manage people who confirmed or changed them, or whose title or department matches it. ' +
    'Looks at the newest 1,000 confirmed assets and the 1,000 that changed last. ' +
    'The directory is asked for people whom the assets name and the service does not know, at most 40, for the owners ' +
    'of at most 10 groups, and for the managers of at most 20 people. Google and Box are asked too, where they allow it. ' +
    'Returns at most 20 people, then at most 10 whom only a source knows. `principalId` is null for people who ' +
    'are not known to the service; they are assigned by their `directoryId`. If nothing supports anybody, or the ' +
    'directory does not answer, `note` says so, and which evidence is missing.',
  access: can('governance.owner.assign'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().min(1).max(64) }),
  response: OwnerSuggestionsSchema,
  errors: ['not_found'],
  prepare: ({ runtime, principal, query }) => gatherEvidence(runtime, principal.tenantId, query.domainId),
  handle: ({ tx, query, prepared }) => suggestOwners(tx, query.domainId, prepared),
});
