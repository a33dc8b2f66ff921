/** A region with a lower average confidence (0 to 100) is a part of a picture, not text. */
const LEAST_CONFIDENCE = 50;
/**
 * Total confidence above the minimum, over all characters, that no upside-down picture reaches. Five characters at 90
 * have it.
 */
const SURE_BELIEF = 200;
/**
 * Fewer letters per word, on average, mean that the lines are vertical. Upside-down text has as many as upright text.
 */
const LEAST_LETTERS = 3;
/** From this many recognised characters on, a part of the picture is enough to determine its orientation. */
const DENSE_CHARACTERS = 150;
/** Columns and values of Tesseract's table. */
const PAGE = '1';
const WORD = '5';
const BLOCK = 2;
const LINE = [2, 3, 4] as const;
const WIDTH = 8;
const HEIGHT = 9;
const CONFIDENCE = 10;
const TEXT = 11;

type Region = { lines: Map<string, string[]>; belief: number; characters: number; words: number };

export type OcrWords = {
  /** The recognised lines, without regions of low confidence. */
  text: string;
  /** Whether the picture is upright: most of it was recognised as words. */
  isSure: boolean;
  /** Whether the lines seem to be vertical, because they were split into words of one or two letters. */
  seemsOnSide: boolean;
  /**
   * The size of the picture as it was read, if it has enough text that a part determines its orientation. Otherwise
   * null.
   */
  denseSize: { width: number; height: number } | null;
};

/** Parses Tesseract's table of words (TSV). */
export function ocrWords(table: string): OcrWords {
  const regions = regionsOf(table);
  const kept = regions.filter(({ belief, characters }) => belief / characters >= LEAST_CONFIDENCE);
  const all = sum(regions.map((region) => region.characters));
  const words = sum(regions.map((region) => region.words));
  const characters = sum(kept.map((region) => region.characters));
  const belief = sum(kept.map((region) => region.belief)) - LEAST_CONFIDENCE * characters;
  return {
    text: kept.flatMap(({ lines }) => [...lines.values()].map((words) => words.join(' '))).join('\n'),
    isSure: belief >= SURE_BELIEF && characters * 2 >= all,
    seemsOnSide: all < words * LEAST_LETTERS,
    denseSize: all < DENSE_CHARACTERS ? null : sizeOf(table),
  };
}

function sizeOf(table: string): OcrWords['denseSize'] {
  const rows = table.split('\n', 2).map((row) => row.split('\t'));
  const page = rows.find(([level]) => level === PAGE);
  const [width, height] = [Number(page?.[WIDTH]), Number(page?.[HEIGHT])];
  return width > 0 && height > 0 ? { width, height } : null;
}

function regionsOf(table: string): Region[] {
  const regions = new Map<string, Region>();
  for (const row of table.split('\n')) {
    const columns = row.split('\t');
    const text = columns[TEXT]?.trim() ?? '';
    if (columns[0] !== WORD || text === '') continue;
    const block = columns[BLOCK] ?? '';
    const region = regions.get(block) ?? { lines: new Map(), belief: 0, characters: 0, words: 0 };
    regions.set(block, region);
    region.belief += Number(columns[CONFIDENCE]) * text.length;
    region.characters += text.length;
    region.words++;
    const line = LINE.map((column) => columns[column]).join('.');
    const words = region.lines.get(line);
    if (words === undefined) region.lines.set(line, [text]);
    else words.push(text);
  }
  return [...regions.values()];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
