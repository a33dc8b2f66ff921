import { loadBeside } from '../kernel/module-beside.ts';
import type * as Htmlparser2 from './libraries/htmlparser2.ts';
import type * as Numfmt from './libraries/numfmt.ts';

/**
 * Loads a large library synchronously in this thread with the first file that needs it, because many workers never
 * need it. Not asynchronous, because the libraries are called within a walk over markup.
 */
function onDemand<Library>(name: string): () => Library {
  let library: Library | null = null;
  return () => {
    library ??= loadBeside<Library>(`./libraries/${name}`, import.meta.url);
    return library;
  };
}

export const htmlparser2 = onDemand<typeof Htmlparser2>('htmlparser2');
export const numfmt = onDemand<typeof Numfmt>('numfmt');
