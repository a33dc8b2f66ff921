import { anyone, endpoint, endpoints } from '../../../core/http/endpoint.ts';
import { openApiDocument } from '../../../core/http/openapi.ts';

let text: string | undefined;

export const showOpenApi = endpoint({
  name: 'docs-show-openapi',
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'The OpenAPI 3.1 document',
  access: anyone,
  transaction: 'none',
  produces: 'application/json',
  handle: () => {
    // All functions are loaded before the first request, so the document does not change.
    text ??= JSON.stringify(openApiDocument(endpoints()));
    return { contentType: 'application/json; charset=utf-8', body: text };
  },
});
