import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Loads a large library synchronously in this thread with the first file that needs it, because many workers never
 * need it. Not asynchronous, because the libraries are called within a walk over markup.
 */
function onDemand<Library>(name: string): () => Library {
  let library: Library | null = null;
  return () => {
    // Resolved as for `import`, because the `require` entry of one package names a file that it lacks.
    library ??= require(fileURLToPath(import.meta.resolve(name))) as Library;
    return library;
  };
}

export const htmlparser2 = onDemand<typeof import('htmlparser2')>('htmlparser2');
export const numfmt = onDemand<typeof import('numfmt')>('numfmt');
