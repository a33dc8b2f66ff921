import { createHash } from 'node:crypto';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(import.meta.dirname, 'generated');
const stamp = path.join(folder, 'made-from');

/** What the client depends on: the declarations of the endpoints, and the generator. */
const SOURCES = ['{core,functions}/**/*.ts', 'client/generate.ts', 'package-lock.json', 'VERSION'];

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for await (const file of glob(SOURCES, { cwd: root })) files.push(file);
  for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(path.join(root, file)));
  return hash.digest('hex');
}

/** Makes the typed client from the OpenAPI document of the code, unless it is already made from this code. */
export async function generateClient(): Promise<void> {
  const madeFrom = await hashOfSources();
  if ((await readFile(stamp, 'utf8').catch(() => null)) === madeFrom) return;
  await rm(folder, { recursive: true, force: true });
  const [{ generate }, { openApiDocument }, { loadFunctions }] = await Promise.all([
    import('orval'),
    import('../core/http/openapi.ts'),
    import('../docs/load-functions.ts'),
  ]);
  const { endpoints } = await loadFunctions();
  await generate(
    {
      // A plain copy: the generator keeps its own marks in the document.
      input: {
        target: JSON.parse(JSON.stringify(openApiDocument(endpoints))),
        // `test/contract/openapi.test.ts` validates it. Here it would double the time.
        unsafeDisableValidation: true,
      },
      output: {
        target: path.join(folder, 'service.ts'),
        client: 'react-query',
        httpClient: 'fetch',
        mode: 'tags-split',
        urlEncodeParameters: true,
        override: {
          header: false,
          // Which verbs are queries is left to the defaults: `useQuery: true` would make queries of changes.
          query: { version: 5 },
          fetch: { includeHttpResponseReturnType: false },
          mutator: { path: path.join(import.meta.dirname, 'request.ts'), name: 'request' },
        },
      },
    },
    root,
    { logLevel: 'error', throwOnError: true },
  );
  await writeFile(stamp, madeFrom);
}

if (import.meta.main) {
  enableCompileCache(path.join(root, 'node_modules/.cache/node'));
  await generateClient();
}
