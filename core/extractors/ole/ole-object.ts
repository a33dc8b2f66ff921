import type { BoundedText } from '../bounded-text.ts';
import type { ExtractionContext } from '../extractor.ts';
import { type CompoundFile, openCompoundFile } from './compound-file.ts';
import { storageAsFile } from './compound-file-part.ts';
import { writeOleObject } from './embedded-ole.ts';

/** Streams of documents that are stored directly. Other objects, such as formulas and controls, have no text. */
const DOCUMENTS = ['WordDocument', 'Workbook', 'Book', 'PowerPoint Document', '__properties_version1.0'];

/**
 * Appends the files in OLE objects that are storages of this compound file, such as those in Word's `ObjectPool`:
 * packages and documents.
 * @param isObject whether the storage with this path is an object
 * @returns true if one was left out because of the bounds
 */
export async function writeOleObjects(
  file: CompoundFile,
  isObject: (path: string) => boolean,
  text: BoundedText,
  context: ExtractionContext,
): Promise<boolean> {
  for (const { path, kind } of file.entries()) {
    if (kind !== 'storage' || !isObject(path)) continue;
    if (text.full || context.budget.members <= 0) return true;
    context.budget.members--;
    const found = await writeOleObject(file, `${path}/`, text, context);
    if (found || !DOCUMENTS.some((name) => file.has(`${path}/${name}`))) continue;
    const bytes = storageAsFile(file, path, context.budget.inflatedBytes);
    if (bytes === null) return true;
    context.budget.inflatedBytes -= bytes.length;
    await context.embedded({ name: '', mimeType: null, bytes }, text);
  }
  return false;
}

/** Like `writeOleObjects`, for an object that is a compound file of its own. */
export async function writeOleFile(
  bytes: Uint8Array,
  text: BoundedText,
  context: ExtractionContext,
): Promise<void> {
  const file = openCompoundFile(bytes);
  const found = await writeOleObject(file, '', text, context);
  if (!found && DOCUMENTS.some((name) => file.has(name))) {
    await context.embedded({ name: '', mimeType: null, bytes }, text);
  }
}
