import path from 'node:path/posix';
import { openZip, plainName, shortfallOf, type ZipMember } from '../archive/zip.ts';
import { zipKind } from '../archive/zip-kind.ts';
import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import { embedMember, holdMember } from '../embedded.ts';
import type { Extractor } from '../extractor.ts';
import { decodeChunks } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { htmlEncoding, writeHtml } from './html.ts';
import { readMarkup } from './markup.ts';
import type { MarkupHandler } from './xml-reader.ts';

const CONTAINER = 'meta-inf/container.xml';
const ENCRYPTION = 'meta-inf/encryption.xml';
const IS_PAGE = /\.x?html?$/;
const IS_PICTURE = /\.(?:png|jpe?g|gif|webp)$/;
const IS_CONTENTS = /\.ncx$/;
/** The textual metadata of a book, without identifiers and dates. */
const PROPERTIES = new Set(
  'title creator contributor publisher subject description rights source coverage'.split(' '),
);

type Book = {
  /** Member names in reading order. */
  pages: readonly string[];
  writeProperties(): void;
};

/** Electronic books (EPUB 2 and 3): chapters in reading order, table of contents, metadata. */
export const epub: Extractor = {
  format: 'epub',
  version: 4,
  claims: (file) => zipKind(file.bytes) === 'epub',
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const { members, cut, damaged } = await openZip(file.bytes, context.budget);
    const byName = new Map(members.map((member) => [member.name, member]));
    const book = await readBook(byName, text);
    const sealed = await sealedNames(byName);
    if (book.pages.length > 0 && book.pages.every((name) => sealed.has(name))) {
      return { state: 'unsupported', format: 'epub', reason: 'encrypted' };
    }
    let shortfall: Shortfall | null = damaged ? 'damaged' : cut ? 'member_bound' : null;
    for (const name of book.pages) {
      const member = byName.get(name);
      if (text.full) break;
      if (sealed.has(name)) {
        shortfall ??= 'encrypted';
        continue;
      }
      const read = member === undefined ? 'damaged' : await readPage(member, text);
      if (read === 'inflated_bound') return textOutcome('epub', text, read);
      shortfall ??= read;
    }
    const pictures =
      text.contentLength < SCANTY_TEXT ? members.filter(({ name }) => IS_PICTURE.test(name)) : [];
    for (const picture of pictures) {
      if (text.full) break;
      await embedMember(picture, text, context);
    }
    book.writeProperties();
    return textOutcome('epub', text, shortfall);
  },
};

async function readPage(member: ZipMember, text: BoundedText): Promise<Shortfall | null> {
  text.separate('\n');
  if (IS_CONTENTS.test(member.name)) return walk(member, contents(text));
  const { bytes, shortfall } = await holdMember(member);
  return writeHtml(decodeChunks(bytes, htmlEncoding(bytes).encoding), text) ?? shortfall;
}

const walk = async (member: ZipMember | undefined, handler: MarkupHandler): Promise<Shortfall | null> => {
  if (member === undefined) return null;
  const read = await readMarkup(member.read(), handler, () => false).catch(shortfallOf);
  return read === 'whole' ? null : read;
};

/** Labels of the EPUB 2 table of contents. That of EPUB 3 is a page. */
function contents(text: BoundedText): MarkupHandler {
  let inText = false;
  return {
    open(name) {
      inText = name === 'text';
    },
    text(data) {
      if (inText) text.write(data.trim());
    },
    close() {
      inText = false;
      text.separate('\n');
    },
  };
}

/**
 * Reads pages and their order from the package document. Without a valid one, takes every page in order of its name.
 */
async function readBook(byName: ReadonlyMap<string, ZipMember>, text: BoundedText): Promise<Book> {
  const everyPage = [...byName.keys()].filter((name) => IS_PAGE.test(name)).sort();
  const packageName = await packageDocument(byName);
  const hrefs = new Map<string, string>();
  const spine: string[] = [];
  const contentsPages: string[] = [];
  const properties: string[] = [];
  let inside = '';
  const base = path.dirname(packageName);
  const nameOf = (href: string) => plainName(path.join(base, decoded(href.replace(/#.*$/, ''))));
  await walk(byName.get(packageName), {
    open(name, tag) {
      inside = name;
      const id = tag.attribute('id') ?? '';
      if (name === 'item') {
        const member = nameOf(tag.attribute('href') ?? '');
        hrefs.set(id, member);
        const isContents = IS_CONTENTS.test(member) || /\bnav\b/.test(tag.attribute('properties') ?? '');
        if (isContents) contentsPages.push(member);
      }
      if (name === 'itemref') spine.push(tag.attribute('idref') ?? '');
    },
    text(data) {
      if (PROPERTIES.has(inside) && data.trim() !== '') properties.push(data.trim());
    },
    close() {
      inside = '';
    },
  });
  const chapters = spine.flatMap((id) => hrefs.get(id) ?? []);
  return {
    pages: [...new Set(chapters.length > 0 ? [...chapters, ...contentsPages] : everyPage)],
    writeProperties() {
      for (const property of properties) text.besides(property);
    },
  };
}

async function packageDocument(byName: ReadonlyMap<string, ZipMember>): Promise<string> {
  let found = '';
  await walk(byName.get(CONTAINER), {
    open(name, tag) {
      if (name === 'rootfile' && found === '') found = plainName(tag.attribute('full-path') ?? '');
    },
    text() {},
    close() {},
  });
  return byName.has(found) ? found : ([...byName.keys()].find((name) => name.endsWith('.opf')) ?? '');
}

/** Encrypted members. Some publishers only obfuscate fonts, which are listed too. */
async function sealedNames(byName: ReadonlyMap<string, ZipMember>): Promise<ReadonlySet<string>> {
  const sealed = new Set<string>();
  await walk(byName.get(ENCRYPTION), {
    open(name, tag) {
      if (name === 'CipherReference') sealed.add(plainName(decoded(tag.attribute('URI') ?? '')));
    },
    text() {},
    close() {},
  });
  return sealed;
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return href;
  }
}
