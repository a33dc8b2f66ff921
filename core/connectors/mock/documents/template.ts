import type { Block } from '../business-document.ts';
import type { Random } from '../random.ts';

/** Writes a document of its kind. The same random choices give the same document. */
export type Template = (r: Random) => { title: string; blocks: Block[] };
