/** A region whose words Tesseract believes in less than this, of 100, on average is part of a picture and no text. */
const LEAST_CONFIDENCE = 50;
/** Columns of Tesseract's table. */
const WORD = '5';
const BLOCK = 2;
const LINE = [2, 3, 4] as const;
const CONFIDENCE = 10;
const TEXT = 11;

type Region = { lines: Map<string, string[]>; belief: number; characters: number };

/** The text in Tesseract's table of words (TSV): a line for each line, without regions that are not believable. */
export function ocrWords(table: string): string {
  const regions = new Map<string, Region>();
  for (const row of table.split('\n')) {
    const columns = row.split('\t');
    const text = columns[TEXT]?.trim() ?? '';
    if (columns[0] !== WORD || text === '') continue;
    const block = columns[BLOCK] ?? '';
    const region = regions.get(block) ?? { lines: new Map(), belief: 0, characters: 0 };
    regions.set(block, region);
    region.belief += Number(columns[CONFIDENCE]) * text.length;
    region.characters += text.length;
    const line = LINE.map((column) => columns[column]).join('.');
    const words = region.lines.get(line);
    if (words === undefined) region.lines.set(line, [text]);
    else words.push(text);
  }
  return [...regions.values()]
    .filter(({ belief, characters }) => belief / characters >= LEAST_CONFIDENCE)
    .flatMap(({ lines }) => [...lines.values()].map((words) => words.join(' ')))
    .join('\n');
}
