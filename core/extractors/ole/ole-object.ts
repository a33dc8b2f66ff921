import type { BoundedText } from '../bounded-text.ts';
import type { ExtractionContext } from '../extractor.ts';
import { type CompoundFile, openCompoundFile } from './compound-file.ts';
import { storageAsFile } from './compound-file-part.ts';
import { writeOleObject } from './embedded-ole.ts';

/** Streams of the documents that are stored as they are; other objects (formulas, controls) have no text to read. */
const DOCUMENTS = ['WordDocument', 'Workbook', 'Book', 'PowerPoint Document', '__properties_version1.0'];

/**
 * Appends the files of the OLE objects that are storages of this compound file, such as those of Word's `ObjectPool`:
 * packed files, and documents. `isObject` tells the storages by their path. True when one was left out for the bounds.
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

/** The same of an object that is a compound file of its own. */
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
