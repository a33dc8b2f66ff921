import { createHash } from 'node:crypto';
import type { BoundedText } from './bounded-text.ts';
import { isDamage, isMemoryBound } from './damage.ts';
import type {
  Extraction,
  ExtractionBounds,
  ExtractionBudget,
  ExtractionContext,
  Extractor,
  FileHead,
} from './extractor.ts';
import { EXTRACTORS } from './index.ts';
import type { Ocr } from './ocr/ocr.ts';
import { storable } from './storable.ts';
import { reasonOf, UnreadParts } from './unread-parts.ts';

/** How many hashes of embedded files are kept. */
const MAX_CONTAINED = 100;

/** Returns the extractor that claims the file, or null. */
export const extractorFor = (file: FileHead): Extractor | null =>
  EXTRACTORS.find((candidate) => candidate.claims(file)) ?? null;

/** State that a file shares with all files inside it. */
type Tree = {
  budget: ExtractionBudget;
  ocr: Ocr | null;
  maxDepth: number;
  contains: string[];
};

/** The place of a file in the tree: its depth, and whether its parent is a wrapper. */
type Place = { depth: number; isWrapped: boolean };

/**
 * Extracts the text of a file and of the files inside it, or the reason why there is none.
 * Time and memory are not bounded here; `createExtractionPool` bounds them.
 * @param ocr reads pictures. Without it they are unsupported.
 * @throws if the service has a bug. Damage to the file, or to files inside it, is an outcome.
 */
export async function extract(
  file: FileHead,
  bounds: ExtractionBounds,
  ocr: Ocr | null = null,
): Promise<Extraction> {
  const tree: Tree = {
    budget: { members: bounds.maxMembers, inflatedBytes: bounds.maxInflatedBytes },
    ocr,
    maxDepth: bounds.maxDepth,
    contains: [],
  };
  const outcome = storable(await extractAt(file, tree, { depth: 0, isWrapped: false }, bounds.maxCharacters));
  return !('text' in outcome) || tree.contains.length === 0
    ? outcome
    : { ...outcome, contains: tree.contains };
}

async function extractAt(
  file: FileHead,
  tree: Tree,
  place: Place,
  maxCharacters: number,
): Promise<Extraction> {
  const extractor = extractorFor(file);
  if (extractor === null) return { state: 'unsupported', format: 'unknown', reason: 'unknown_format' };
  if (isTooDeep(extractor, tree, place)) {
    return { state: 'failed', format: extractor.format, reason: 'size_bound' };
  }
  const inside = placeInside(extractor, place);
  const unread = new UnreadParts();
  const context: ExtractionContext = {
    maxCharacters,
    budget: tree.budget,
    ocr: tree.ocr,
    async embedded(child, text) {
      text.besides(child.name);
      if (text.full) return;
      if (child.bytes.length === 0) {
        if (child.shortfall) unread.note(reasonOf(child.shortfall));
        return;
      }
      if (tree.contains.length < MAX_CONTAINED) {
        tree.contains.push(createHash('sha256').update(child.bytes).digest('hex'));
      }
      // One character more than there is room for, so that truncated text also truncates the text around it.
      const outcome = await extractAt(child, tree, inside, text.room + 1);
      appendText(outcome, child.name, text);
      unread.noteFile(outcome, child);
    },
    async unreadFile(beginning, text) {
      text.besides(beginning.name);
      unread.noteFile(await extractAt(beginning, tree, inside, 0), beginning);
    },
    unread: (reason, parts) => unread.note(reason, parts),
  };
  try {
    return unread.applyTo(await extractor.extract(file, context), extractor);
  } catch (error) {
    if (isMemoryBound(error)) return { state: 'failed', format: extractor.format, reason: 'memory_bound' };
    if (!isDamage(error)) throw error;
    return { state: 'failed', format: extractor.format, reason: 'corrupt' };
  }
}

const isTooDeep = ({ kind }: Extractor, { maxDepth }: Tree, { depth }: Place) =>
  kind !== 'unread' && depth > maxDepth;

/** A wrapper does not count as a level, unless it wraps another wrapper, which no writer produces. */
function placeInside({ kind }: Extractor, { depth, isWrapped }: Place): Place {
  const isFree = kind === 'wrapper' && !isWrapped;
  return { depth: isFree ? depth : depth + 1, isWrapped: kind === 'wrapper' };
}

function appendText(outcome: Extraction, name: string, text: BoundedText): void {
  if (!('text' in outcome)) return;
  const before = text.contentLength;
  text.file(name, outcome.text, outcome.inside ?? []);
  if (outcome.state === 'unsupported') text.discountTo(before);
}
