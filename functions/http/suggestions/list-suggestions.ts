import { z } from 'zod';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { SuggestionSchema, suggest } from '../../../core/suggestions/suggest.ts';

export const listSuggestions = endpoint({
  name: 'suggestions-list',
  method: 'GET',
  path: '/api/suggestions',
  summary: 'Names that the caller may mean',
  description:
    'At most ten domains, information types, scopes, people and assets, each only for those who may list it, and of ' +
    'each kind as many as there is room for. All words of `q` must be in the name. A person is also sought by e-mail address, ' +
    'an asset also by path and format; of an asset the last word may be unfinished. Assets with the words in their names ' +
    'come first. They are sought among the 50 newest that have the words.',
  access: session,
  transaction: 'read',
  query: z.strictObject({ q: z.string().trim().min(1).max(200) }),
  response: z.object({ items: z.array(SuggestionSchema) }),
  handle: async ({ tx, principal, query: { q } }) => ({ items: await suggest(tx, principal, q) }),
});
