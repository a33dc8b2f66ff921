import type { BoundedText } from '../bounded-text.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import { ddeText } from '../office/dde-link.ts';

/** Cached values of the external source. */
const VALUES = new Set(['v', 'val']);
const ENDS: ReadonlyMap<string, '\t' | '\n'> = new Map([
  ['cell', '\t'],
  ['value', '\t'],
  ['row', '\n'],
  ['ddeItem', '\n'],
]);

/**
 * Reads an external link of a workbook (ECMA-376 part 1, 18.14): its DDE source, and cached values. The path of
 * another workbook is in the relationships.
 */
export function externalLink(text: BoundedText): MarkupHandler {
  let inside = '';
  let dde = { service: '', topic: '' };
  return {
    open(name, tag) {
      inside = name;
      if (name === 'ddeLink') {
        dde = { service: tag.attribute('ddeService') ?? '', topic: tag.attribute('ddeTopic') ?? '' };
        text.line(ddeText(dde.service, dde.topic, ''));
      } else if (name === 'ddeItem') {
        const item = tag.attribute('name') ?? '';
        if (item !== '') text.line(ddeText(dde.service, dde.topic, item));
      } else if (name === 'oleLink') text.line(tag.attribute('progId') ?? '');
    },
    text(data) {
      if (VALUES.has(inside)) text.write(data);
    },
    close(name) {
      inside = '';
      const separator = ENDS.get(name);
      if (separator !== undefined) text.separate(separator);
    },
  };
}
