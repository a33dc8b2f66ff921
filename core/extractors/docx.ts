import { drawingText } from './drawing-text.ts';
import type { Extractor } from './extractor.ts';
import { extractOoxml } from './ooxml.ts';
import { zipKind } from './zip-kind.ts';

const ORDER = [
  /^word\/document\d*\.xml$/,
  /^word\/(?:header|footer)\d*\.xml$/,
  /^word\/(?:footnotes|endnotes)\d*\.xml$/,
  /^word\/comments\d*\.xml$/,
];

/** Layout, fonts, identities of comments, building blocks that are in no page; a SmartArt's drawing repeats its data. */
const WORDLESS =
  /^(?:\[content_types\]|_rels\/|word\/(?:styles|styleswitheffects|settings|websettings|fonttable|numbering|comments(?:extended|ids|extensible)|theme\/|glossary\/|activex\/)|.*\/diagrams\/(?:layout|colors|quickstyle|drawing)|.*\/(?:style|colors)\d+\.xml$|customxml\/)/;

/** Word documents: body, headers, footers, notes, comments, tables, text boxes, deleted text, charts, SmartArt. */
export const docx: Extractor = {
  format: 'docx',
  version: 1,
  claims: (file) => zipKind(file.bytes) === 'docx',
  extract: (file, bounds) =>
    extractOoxml('docx', file, bounds, (text) => ({
      order: ORDER,
      handlerFor: (part) => (WORDLESS.test(part) ? null : drawingText(text)),
    })),
};
