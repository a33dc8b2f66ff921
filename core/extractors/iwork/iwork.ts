import { createGunzip } from 'node:zlib';
import { charged, openZip, shortfallOf, type ZipMember } from '../archive/zip.ts';
import { zipKind } from '../archive/zip-kind.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { embedMember, fileName, holdMember } from '../embedded.ts';
import type { Extraction, ExtractionContext, Extractor, FileHead } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import { textOutcome } from '../text-outcome.ts';
import { type IwaObject, readIwa } from './iwa.ts';
import { writeIwaText } from './iwork-text.ts';
import { iworkXml } from './iwork-xml.ts';

const FORMAT = 'iwork';

/** The whole document as XML, up to iWork '09. The first version of Keynote uses another name. */
const XML_INDEX = /(?:^|\/)(?:index\.(?:xml|apxl)|presentation\.apxl)(?:\.gz)?$/;
/** Since 2013 a document consists of many files, possibly in an archive within the archive. */
const INDEX_ARCHIVE = /(?:^|\/)index\.zip$/;
const INDEX_FILE = /\.iwa$/;
/** Files without visible text: undo history, styles, view state. */
const WORDLESS_FILE = /(?:^|\/)(?:viewstate|documentstylesheet|themestylesheet|operationstorage)[^/]*\.iwa$/;
/** The password verifier and the password hint. */
const PASSWORD = /(?:^|\/)\.iwp(?:v\d|h)$/;
/** The first one that exists is used: all pages, or a picture of the first page. */
const PREVIEWS = [
  /(?:^|\/)quicklook\/preview\.pdf$/,
  /(?:^|\/)preview\.pdf$/,
  /(?:^|\/)preview\.(?:jpg|png)$/,
];
/** Documents placed on a page. Those of a theme are ignored. */
const PLACED = /^(?!(?:.*\/)?(?:quicklook|theme-files)\/).*\.pdf$/;

/** The most objects held in memory to follow references. */
const MAX_OBJECTS = 500_000;

/** Pages, Numbers and Keynote, all versions: text, tables, slides with notes, comments, properties. */
export const iwork: Extractor = {
  format: FORMAT,
  version: 2,
  claims: (file) => zipKind(file.bytes) === FORMAT,
  extract: readDocument,
};

async function readDocument(file: FileHead, context: ExtractionContext): Promise<Extraction> {
  const { members, cut, damaged } = await openZip(file.bytes, context.budget);
  if (members.some(({ name, encrypted }) => encrypted || PASSWORD.test(name))) {
    return { state: 'unsupported', format: FORMAT, reason: 'encrypted' };
  }
  const text = new BoundedText(context.maxCharacters);
  let shortfall: Shortfall | null = damaged ? 'damaged' : cut ? 'member_bound' : null;
  const index = await readIndex(members, text, context, shortfall !== null).catch(shortfallOf);
  if (index === 'inflated_bound') return textOutcome(FORMAT, text, index);
  shortfall ??= index;
  // If only the preview has text, the index was not understood.
  if (text.length === 0 && (await writePreview(members, text, context))) shortfall ??= 'damaged';
  for (const member of members.filter(({ name }) => PLACED.test(name) && !isPreview(name))) {
    if (text.full) break;
    const read = await embedMember(member, text, context);
    shortfall ??= read;
  }
  return textOutcome(FORMAT, text, shortfall);
}

const isPreview = (name: string) => PREVIEWS.some((pattern) => pattern.test(name));

async function readIndex(
  members: readonly ZipMember[],
  text: BoundedText,
  context: ExtractionContext,
  lost: boolean,
): Promise<Shortfall | null> {
  const files = members.filter(({ name }) => INDEX_FILE.test(name));
  if (files.length > 0) return readIwas(files, text, context, lost);
  const archive = members.find(({ name }) => INDEX_ARCHIVE.test(name));
  if (archive !== undefined) return readIndexArchive(archive, text, context);
  const xml = members.find(({ name }) => XML_INDEX.test(name));
  return xml === undefined ? 'damaged' : readXml(xml, text, context);
}

async function readIndexArchive(
  archive: ZipMember,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const { bytes, shortfall } = await holdMember(archive);
  const { members, cut, damaged } = await openZip(bytes, context.budget);
  const missing = shortfall ?? (damaged ? 'damaged' : cut ? 'member_bound' : null);
  const files = members.filter(({ name }) => INDEX_FILE.test(name));
  const read = files.length === 0 ? 'damaged' : await readIwas(files, text, context, missing !== null);
  return missing ?? read;
}

async function readIwas(
  files: readonly ZipMember[],
  text: BoundedText,
  { budget }: ExtractionContext,
  lost: boolean,
): Promise<Shortfall | null> {
  const objects = new Map<number, IwaObject>();
  let shortfall: Shortfall | null = null;
  for (const file of files) {
    if (WORDLESS_FILE.test(file.name)) continue;
    const { bytes, shortfall: cut } = await holdMember(file);
    const broken = await readIwa(bytes, budget, (object) => {
      if (objects.size < MAX_OBJECTS && !objects.has(object.id)) objects.set(object.id, object);
    });
    shortfall ??= cut ?? broken;
    if (shortfall === 'inflated_bound') break;
  }
  if (objects.size >= MAX_OBJECTS) shortfall ??= 'member_bound';
  const whole = writeIwaText(objects, text, lost || shortfall !== null);
  return shortfall ?? (whole ? null : 'damaged');
}

async function readXml(
  index: ZipMember,
  text: BoundedText,
  { budget }: ExtractionContext,
): Promise<Shortfall | null> {
  let chunks: AsyncIterable<Uint8Array> = index.read();
  if (index.name.endsWith('.gz')) {
    const { bytes } = await holdMember(index);
    const gunzip = createGunzip();
    gunzip.end(bytes);
    chunks = charged(gunzip, budget);
  }
  return (await readMarkup(chunks, iworkXml(text), () => text.full)) === 'whole' ? null : 'damaged';
}

/** Returns whether there was a preview to read. */
async function writePreview(
  members: readonly ZipMember[],
  text: BoundedText,
  context: ExtractionContext,
): Promise<boolean> {
  const member = PREVIEWS.map((pattern) => members.find(({ name }) => pattern.test(name))).find(
    (found) => found !== undefined,
  );
  if (member === undefined) return false;
  const preview = new BoundedText(text.room);
  await embedMember(member, preview, context);
  if (preview.length <= fileName(member.name).length) return false;
  text.line(preview.toString());
  return true;
}
