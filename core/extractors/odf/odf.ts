import { openZip, shortfallOf, slices, type ZipMember } from '../archive/zip.ts';
import { zipKind } from '../archive/zip-kind.ts';
import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import { embedMember, holdMember } from '../embedded.ts';
import type { Extraction, ExtractionContext, Extractor, FileHead } from '../extractor.ts';
import { writeEmf } from '../image/emf.ts';
import { readMarkup } from '../markup/markup.ts';
import { decodeHead, sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { odfText } from './odf-text.ts';

const MANIFEST = 'meta-inf/manifest.xml';

/** Parts in reading order: the document, headers and footers, objects, macros, properties. */
const ORDER = [
  /^content\.xml$/,
  /^styles\.xml$/,
  /(?:^|\/)content\.xml$/,
  /^basic\/(?!.*script-l[bc]\.xml$).*\.xml$/,
  /^meta\.xml$/,
];
/** Objects of other applications are files without an extension. Embedded documents are folders. */
const OBJECT =
  /^(?!meta-inf\/|thumbnails\/|objectreplacements\/|configurations\d?\/|pictures\/)(?:[^/]+\/)*(?:object|ole|embedded)[^/.]*$/;

const PROPERTIES = 'meta.xml';
const PICTURE = /^(?:[^/]+\/)?pictures\/[^/]+\.(?:png|jpe?g|gif|bmp|tiff?|webp|jp2)$/;
/** Vector pictures, which can contain text. */
const METAFILE = /^(?:[^/]+\/)?pictures\/[^/]+\.emf$/;

async function extractPackage(
  format: string,
  file: FileHead,
  context: ExtractionContext,
): Promise<Extraction> {
  const text = new BoundedText(context.maxCharacters);
  const zip = await openZip(file.bytes, context.budget);
  if (await isEncrypted(zip.members)) return { state: 'unsupported', format, reason: 'encrypted' };
  const parts = ORDER.map((pattern) => zip.members.filter(({ name }) => pattern.test(name)));
  const files = [METAFILE, OBJECT].flatMap((pattern) => zip.members.filter(({ name }) => pattern.test(name)));
  const members = [...new Set(parts.flat()), ...files];
  let shortfall: Shortfall | null = zip.damaged ? 'damaged' : zip.cut ? 'member_bound' : null;
  for (const member of members) {
    if (text.full) break;
    text.separate('\n');
    const before = text.contentLength;
    const read = await readPart(member, text, context).catch(shortfallOf);
    if (read === 'inflated_bound') return textOutcome(format, text, read);
    shortfall ??= read;
    if (member.name === PROPERTIES) text.discountTo(before);
  }
  const pictures =
    text.contentLength < SCANTY_TEXT ? zip.members.filter(({ name }) => PICTURE.test(name)) : [];
  for (const picture of pictures) {
    if (text.full) break;
    const read = await readPart(picture, text, context);
    if (read === 'inflated_bound') return textOutcome(format, text, read);
  }
  return textOutcome(format, text, shortfall);
}

async function readPart(
  member: ZipMember,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  if (member.name.endsWith('.xml')) {
    const read = await readMarkup(member.read(), odfText(text), () => text.full);
    return read === 'whole' ? null : 'damaged';
  }
  if (!METAFILE.test(member.name)) return embedMember(member, text, context);
  const { bytes, shortfall } = await holdMember(member);
  const left = await writeEmf(bytes, text, context);
  return shortfall ?? left;
}

/** Reads the manifest, because the archive itself is not encrypted. Each part is, and the manifest says so. */
async function isEncrypted(members: readonly ZipMember[]): Promise<boolean> {
  if (members.some((member) => member.encrypted)) return true;
  const manifest = members.find(({ name }) => name === MANIFEST);
  if (manifest === undefined) return false;
  let found = false;
  const open = (name: string) => {
    found ||= name === 'encryption-data';
  };
  const walk = { open, text() {}, close() {} };
  // A broken list names no cipher.
  await readMarkup(manifest.read(), walk, () => found).catch(shortfallOf);
  return found;
}

const odfPackage = (format: 'odt' | 'ods' | 'odp' | 'odf'): Extractor => ({
  format,
  version: 3,
  claims: (file) => zipKind(file.bytes) === format,
  extract: (file, context) => extractPackage(format, file, context),
});

/** OpenDocument texts, spreadsheets, presentations and their templates. `odf` covers drawings, charts and formulas. */
export const odt = odfPackage('odt');
export const ods = odfPackage('ods');
export const odp = odfPackage('odp');
export const odf = odfPackage('odf');

const HEAD_BYTES = 4_096;
const ROOT = /<(?:\?xml[^>]{0,200}>\s{0,100}<)?office:document\s/;

/** OpenDocument in a single XML file: `.fodt`, `.fods`, `.fodp`. */
export const flatOdf: Extractor = {
  format: 'fodf',
  version: 3,
  claims(file) {
    const encoding = sniffEncoding(file.bytes);
    return encoding !== null && ROOT.test(decodeHead(file.bytes, encoding, HEAD_BYTES));
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const read = await readMarkup(slices(file.bytes), odfText(text), () => text.full);
    return textOutcome('fodf', text, read === 'whole' ? null : 'damaged');
  },
};
