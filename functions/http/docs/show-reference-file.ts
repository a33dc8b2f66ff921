import { z } from 'zod';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { REFERENCE_FILES, referenceFile } from '../../../core/http/reference-page.ts';

export const showReferenceFile = endpoint({
  name: 'docs-show-file',
  method: 'GET',
  path: '/api/docs/{*file}',
  summary: 'Files of the reference page',
  access: anyone,
  transaction: 'none',
  produces: '*/*',
  params: z.strictObject({ file: z.enum(REFERENCE_FILES) }),
  handle: ({ params }) => referenceFile(params.file),
});
