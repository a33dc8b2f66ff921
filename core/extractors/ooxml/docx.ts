import { slices } from '../archive/zip.ts';
import { zipKind } from '../archive/zip-kind.ts';
import { BoundedText } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import { decodeHead, sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { drawingText, writeAttributes } from './drawing-text.ts';
import { extractOoxml } from './ooxml.ts';

const ORDER = [
  /^word\/document\d*\.xml$/,
  /^word\/(?:header|footer)\d*\.xml$/,
  /^word\/(?:footnotes|endnotes)\d*\.xml$/,
  /^word\/comments\d*\.xml$/,
];

/** Parts without visible text: layout, fonts, comment ids, building blocks. A SmartArt drawing repeats its data. */
const WORDLESS =
  /^(?:\[content_types\]|_rels\/|word\/(?:styles|styleswitheffects|websettings|fonttable|numbering|comments(?:extended|ids|extensible)|theme\/|glossary\/|activex\/)|.*\/diagrams\/(?:layout|colors|quickstyle|drawing)|.*\/(?:style|colors)\d+\.xml$|customxml\/)/;

const SETTINGS = 'word/settings.xml';
/** Document variables, and the data source of a mail merge. */
const SETTINGS_WITH_WORDS = new Set(['docVar', 'query', 'connectString', 'mailSubject']);
const SETTING_ATTRIBUTES = new Set(['name', 'val']);

const settings = (text: BoundedText): MarkupHandler => ({
  open(name, tag) {
    if (SETTINGS_WITH_WORDS.has(name)) writeAttributes(tag, text, SETTING_ATTRIBUTES);
  },
  text() {},
  close() {},
});

function handlerFor(part: string, text: BoundedText): MarkupHandler | null {
  if (WORDLESS.test(part)) return null;
  return part === SETTINGS ? settings(text) : drawingText(text);
}

/** Word documents: body, headers, footers, notes, comments, tables, text boxes, deleted text, charts, SmartArt. */
export const docx: Extractor = {
  format: 'docx',
  version: 4,
  claims: (file) => zipKind(file.bytes) === 'docx',
  extract: (file, context) =>
    extractOoxml('docx', file, context, (text) => ({
      order: ORDER,
      handlerFor: (part) => handlerFor(part, text),
    })),
};

const HEAD_BYTES = 4_096;
const WORD_XML = /<\?mso-application\s{1,9}progid="Word\.Document"|<pkg:package\s|<w:wordDocument\s/;

/** A Word document in a single XML file, as Word 2003 wrote it and later versions can export it. */
export const wordXml: Extractor = {
  format: 'wordxml',
  version: 3,
  claims(file) {
    const encoding = sniffEncoding(file.bytes);
    return encoding !== null && WORD_XML.test(decodeHead(file.bytes, encoding, HEAD_BYTES));
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const read = await readMarkup(slices(file.bytes), drawingText(text), () => text.full);
    return textOutcome('wordxml', text, read === 'whole' ? null : 'damaged');
  },
};
