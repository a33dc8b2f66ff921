import { inflatedBlock } from '../archive/inflated-block.ts';
import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { isRightsManaged } from '../office/office-encryption.ts';
import { textOutcome } from '../text-outcome.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts';
import { artRecord, writeDiagrams } from './office-art.ts';
import { embedPictures, writeMetafiles } from './office-art-picture.ts';
import { writeOleFile } from './ole-object.ts';
import { writeProperties } from './ole-properties.ts';
import { decryptPresentation, type PersistDirectory, readPersistDirectory } from './ppt-persist.ts';
import { PresentationText, type StoredObject } from './ppt-text.ts';

const PRESENTATION = 'PowerPoint Document';
const CURRENT_USER = 'Current User';
const PICTURES = 'Pictures';
const WHOLE = Number.POSITIVE_INFINITY;
/** In a file for both PowerPoint 95 and 97, the storage of the 97 version. */
const DUAL_STORAGE = 'PP97_DUALSTORAGE/';

/** [MS-PPT] 2.3.2: a size follows the record header, then the token and the offset of the newest edit. */
const TOKEN_AT = 12;
const EDIT_AT = 16;
const ENCRYPTED = 0xf3d1c4df;

/** The length of the field with the inflated size. */
const SIZE_BYTES = 4;

/** PowerPoint 97 to 2003 ([MS-PPT]). */
export const ppt: Extractor = {
  format: 'ppt',
  version: 3,
  claims: ({ bytes }) => isCompoundFile(bytes) && folderOf(openCompoundFile(bytes)) !== null,
  async extract(file, context) {
    const compound = openCompoundFile(file.bytes);
    const opened = isRightsManaged(compound) ? 'encrypted' : openPresentation(compound);
    if (opened === 'encrypted') return { state: 'unsupported', format: 'ppt', reason: 'encrypted' };
    const text = new BoundedText(context.maxCharacters);
    const { data, directory } = opened;
    const presentation = new PresentationText(data, text);
    let shortfall: Shortfall | null = readAll(data, directory, presentation) ? null : 'damaged';
    const diagrams = await writeDiagrams(presentation.packages, text, context.budget);
    shortfall ??= diagrams;
    const metafiles = await writeMetafiles(streamOf(compound, PICTURES), text, context);
    shortfall ??= metafiles;
    writeProperties(compound, text);
    for (const object of presentation.objects) {
      if (text.full) break;
      const trouble = await writeObject(data, object, text, context);
      shortfall ??= trouble;
    }
    if (text.contentLength < SCANTY_TEXT) {
      const left = await embedPictures([streamOf(compound, PICTURES)], text, context);
      shortfall ??= left;
    }
    return textOutcome('ppt', text, shortfall);
  },
};

/** The path of the storage with the streams. Null if it is not a presentation. */
const folderOf = (compound: CompoundFile): string | null =>
  [DUAL_STORAGE, ''].find((folder) => compound.has(folder + PRESENTATION)) ?? null;

function streamOf(compound: CompoundFile, name: string): Buffer {
  const bytes = compound.stream((folderOf(compound) ?? '') + name, WHOLE) ?? new Uint8Array();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type OpenPresentation = { data: Buffer; directory: PersistDirectory };

function openPresentation(compound: CompoundFile): OpenPresentation | 'encrypted' {
  const data = streamOf(compound, PRESENTATION);
  const user = streamOf(compound, CURRENT_USER);
  const isKnown = user.length >= EDIT_AT + 4;
  const directory = readPersistDirectory(data, isKnown ? user.readUInt32LE(EDIT_AT) : data.length);
  if (directory.session === null && !(isKnown && user.readUInt32LE(TOKEN_AT) === ENCRYPTED))
    return { data, directory };
  const plain = decryptPresentation(data, directory);
  return plain === null ? 'encrypted' : { data: plain, directory };
}

/** Reads current objects first, then leftovers. Returns false if the stream is truncated. */
function readAll(data: Buffer, { offsets }: PersistDirectory, presentation: PresentationText): boolean {
  const live = new Set(offsets.values());
  const isLive = (at: number) => live.size === 0 || live.has(at);
  for (const { at, end } of records(data)) if (isLive(at)) presentation.read(at, end, false);
  let whole = 0;
  for (const { at, end } of records(data)) {
    if (!isLive(at)) presentation.read(at, end, true);
    whole = end;
  }
  return whole === data.length && data.length > 0;
}

function* records(data: Buffer): Generator<{ at: number; end: number }> {
  let at = 0;
  for (
    let record = artRecord(data, at, data.length);
    record !== null;
    record = artRecord(data, at, data.length)
  ) {
    yield { at, end: record.end };
    at = record.end;
  }
}

async function writeObject(
  data: Buffer,
  { start, end, isPacked }: StoredObject,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  if (context.budget.members <= 0) return 'member_bound';
  context.budget.members--;
  const stored = data.subarray(start, end);
  const bytes = isPacked ? inflatedBlock(stored.subarray(SIZE_BYTES), context.budget) : stored;
  if (typeof bytes === 'string') return bytes;
  await writeOleFile(bytes, text, context);
  return null;
}
