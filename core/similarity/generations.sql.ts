import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { Cells } from './cells.ts';

/** A set of cells of a vector space. It never changes. */
export type Generation = { firstCell: number; trainedOn: number; cells: Cells };

/** Maximum size of the centroids that a process caches. */
const MAX_KEPT_BYTES = 32_000_000;

type Known = { generation: Generation; bytes: number };
const kept = new Map<string, Known>();

/**
 * The generations of a space, the newest first. Each process reads their centroids once, because they never change.
 */
export async function loadGenerations(tx: Tx, space: number): Promise<Generation[]> {
  const rows = await tx.query<{ firstCell: number; trainedOn: number; createdAt: Date }>(sql`
    select first_cell as "firstCell", trained_on as "trainedOn", created_at as "createdAt"
      from vector_generations where tenant_id = ${tx.tenantId} and space = ${space} order by first_cell desc`);
  const generations: Generation[] = [];
  for (const { firstCell, trainedOn, createdAt } of rows) {
    const key = `${tx.tenantId}/${space}/${firstCell}/${createdAt.getTime()}`;
    const known = kept.get(key) ?? (await readGeneration(tx, space, firstCell, trainedOn));
    if (known === null) continue;
    keep(key, known);
    generations.push(known.generation);
  }
  return generations;
}

async function readGeneration(
  tx: Tx,
  space: number,
  firstCell: number,
  trainedOn: number,
): Promise<Known | null> {
  const [row] = await tx.query<{ dimensions: number; centroids: Uint8Array }>(sql`
    select dimensions, centroids from vector_generations
     where tenant_id = ${tx.tenantId} and space = ${space} and first_cell = ${firstCell}`);
  if (row === undefined) return null;
  const cells = new Cells(Int8Array.from(row.centroids), row.dimensions);
  return { generation: { firstCell, trainedOn, cells }, bytes: row.centroids.byteLength };
}

/** Caches a generation and drops the least recently used ones. */
function keep(key: string, known: Known): void {
  kept.delete(key);
  kept.set(key, known);
  let bytes = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
  for (const [oldest, each] of kept) {
    if (bytes <= MAX_KEPT_BYTES) break;
    kept.delete(oldest);
    bytes -= each.bytes;
  }
}
