import type { Block } from '../business-document.ts';
import type { Random } from '../random.ts';

/** Writes one document of its kind; the same choices make the same document. */
export type Template = (r: Random) => { title: string; blocks: Block[] };
