import { BoundedText, type Shortfall, textOutcome } from './bounded-text.ts';
import type { Extraction, ExtractionBounds, FileHead } from './extractor.ts';
import { htmlEncoding, writeHtml } from './html.ts';
import { attribute, type MarkupHandler, readMarkup } from './markup.ts';
import { decodeChunks } from './text-encoding.ts';
import { InflatedBound, openZip, type ZipMember } from './zip.ts';

/** How one kind of package is read. Names are lower case. */
export type PackagePlan = {
  /** Parts are read in this order; those that match none come after, those of one rank by number. */
  order: readonly RegExp[];
  /** The walk over this XML part, or null when it holds no text for people. Called just before the part is read. */
  handlerFor(part: string): MarkupHandler | null;
};

const IS_XML = /\.(?:xml|vml)$/;
const IS_RELATIONSHIPS = /\.rels$/;
const IS_IMPORTED_PAGE = /\.(?:html?|xhtml)$/;
const IS_IMPORTED_TEXT = /\.txt$/;
/** A page that is imported as a whole is small; past this it is left out and the outcome says so. */
const MAX_PAGE_BYTES = 4_000_000;

const PROPERTIES = /^docprops\/[^/]+\.xml$/;
const CUSTOM_DATA = /^customxml\/item\d+\.xml$/;
/** Of the application's statistics only these are words that somebody chose. */
const APP_PROPERTIES = new Set(['Company', 'Manager', 'HyperlinkBase']);

const byNumber = new Intl.Collator('en', { numeric: true });

/**
 * Text of an OOXML package: the parts of its plan, then what every package may hold: properties, bound data,
 * imported pages, and the outside targets of its relationships.
 */
export async function extractOoxml(
  format: string,
  file: FileHead,
  bounds: ExtractionBounds,
  plan: (text: BoundedText) => PackagePlan,
): Promise<Extraction> {
  const text = new BoundedText(bounds.maxCharacters);
  const zip = await openZip(file.bytes, bounds);
  if (zip.members.some((member) => member.encrypted)) {
    return { state: 'unsupported', format, reason: 'encrypted' };
  }
  const { order, handlerFor } = plan(text);
  let shortfall: Shortfall | null = zip.cut ? 'member_bound' : null;
  for (const member of inOrder(zip.members, order)) {
    text.separate('\n');
    try {
      const read = await readPart(member, text, handlerFor);
      if (read === 'damaged') shortfall ??= 'damaged';
    } catch (error) {
      if (error instanceof InflatedBound) return textOutcome(format, text, 'inflated_bound');
      shortfall ??= 'damaged';
    }
    if (text.full) break;
  }
  return textOutcome(format, text, shortfall);
}

function inOrder(members: readonly ZipMember[], order: readonly RegExp[]): ZipMember[] {
  const rank = (name: string) => {
    const at = order.findIndex((pattern) => pattern.test(name));
    if (at >= 0) return at;
    return IS_RELATIONSHIPS.test(name)
      ? order.length + 2
      : PROPERTIES.test(name)
        ? order.length + 1
        : order.length;
  };
  return members
    .map((member) => ({ member, rank: rank(member.name) }))
    .sort((a, b) => a.rank - b.rank || byNumber.compare(a.member.name, b.member.name))
    .map(({ member }) => member);
}

type PartOutcome = 'whole' | 'damaged';

async function readPart(
  member: ZipMember,
  text: BoundedText,
  handlerFor: PackagePlan['handlerFor'],
): Promise<PartOutcome> {
  if (IS_IMPORTED_PAGE.test(member.name) || IS_IMPORTED_TEXT.test(member.name))
    return readImported(member, text);
  const handler = IS_RELATIONSHIPS.test(member.name)
    ? outsideTargets(text)
    : IS_XML.test(member.name)
      ? (commonHandler(member.name, text) ?? handlerFor(member.name))
      : null;
  return handler === null ? 'whole' : readMarkup(member.read(), handler, () => text.full);
}

function commonHandler(part: string, text: BoundedText): MarkupHandler | null {
  if (part === 'docprops/app.xml') return elementTexts(text, (name) => APP_PROPERTIES.has(name));
  if (PROPERTIES.test(part) || CUSTOM_DATA.test(part)) return elementTexts(text, () => true);
  return null;
}

/** Every text of the elements asked for, and the name of a custom property, each on a line. */
function elementTexts(text: BoundedText, wanted: (name: string) => boolean): MarkupHandler {
  let inside = '';
  return {
    open(name, tag) {
      inside = name;
      text.separate('\n');
      if (name === 'property') text.line(attribute(tag, 'name') ?? '');
    },
    text(data) {
      if (wanted(inside) && data.trim() !== '') text.write(data);
    },
    close() {
      inside = '';
      text.separate('\n');
    },
  };
}

function outsideTargets(text: BoundedText): MarkupHandler {
  return {
    open(name, tag) {
      if (name === 'Relationship' && attribute(tag, 'TargetMode') === 'External') {
        text.line(attribute(tag, 'Target') ?? '');
      }
    },
    text() {},
    close() {},
  };
}

async function readImported(member: ZipMember, text: BoundedText): Promise<PartOutcome> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of member.read()) {
    size += chunk.length;
    if (size > MAX_PAGE_BYTES) return 'damaged';
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  // A text is a page without tags as far as its words go.
  return writeHtml(decodeChunks(bytes, htmlEncoding(bytes)), text) ?? 'whole';
}
