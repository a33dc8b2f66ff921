import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Libraries that are large and that many a worker never needs: each is loaded, in this thread, with the first file
 * that does. Not awaited, since they are called in the middle of a walk over markup.
 */
function onDemand<Library>(name: string): () => Library {
  let library: Library | null = null;
  return () => {
    // By the address that an import leads to: for `require` one of them names a file that it does not have.
    library ??= require(fileURLToPath(import.meta.resolve(name))) as Library;
    return library;
  };
}

export const htmlparser2 = onDemand<typeof import('htmlparser2')>('htmlparser2');
export const numfmt = onDemand<typeof import('numfmt')>('numfmt');
