import type { BoundedText } from '../bounded-text.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { type Cells, xmlCells } from './iwork-xml-cells.ts';

/**
 * Reads the XML of iWork '09 and earlier by local name: Pages, Numbers, and both versions of Keynote. User text is in
 * paragraphs, anywhere, and in attributes.
 */
const LINES = new Set('p div layout section annotation slide notes drawables string number'.split(' '));
/** Elements that preserve white space. In the oldest Keynote, a span is not inside a paragraph. */
const VERBATIM = new Set(['p', 'span']);
const BREAKS = new Set('br lnbr crbr contbr intratopicbr pgbr sectbr columnbr'.split(' '));

/** Elements without user text: styles, application data, encoded pictures. */
const SKIPPED = new Set(
  'stylesheet styles anon-styles style theme-styles prototype-styles prototype-bullets bullet-characters ui-state thumbnails thumbnail version-history calc-engine binary transition-style events'.split(
    ' ',
  ),
);
/** Master slides and page templates, which contain prompts. */
const MASTERS = new Set(['master-slide', 'section-prototypes']);
const PROMPTS = new Set(
  'title-placeholder body-placeholder object-placeholder slide-number-placeholder title body ghost-text ghost-text-ref'.split(
    ' ',
  ),
);

/** Attributes with text. Each is written on its own line. */
const ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['workspace', new Set(['workspace-name'])],
  ['tabular-model', new Set(['name'])],
]);
/** Parents in which this element contains text. Elsewhere it names a font. */
const STRINGS = new Set(
  'metadata chart-name chart-row-names chart-column-names chart-row_names chart-column_names value-title category-title'.split(
    ' ',
  ),
);
/** Fields whose value is not part of the text. */
const FIELDS = new Set(['page-number', 'page-count', 'footnote-mark']);
const FIELD_VALUES = ['value', 'mark'];

export function iworkXml(text: BoundedText): MarkupHandler {
  const path: string[] = [];
  /** The depth from which nothing is written, until that element closes. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  let masters = 0;
  let strings = 0;
  let verbatim = 0;
  /** Link targets. Written after the paragraph, so that they do not separate its words. */
  let links: string[] = [];
  const cells: Cells = xmlCells(text);
  return {
    open(name, tag) {
      const parent = path.at(-1) ?? '';
      path.push(name);
      if (path.length >= skippedFrom) return;
      if (SKIPPED.has(name) || (masters > 0 && PROMPTS.has(name))) {
        skippedFrom = path.length;
        return;
      }
      if (MASTERS.has(name)) masters++;
      if (STRINGS.has(name)) strings++;
      if (VERBATIM.has(name)) verbatim++;
      if (name === 'link') links.push(tag.attribute('href') ?? '');
      if (name === 'tab') text.write('\t');
      if (BREAKS.has(name)) text.separate('\n');
      if (name === 'annotation') text.separate('\n');
      if (FIELDS.has(name)) text.write(fieldValue(tag));
      if (strings > 0 && name === 'string') text.line(tag.attribute('string') ?? '');
      const wanted = ATTRIBUTES.get(name);
      if (wanted !== undefined) tag.forEach(wanted, (value) => text.line(value));
      cells.open(name, parent, tag);
    },
    text(data) {
      if (path.length >= skippedFrom || cells.isApart) return;
      if (verbatim > 0) text.write(data);
      else if (data.trim() !== '') text.write(data.trim());
    },
    close(name) {
      if (path.length < skippedFrom) {
        if (MASTERS.has(name)) masters--;
        if (STRINGS.has(name)) strings--;
        if (VERBATIM.has(name)) verbatim--;
        if (name === 'p') {
          for (const link of links) text.line(link);
          links = [];
        }
        cells.close(name);
        if (LINES.has(name)) text.separateWeakly('\n');
      }
      if (path.length === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
      path.pop();
    },
  };
}

const fieldValue = (tag: Tag): string =>
  FIELD_VALUES.map((name) => tag.attribute(name) ?? '').find((value) => value !== '') ?? '';
