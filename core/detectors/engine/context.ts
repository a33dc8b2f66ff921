import { codeUnits } from './code-units.ts';
import { type Cell, type Table, type TableReader, tableReader } from './columns.ts';
import { findPhrases, type Lexicon } from './lexicon.ts';

/** How far a context word may be from a hit, in characters. */
const REACH = 60;
/** The text is searched for words in blocks of this many characters, on demand. */
const BLOCK = 128;

/** After some questions about places in a region of this size, the whole region is searched once. */
const REGION = 64 * BLOCK;
const FEW_QUESTIONS = 60;
/** Blocks after a region that can hold the context words of a long match. */
const BLOCKS_BEHIND = 16;

/** The name of a column or what else is said of it. */
export type Speaker = 'name' | 'remark';

/** Detectors are identified by their index in the list. */
export type ContextReader = {
  /** What says of a column what its values are, or null. */
  readonly saidBy: (cell: Cell, detector: number) => Speaker | null;
  /** Whether a context word of the detector is around [start, end). */
  readonly isAround: (detector: number, start: number, end: number) => boolean;
  /**
   * False only if no match of at most 1,500 characters that starts here has a context word. Cheap for repeated calls.
   */
  readonly mayBeAround: (detector: number, start: number) => boolean;
};

/**
 * Finds the context words around a hit, within 60 characters on either side. In a table, it reads the header of the
 * column, and of the words within reach only those in the same row, because other rows are about other things.
 */
export function contextReader(
  text: string,
  lexicon: Lexicon,
  codes = codeUnits(text),
  tables: TableReader = tableReader(text, codes),
): ContextReader {
  const blocks: (readonly number[] | undefined)[] = [];
  const phrasesIn = (block: number): readonly number[] => {
    let phrases = blocks[block];
    if (phrases === undefined) {
      phrases = findPhrases(text, codes, block * BLOCK, Math.min(text.length, (block + 1) * BLOCK), lexicon);
      blocks[block] = phrases;
    }
    return phrases;
  };

  const phrasesOf = (said: string) => findPhrases(said, codeUnits(said), 0, said.length, lexicon);
  const speak = (phrases: readonly number[] = [], detector: number): boolean => {
    for (let i = 2; i < phrases.length; i += 3) {
      if (lexicon.speaksOf(phrases[i] ?? 0, detector)) return true;
    }
    return false;
  };
  let table: Table | null = null;
  let names: (readonly number[])[] = [];
  let remarks: (readonly number[])[] = [];
  const saidBy = (cell: Cell, detector: number): Speaker | null => {
    if (table !== cell.table) {
      table = cell.table;
      names = table.header.map(phrasesOf);
      remarks = table.remarks.map(phrasesOf);
    }
    if (speak(names[cell.column], detector)) return 'name';
    return speak(remarks[cell.column], detector) ? 'remark' : null;
  };
  /** Whether a context word of the detector is in [from, to) and outside of [start, end). */
  const isSpokenIn = (detector: number, from: number, to: number, start: number, end: number): boolean => {
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) {
      const phrases = phrasesIn(block);
      for (let i = 0; i < phrases.length; i += 3) {
        const phraseStart = phrases[i] ?? 0;
        const phraseEnd = phrases[i + 1] ?? 0;
        const isOutside = phraseEnd <= start || phraseStart >= end;
        if (!isOutside || phraseStart < from || phraseEnd > to) continue;
        if (lexicon.speaksOf(phrases[i + 2] ?? 0, detector)) return true;
      }
    }
    return false;
  };

  const questions: (number | undefined)[] = [];
  const regions: (Uint8Array | undefined)[] = [];
  const spokenOfIn = (region: number): Uint8Array => {
    const spokenOf = new Uint8Array(lexicon.detectors);
    const first = (region * REGION) / BLOCK;
    const end = Math.min(Math.ceil(text.length / BLOCK), first + REGION / BLOCK + BLOCKS_BEHIND);
    for (let block = Math.max(0, first - 1); block < end; block++) {
      const phrases = phrasesIn(block);
      for (let i = 2; i < phrases.length; i += 3) {
        for (const detector of lexicon.detectorsOf[phrases[i] ?? 0] ?? []) spokenOf[detector] = 1;
      }
    }
    return spokenOf;
  };

  const mayBeAround = (detector: number, start: number): boolean => {
    const region = Math.floor(start / REGION);
    const asked = questions[region] ?? 0;
    if (asked < FEW_QUESTIONS) {
      questions[region] = asked + 1;
      return true;
    }
    const cell = tables.cellAt(start);
    if (cell !== null) {
      const from = Math.max(cell.lineStart, start - REACH);
      return saidBy(cell, detector) !== null || isSpokenIn(detector, from, cell.lineEnd, start, start);
    }
    let spokenOf = regions[region];
    if (spokenOf === undefined) {
      spokenOf = spokenOfIn(region);
      regions[region] = spokenOf;
    }
    return spokenOf[detector] === 1;
  };

  const isAround = (detector: number, start: number, end: number): boolean => {
    const cell = tables.cellAt(start);
    if (cell !== null && saidBy(cell, detector) !== null) return true;
    const from = Math.max(cell?.lineStart ?? 0, start - REACH);
    const to = Math.min(cell?.lineEnd ?? text.length, end + REACH);
    return isSpokenIn(detector, from, to, start, end);
  };
  return { saidBy, isAround, mayBeAround };
}
