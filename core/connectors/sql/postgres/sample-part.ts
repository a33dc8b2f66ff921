import type { Part, TableHead } from './sample.sql.ts';

/** Tables of so many blocks are read whole to pick rows: 512 KiB with blocks of the usual size. */
const SMALL_BLOCKS = 64;
/** Blocks of a large table: so many at most, and of a medium one no more than a small table has. */
const MOST_BLOCKS = 1_024;
const MOST_SHARE = 1 / 200;
/** If nobody analysed the table. */
const USUAL_ROWS_IN_BLOCK = 50;
/** How much of the wanted rows is expected, so that the end of the part is seldom cut off. */
const FILL = 0.8;

/**
 * The parts of a table to try, until one has rows enough: the cheap one first, and one more. The second makes up for
 * statistics that are old, and for a table with many empty blocks.
 */
export function partsOf(
  { kind, blocks, estimatedRows }: Pick<TableHead, 'kind' | 'blocks' | 'estimatedRows'>,
  maxRows: number,
  seed: number,
): readonly Part[] {
  if (kind === 'v' || kind === 'f') return [{ method: 'first' }];
  const count = Number(blocks);
  const rows = Number(estimatedRows ?? 0);
  if (count <= SMALL_BLOCKS) {
    const percent = rows > maxRows ? (100 * FILL * maxRows) / rows : 100;
    const some: Part = { method: 'bernoulli', percent, seed };
    return percent === 100 ? [{ method: 'first' }] : [some, { method: 'first' }];
  }
  const most = Math.min(MOST_BLOCKS, Math.max(SMALL_BLOCKS, Math.floor(count * MOST_SHARE)));
  const inBlock = rows > 0 ? Math.max(1, rows / count) : USUAL_ROWS_IN_BLOCK;
  const wanted = Math.min(most, Math.max(SMALL_BLOCKS / 4, Math.ceil((FILL * maxRows) / inBlock)));
  const partOf = (some: number): Part => ({ method: 'system', percent: (100 * some) / count, seed });
  return [partOf(wanted), partOf(most)];
}

/** Fewer rows are taken for a sign that the statistics are wrong, if the table may have more. */
export const ENOUGH_ROWS = 20;
