import { SuggestedKeywordsSchema, suggestKeywords } from '../../../core/governance/suggest-keywords.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const suggestTypeKeywords = endpoint({
  name: 'governance-suggest-keywords',
  method: 'GET',
  path: '/api/governance/information-types/{id}/suggested-keywords',
  summary: 'Suggest keywords for an information type',
  description:
    'Words that are frequent in the names of the documents that owners confirmed as this type, at least three times ' +
    'as frequent as in other names, and missing in its texts: at most 10, the most distinctive first. A word that ' +
    'fewer than three confirmed documents have is not suggested. Contents are not read. Nothing changes before a ' +
    'person adds a keyword to the type.',
  access: can('governance.taxonomy.admin'),
  transaction: 'read',
  params: IdParams,
  response: SuggestedKeywordsSchema,
  errors: ['not_found'],
  handle: ({ tx, params }) => suggestKeywords(tx, params.id),
});
