import { createHash } from 'node:crypto';
import type { BoundedText } from './bounded-text.ts';
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
  /** Whether an embedded file met a bound or was nested too deep. */
  cut: boolean;
};

/** How deep archives are read: an archive in an archive, but no deeper. */
const MAX_ARCHIVES = 2;

/** The place of a file in the tree: its depth, how many archives contain it, and whether its parent is a wrapper. */
type Place = { depth: number; archives: number; isWrapped: boolean };

/**
 * Extracts the text of a file and of the files inside it, or the reason why there is none.
 * Never rejects. An exception of an extractor becomes `failed`/`corrupt`. Time and memory are not bounded here;
 * `createExtractionPool` bounds them.
 * @param ocr reads pictures. Without it they are unsupported.
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
    cut: false,
  };
  const outcome = await extractAt(
    file,
    tree,
    { depth: 0, archives: 0, isWrapped: false },
    bounds.maxCharacters,
  );
  if (outcome.state !== 'available' && outcome.state !== 'partial') return outcome;
  const whole: Extraction =
    tree.cut && outcome.state === 'available'
      ? { ...outcome, state: 'partial', reason: 'member_bound' }
      : outcome;
  return tree.contains.length === 0 ? whole : { ...whole, contains: tree.contains };
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
  const context: ExtractionContext = {
    maxCharacters,
    budget: tree.budget,
    ocr: tree.ocr,
    embedded: (child, text) => appendEmbedded(child, text, tree, inside),
  };
  try {
    return await extractor.extract(file, context);
  } catch {
    return { state: 'failed', format: extractor.format, reason: 'corrupt' };
  }
}

const isTooDeep = ({ kind }: Extractor, { maxDepth }: Tree, { depth, archives }: Place) =>
  kind !== 'unread' && (depth > maxDepth || (kind === 'archive' && archives >= MAX_ARCHIVES));

/** A wrapper does not count as a level, unless it wraps another wrapper, which no writer produces. */
function placeInside({ kind }: Extractor, { depth, archives, isWrapped }: Place): Place {
  const isFree = kind === 'wrapper' && !isWrapped;
  return {
    depth: isFree ? depth : depth + 1,
    archives: kind === 'archive' ? archives + 1 : archives,
    isWrapped: kind === 'wrapper',
  };
}

async function appendEmbedded(file: FileHead, text: BoundedText, tree: Tree, place: Place): Promise<void> {
  text.line(file.name);
  if (text.full || file.bytes.length === 0) return;
  if (tree.contains.length < MAX_CONTAINED) {
    tree.contains.push(createHash('sha256').update(file.bytes).digest('hex'));
  }
  // One character more than there is room for, so that truncated text also truncates the text around it.
  const outcome = await extractAt(file, tree, place, text.room + 1);
  if ('text' in outcome) text.line(outcome.text);
  if (isBound(outcome.reason)) tree.cut = true;
}

const isBound = (reason: Extraction['reason']) =>
  reason === 'member_bound' ||
  reason === 'size_bound' ||
  reason === 'time_bound' ||
  reason === 'memory_bound';
