import { zipKind } from '../archive/zip-kind.ts';
import type { Extractor } from '../extractor.ts';
import { drawingText } from './drawing-text.ts';
import { extractOoxml } from './ooxml.ts';

const SLIDES = /^ppt\/slides\/[^/]+\.xml$/;
const ORDER = [SLIDES, /^ppt\/notesslides\/[^/]+\.xml$/, /^ppt\/comments\//];

const MASTERS = /^ppt\/(?:slidemasters|slidelayouts|notesmasters|handoutmasters)\//;

const WORDLESS =
  /^(?:\[content_types\]|_rels\/|ppt\/(?:presprops|viewprops|tablestyles|theme\/)|.*\/diagrams\/(?:layout|colors|quickstyle|drawing)|.*\/(?:style|colors)\d+\.xml$|customxml\/)/;

/**
 * Presentations: slides (including hidden ones), notes, comments, tables, charts, SmartArt, and text of masters and
 * layouts.
 */
export const pptx: Extractor = {
  format: 'pptx',
  version: 4,
  claims: (file) => zipKind(file.bytes) === 'pptx',
  extract: (file, context) =>
    extractOoxml('pptx', file, context, (text) => {
      const masterTexts = new Set<string>();
      return {
        order: ORDER,
        besides: MASTERS,
        pages: SLIDES,
        handlerFor: (part) =>
          WORDLESS.test(part) ? null : drawingText(text, MASTERS.test(part) ? { masterTexts } : {}),
      };
    }),
};
