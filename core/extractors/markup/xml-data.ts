import type { BoundedText } from '../bounded-text.ts';
import { localName } from './xml-tag.ts';

export type XmlHandler = {
  open(name: string, attributes: Record<string, string>): void;
  text(data: string): void;
  close(name: string): void;
  /** Called once after the last of the others. */
  end(): void;
};

/** Attributes in a namespace describe markup (`ss:Type`, `xml:lang`), except links. */
export const isData = (name: string) => name !== 'xmlns' && (!name.includes(':') || /:href$/i.test(name));

/** Attributes that name what another attribute, or the text of the element, is. */
const NAMING = ['key', 'name', 'property'];
const VALUES = new Set(['value', 'val']);
/** Elements that name what the next element is, as in property lists. */
const PAIRS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['key', new Set(['value', 'string', 'integer', 'real', 'date', 'data'])],
  ['name', new Set(['value'])],
]);
/** Names that say nothing of the value, as in spreadsheets and lists. */
const UNNAMED = new Set('cell content data entry item li p string t td text th v val value'.split(' '));
/** A longer value of a naming attribute is no name. */
const LABEL = /^[\w.\- ]{1,80}$/;
/** The text of one element that is held. */
const MAX_HELD = 2_000_000;

type Frame = { label: string; text: string; hasChild: boolean };
type Attributes = Readonly<Record<string, string>>;

function namingIn(attributes: Attributes): string | null {
  const naming = NAMING.find((name) => LABEL.test(attributes[name] ?? ''));
  return naming ?? null;
}

/** The lines of the attributes: `name: value`, or where one attribute names the value of another, that name. */
function* attributeLines(attributes: Attributes, naming: string | null): Generator<string> {
  const label = naming === null ? null : attributes[naming];
  const hasValue = Object.keys(attributes).some((name) => VALUES.has(name));
  for (const [name, value] of Object.entries(attributes)) {
    if (!isData(name) || value.trim() === '') continue;
    if (hasValue && label && name === naming) continue;
    yield `${label && VALUES.has(name) ? label : localName(name)}: ${value}`;
  }
}

/**
 * Data: each value on a line behind its name, which is that of the element or attribute, or what the document gives as
 * its name. A line that only holds other elements is left out.
 */
export function xmlData(text: BoundedText): XmlHandler {
  const open: Frame[] = [];
  /** A name whose value may follow. */
  let named: { element: string; text: string } | null = null;
  const unpaired = () => {
    if (named !== null) text.line(`${named.element}: ${named.text}`);
    named = null;
  };
  return {
    open(name, attributes) {
      const parent = open.at(-1);
      if (parent !== undefined) parent.hasChild = true;
      const element = localName(name);
      if (named !== null && PAIRS.get(named.element)?.has(element) !== true) unpaired();
      const naming = namingIn(attributes);
      for (const line of attributeLines(attributes, naming)) text.line(line);
      open.push({ label: (naming && attributes[naming]) ?? element, text: '', hasChild: false });
    },
    text(data) {
      const element = open.at(-1);
      if (element === undefined) text.write(data.trim());
      else if (element.text.length < MAX_HELD) element.text += data;
    },
    close(name) {
      const element = open.pop();
      const value = element?.text.replace(/\s+/g, ' ').trim() ?? '';
      if (element === undefined || value === '') {
        if (element?.hasChild === true) unpaired();
        return;
      }
      if (element.hasChild) text.line(value);
      else if (PAIRS.has(localName(name)) && named === null)
        named = { element: localName(name), text: value };
      else if (named !== null && LABEL.test(named.text)) {
        text.line(`${named.text}: ${value}`);
        named = null;
      } else {
        unpaired();
        text.line(UNNAMED.has(element.label.toLowerCase()) ? value : `${element.label}: ${value}`);
      }
    },
    end() {
      unpaired();
      for (const { text: rest } of open) text.line(rest.trim());
    },
  };
}
