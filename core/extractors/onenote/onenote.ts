import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { Extraction, ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { PackageStore } from './onenote-package.ts';
import { RevisionStore } from './onenote-revisions.ts';
import { guidBytes, NoteFile, type NoteStore } from './onenote-store.ts';
import { type NoteAttachment, NoteText } from './onenote-text.ts';

/** A section, or the table of contents of a notebook. */
const KINDS = [
  guidBytes('7B5C52E4-D88C-4DA7-AEB1-5378D02996D3'),
  guidBytes('43FF2FA1-EFD9-4C76-9EE2-10EA5722765F'),
];
/** The storage format: on disk, or as a package. */
const REVISIONS = guidBytes('109ADD3F-911B-49F5-A5D0-1791EDC8AED8');
const PACKAGE = guidBytes('638DE92F-A6D4-4BC1-9A36-B3FC2511A5B7');
const FORMAT_AT = 48;
/** The header sizes of a revision store and of a package. */
const HEADER_BYTES = 1_024;
const PACKAGE_HEADER_BYTES = 68;

const FORMAT = 'onenote';

/** OneNote notes ([MS-ONE] in [MS-ONESTORE]): titles, paragraphs, tables, files and pictures of a section's pages. */
export const onenote: Extractor = {
  format: FORMAT,
  version: 2,
  claims: ({ bytes }) => KINDS.some((kind) => kind.equals(bytes.subarray(0, kind.length))),
  async extract({ bytes }, context) {
    const file = new NoteFile(bytes);
    const format = file.data.subarray(FORMAT_AT, FORMAT_AT + 16);
    if (PACKAGE.equals(format) && bytes.length > PACKAGE_HEADER_BYTES) {
      return readNotes(file, new PackageStore(file), context);
    }
    if (REVISIONS.equals(format) && bytes.length >= HEADER_BYTES) {
      return readNotes(file, new RevisionStore(file), context);
    }
    return bytes.length < HEADER_BYTES
      ? { state: 'failed', format: FORMAT, reason: 'corrupt' }
      : { state: 'unsupported', format: FORMAT, reason: 'unknown_format' };
  },
};

async function readNotes(file: NoteFile, store: NoteStore, context: ExtractionContext): Promise<Extraction> {
  const text = new BoundedText(context.maxCharacters);
  const notes = new NoteText(file, store, text);
  let shortfall = await appendAll(notes.pages(), text, context);
  if (file.damaged) shortfall ??= await appendAll(notes.leftovers(), text, context);
  notes.finish();
  if (notes.isCut) shortfall ??= 'member_bound';
  if (notes.isEncrypted && text.length === 0) {
    return { state: 'unsupported', format: FORMAT, reason: 'encrypted' };
  }
  if (notes.isEncrypted) shortfall ??= 'encrypted';
  return textOutcome(FORMAT, text, shortfall ?? (file.damaged ? 'damaged' : null));
}

/** Appends the attached files while there is room. Returns why some were left out. */
async function appendAll(
  found: Iterable<NoteAttachment>,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  for (const { name, bytes } of found) {
    if (text.full) return null;
    if (context.budget.members <= 0 || context.budget.inflatedBytes <= 0) return 'member_bound';
    context.budget.members--;
    context.budget.inflatedBytes -= bytes.length;
    await context.embedded({ name, mimeType: null, bytes }, text);
  }
  return null;
}
