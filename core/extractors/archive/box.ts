import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { Damaged } from '../damage.ts';
import type { Extraction, ExtractionBudget, ExtractionContext, Extractor, FileHead } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { type ArchiveEntry, openArchive } from './libarchive.ts';
import { readMember } from './member.ts';
import { charged, shortfallOf } from './zip.ts';

/** Archives that libarchive reads: the path of every file, and its text if its format is read. */
const box = (format: string, magic: string): Extractor => {
  const signature = Buffer.from(magic, 'latin1');
  return {
    format,
    version: 2,
    kind: 'archive',
    claims: ({ bytes }) => signature.equals(bytes.subarray(0, signature.length)),
    extract: (file, context) => readBox(format, file, context),
  };
};

export const sevenZip = box('7z', "7z\xbc\xaf'\x1c");
export const rar = box('rar', 'Rar!\x1a\x07');
export const cab = box('cab', 'MSCF\0\0\0\0');

/** libarchive unpacks the rest of a file on its way to the next one, so that counts too. Returns why it cannot, if so. */
async function skipRest(entry: ArchiveEntry, budget: ExtractionBudget): Promise<Shortfall | null> {
  const rest = charged(entry.read(), budget);
  try {
    while ((await rest.next()).done !== true);
    return null;
  } catch (error) {
    return shortfallOf(error);
  }
}

/** If the list of files or all files are encrypted, the archive is `encrypted`. If some are, it is `partial`. */
async function readBox(format: string, file: FileHead, context: ExtractionContext): Promise<Extraction> {
  const archive = await openArchive(file.bytes);
  const text = new BoundedText(context.maxCharacters);
  let shortfall: Shortfall | null = null;
  let files = 0;
  let sealed = 0;
  for await (const entry of archive.entries()) {
    if (text.full) break;
    if (context.budget.members <= 0) {
      shortfall ??= 'member_bound';
      break;
    }
    context.budget.members--;
    if (!entry.isFile) continue;
    files++;
    if (entry.encrypted) {
      sealed++;
      text.besides(entry.name);
      context.unread('encrypted');
      continue;
    }
    const chunks = charged(entry.read(), context.budget);
    const read = await readMember(
      { name: entry.name, packedBytes: file.bytes.length, chunks },
      text,
      context,
    );
    const skipped = read === 'inflated_bound' ? read : await skipRest(entry, context.budget);
    if (skipped === 'inflated_bound') return textOutcome(format, text, skipped);
    shortfall ??= read;
  }
  if (sealed === files && archive.isSealed()) return { state: 'unsupported', format, reason: 'encrypted' };
  if (files === 0 && archive.isDamaged()) throw new Damaged('no_entry');
  return textOutcome(format, text, archive.isDamaged() ? 'damaged' : shortfall);
}
