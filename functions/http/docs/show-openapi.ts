import { anyone, endpoint, endpoints } from '../../../core/http/endpoint.ts';
import { openApiDocument } from '../../../core/http/openapi.ts';

let body: Uint8Array | undefined;

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
    body ??= Buffer.from(JSON.stringify(openApiDocument(endpoints())));
    return { contentType: 'application/json; charset=utf-8', body, cacheControl: 'public, max-age=3600' };
  },
});
