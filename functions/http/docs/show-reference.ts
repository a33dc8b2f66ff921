import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { referencePage } from '../../../core/http/reference-page.ts';

export const showReference = endpoint({
  name: 'docs-show',
  method: 'GET',
  path: '/api/docs',
  summary: 'The API reference as a page',
  access: anyone,
  transaction: 'none',
  produces: 'text/html',
  handle: () => referencePage(),
});
