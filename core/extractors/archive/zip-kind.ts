import { plainName } from './zip.ts';

/** The kind of file that a zip archive is, determined from member names without inflating anything. */
export type ZipKind =
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'xlsb'
  | 'visio'
  | 'ooxml'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'odf'
  | 'epub'
  | 'iwork'
  | 'jar'
  | 'zip';

const LOCAL = Buffer.from('PK\x03\x04');
const CENTRAL = Buffer.from('PK\x01\x02');
const END = Buffer.from('PK\x05\x06');
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;

/** The names that are read. Names that identify the kind come early, and `claims` must be cheap. */
const MAX_NAMES = 2_000;

const isAt = (data: Buffer, at: number, magic: Buffer) => magic.equals(data.subarray(at, at + magic.length));

/** ODF and EPUB store their media type uncompressed as the first member, so it can be read in place. */
const MEDIA_TYPES: readonly [string, ZipKind][] = [
  ['mimetypeapplication/vnd.oasis.opendocument.text', 'odt'],
  ['mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['mimetypeapplication/vnd.oasis.opendocument.presentation', 'odp'],
  ['mimetypeapplication/epub+zip', 'epub'],
];

/** Ordered by how well they identify a kind. The folder of a format means nothing outside an OOXML package. */
const PACKAGE_NAMES: readonly [RegExp, ZipKind][] = [
  [/^xl\/workbook\.bin$/, 'xlsb'],
  [/^xl\//, 'xlsx'],
  [/^word\//, 'docx'],
  [/^ppt\//, 'pptx'],
  [/^visio\//, 'visio'],
  [/^/, 'ooxml'],
];

const OTHER_NAMES: readonly [RegExp, ZipKind][] = [
  [/^meta-inf\/container\.xml$/, 'epub'],
  [/^meta-inf\/manifest\.xml$/, 'odf'],
  [/^meta-inf\/manifest\.mf$/, 'jar'],
  [/^/, 'zip'],
];

/** Any of these names is enough. */
const IWORK = /^(?:index\/.+\.iwa|(?:index|presentation)\.apxl(?:\.gz)?|\.iwp(?:v\d|h))$/;
/** One of these names alone is common. One of each identifies a document. */
const IWORK_INDEX = /^index\.(?:xml(?:\.gz)?|zip)$/;
const BESIDE_INDEX = /^(?:quicklook\/|contents\/pkginfo$|(?:metadata\/)?buildversionhistory\.plist$)/;
/** Entries that the macOS Finder adds when it archives a folder. */
const ADDED = /^__macosx\//;

/** Some iWork documents are folders, which are archived when they are sent. */
function isIwork(names: readonly string[]): boolean {
  const own = names.filter((name) => !ADDED.test(name));
  const folder = /^[^/]+\//.exec(own[0] ?? '')?.[0] ?? '';
  const isFolder = own.every((name) => name.startsWith(folder));
  const inside = isFolder ? own.map((name) => name.slice(folder.length)) : own;
  const has = (pattern: RegExp) =>
    own.some((name) => pattern.test(name)) || inside.some((name) => pattern.test(name));
  return has(IWORK) || (has(IWORK_INDEX) && has(BESIDE_INDEX));
}

/** Returns null if the bytes are not a zip archive. */
export function zipKind(bytes: Uint8Array): ZipKind | null {
  let kind = known.get(bytes);
  if (kind === undefined) {
    kind = readKind(bytes);
    known.set(bytes, kind);
  }
  return kind;
}

/** Cached, because every reader of a kind of package asks. */
const known = new WeakMap<Uint8Array, ZipKind | null>();

function readKind(bytes: Uint8Array): ZipKind | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isAt(data, 0, LOCAL) && !isAt(data, 0, END)) return null;
  const declared = data.toString('latin1', LOCAL_BYTES, LOCAL_BYTES + 100);
  const media = MEDIA_TYPES.find(([type]) => declared.startsWith(type));
  if (media !== undefined) return media[1];
  const names = memberNames(data);
  const isPackage = names.some((name) => name === '[content_types].xml' || name === '_rels/.rels');
  if (!isPackage && isIwork(names)) return 'iwork';
  const matching = (isPackage ? PACKAGE_NAMES : OTHER_NAMES).find(([pattern]) =>
    names.some((name) => pattern.test(name)),
  );
  return matching?.[1] ?? 'zip';
}

/** Reads names from the central directory, or if it is lost, from the local headers. */
function memberNames(data: Buffer): string[] {
  const directory = directoryOffset(data);
  const listed = directory === null ? [] : directoryNames(data, directory);
  return (listed.length > 0 ? listed : headerNames(data)).map(plainName);
}

function directoryOffset(data: Buffer): number | null {
  if (data.length < END_BYTES) return null;
  const lowest = Math.max(0, data.length - END_BYTES - MAX_COMMENT_BYTES);
  const at = data.lastIndexOf(END, data.length - END_BYTES);
  return at < lowest ? null : data.readUInt32LE(at + 16);
}

function directoryNames(data: Buffer, directory: number): string[] {
  const names: string[] = [];
  let at = directory;
  while (names.length < MAX_NAMES && at + CENTRAL_BYTES <= data.length && isAt(data, at, CENTRAL)) {
    const nameBytes = data.readUInt16LE(at + 28);
    names.push(data.toString('latin1', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes));
    at += CENTRAL_BYTES + nameBytes + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return names;
}

/** Searches from signature to signature, because a header may omit the size of its member. */
function headerNames(data: Buffer): string[] {
  const names: string[] = [];
  let at = 0;
  while (names.length < MAX_NAMES && at >= 0 && at + LOCAL_BYTES <= data.length) {
    const nameBytes = data.readUInt16LE(at + 26);
    names.push(data.toString('latin1', at + LOCAL_BYTES, at + LOCAL_BYTES + nameBytes));
    at = data.indexOf(LOCAL, at + LOCAL_BYTES);
  }
  return names;
}
