import { openZip, shortfallOf, type ZipMember } from '../archive/zip.ts';
import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import { embedMember, fileName, holdMember } from '../embedded.ts';
import type { Extraction, ExtractionContext, FileHead } from '../extractor.ts';
import { writeEmf } from '../image/emf.ts';
import { htmlEncoding, writeHtml } from '../markup/html.ts';
import { readMarkup } from '../markup/markup.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import { decodeChunks } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';

/** Reads a part that is not XML. See `readMarkup`. */
export type PartReader = (chunks: AsyncIterable<Uint8Array>) => Promise<'whole' | 'damaged'>;

/** How to read one kind of package. Names are in lower case. */
export type PackagePlan = {
  /** Parts are read in this order, and those of one rank by number. Parts without a match come last. */
  order: readonly RegExp[];
  /** The handler for an XML part, or null if the part contains no user text. Called just before the part is read. */
  handlerFor(part: string): MarkupHandler | null;
  /** For packages with binary parts. Takes precedence over `handlerFor`. */
  readerFor?(part: string): PartReader | null;
  /** Parts whose text is no content: names of sheets, layouts. */
  besides?: RegExp;
  /** Parts that are pages with pictures of their own. Without pages, all pictures are those of the document. */
  pages?: RegExp;
};

const IS_XML = /\.(?:xml|vml)$/;
const IS_RELATIONSHIPS = /\.rels$/;
const IS_IMPORTED_PAGE = /\.(?:html?|xhtml)$/;
const IS_IMPORTED_TEXT = /\.txt$/;
/** Embedded files and imported documents. */
const IS_EMBEDDED =
  /\/embeddings\/[^/]+$|\.(?:doc[xm]?|dot[xm]?|rtf|mht|eml|msg|pdf|xls[xmb]?|pp[ts][xm]?|od[tsp]|zip)$/;
const IS_PICTURE = /\/media\/[^/]+\.(?:png|jpe?g|gif|bmp|tiff?|webp|jp2)$/;
/** Vector pictures, which can contain text. */
const IS_METAFILE = /\/media\/[^/]+\.emf$/;

const PROPERTIES = /^docprops\/[^/]+\.xml$/;
/** An element of the core properties. */
const TITLE = 'title';
const CUSTOM_DATA = /^customxml\/item\d+\.xml$/;
/** The application properties that people enter. The others are statistics. */
const APP_PROPERTIES = new Set(['Company', 'Manager', 'HyperlinkBase']);

const byNumber = new Intl.Collator('en', { numeric: true });

/**
 * Reads an OOXML package: the parts of its plan, then what every package can contain: properties, bound data,
 * imported pages and external relationship targets.
 */
export async function extractOoxml(
  format: string,
  file: FileHead,
  context: ExtractionContext,
  plan: (text: BoundedText) => PackagePlan,
): Promise<Extraction> {
  const text = new BoundedText(context.maxCharacters);
  const zip = await openZip(file.bytes, context.budget);
  if (zip.members.some((member) => member.encrypted)) {
    return { state: 'unsupported', format, reason: 'encrypted' };
  }
  const partsPlan = plan(text);
  let shortfall: Shortfall | null = zip.damaged ? 'damaged' : zip.cut ? 'member_bound' : null;
  const scantyPages: string[] = [];
  for (const member of inOrder(zip.members, partsPlan.order)) {
    text.separate('\n');
    const before = text.contentLength;
    const read = await readPart(member, text, partsPlan, context).catch(shortfallOf);
    if (read === 'inflated_bound') return textOutcome(format, text, read);
    shortfall ??= read;
    if (text.full) break;
    if (partsPlan.pages?.test(member.name) && text.contentLength - before < SCANTY_TEXT) {
      scantyPages.push(member.name);
    }
    if (PROPERTIES.test(member.name) || partsPlan.besides?.test(member.name)) text.discountTo(before);
  }
  const pictures = zip.members.filter(({ name }) => IS_PICTURE.test(name));
  const shown =
    partsPlan.pages !== undefined
      ? await picturesOf(scantyPages, pictures, zip.members)
      : text.contentLength < SCANTY_TEXT
        ? pictures
        : [];
  for (const picture of shown) {
    if (text.full) break;
    const read = await embedMember(picture, text, context);
    if (read === 'inflated_bound') return textOutcome(format, text, read);
  }
  return textOutcome(format, text, shortfall);
}

/** The pictures that these pages refer to. */
async function picturesOf(
  pages: readonly string[],
  pictures: readonly ZipMember[],
  members: readonly ZipMember[],
): Promise<readonly ZipMember[]> {
  const targets = new Set<string>();
  if (pictures.length === 0) return [];
  const relationships = new Set(pages.map((page) => page.replace(/([^/]+)$/, '_rels/$1.rels')));
  const handler: MarkupHandler = {
    open(name, tag) {
      if (name === 'Relationship') targets.add(fileName(tag.attribute('Target') ?? '').toLowerCase());
    },
    text() {},
    close() {},
  };
  for (const member of members) {
    // A broken list was reported when its part was read.
    if (relationships.has(member.name)) {
      await readMarkup(member.read(), handler, () => false).catch(shortfallOf);
    }
  }
  return pictures.filter(({ name }) => targets.has(fileName(name)));
}

function inOrder(members: readonly ZipMember[], order: readonly RegExp[]): ZipMember[] {
  const rank = (name: string) => {
    const at = order.findIndex((pattern) => pattern.test(name));
    if (at >= 0) return at;
    if (IS_EMBEDDED.test(name) || IS_METAFILE.test(name)) return order.length + 3;
    if (IS_RELATIONSHIPS.test(name)) return order.length + 2;
    return PROPERTIES.test(name) ? order.length + 1 : order.length;
  };
  return members
    .map((member) => ({ member, rank: rank(member.name) }))
    .sort((a, b) => a.rank - b.rank || byNumber.compare(a.member.name, b.member.name))
    .map(({ member }) => member);
}

async function readPart(
  member: ZipMember,
  text: BoundedText,
  { handlerFor, readerFor }: PackagePlan,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const { name } = member;
  const reader = readerFor?.(name) ?? null;
  if (reader !== null) return (await reader(member.read())) === 'whole' ? null : 'damaged';
  if (IS_IMPORTED_PAGE.test(name) || IS_IMPORTED_TEXT.test(name)) return readImported(member, text);
  if (IS_EMBEDDED.test(name)) return embedMember(member, text, context);
  if (IS_METAFILE.test(name)) {
    const { bytes, shortfall } = await holdMember(member);
    const left = await writeEmf(bytes, text, context);
    return shortfall ?? left;
  }
  const handler = IS_RELATIONSHIPS.test(name)
    ? outsideTargets(text)
    : IS_XML.test(name)
      ? (commonHandler(name, text) ?? handlerFor(name))
      : null;
  if (handler === null) return null;
  return (await readMarkup(member.read(), handler, () => text.full)) === 'whole' ? null : 'damaged';
}

function commonHandler(part: string, text: BoundedText): MarkupHandler | null {
  if (part === 'docprops/app.xml') return elementTexts(text, (name) => APP_PROPERTIES.has(name));
  if (PROPERTIES.test(part) || CUSTOM_DATA.test(part)) return elementTexts(text, () => true);
  return null;
}

/** Writes the text of the wanted elements and the names of custom properties, each on a line. */
function elementTexts(text: BoundedText, wanted: (name: string) => boolean): MarkupHandler {
  let inside = '';
  return {
    open(name, tag) {
      inside = name;
      text.separate('\n');
      if (name === 'property') text.line(tag.attribute('name') ?? '');
    },
    text(data) {
      if (!wanted(inside) || data.trim() === '') return;
      text.write(data);
      if (inside === TITLE) text.entitle(data);
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
      if (name === 'Relationship' && tag.attribute('TargetMode') === 'External') {
        text.line(tag.attribute('Target') ?? '');
      }
    },
    text() {},
    close() {},
  };
}

async function readImported(member: ZipMember, text: BoundedText): Promise<Shortfall | null> {
  const { bytes, shortfall } = await holdMember(member);
  // Plain text is read as a page without tags.
  return writeHtml(decodeChunks(bytes, htmlEncoding(bytes).encoding), text) ?? shortfall;
}
