import { sql } from '../db/sql.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { tenantsWithScopes } from '../tenancy/tenants.sql.ts';
import { packedCentroids, trainCentroids } from './cells.ts';
import { type Generation, loadGenerations } from './generations.sql.ts';
import { signBits } from './sign-bits.ts';

/**
 * `sortFrom`: fewer unsorted vectors are left unsorted, because a search reads all of them. `cellsFrom`: smaller
 * spaces have no cells.
 */
const SIZES = { sortFrom: 5_000, cellsFrom: 20_000 };
/** New cells are trained when the number of vectors has grown by this factor. */
const GROWTH = 4;
const SAMPLE_PER_CELL = 32;
/** Maximum size of a sample, dimensions times vectors. Training takes 64 MB of memory for it. */
const MAX_SAMPLED = 16_000_000;
/** Small, because comparing a batch with the cells blocks the process. */
const BATCH = 250;

export type SortOptions = {
  clock: Clock;
  signal: AbortSignal;
  /** Milliseconds after which the rest waits for the next run. */
  budgetMs: number;
  /** For tests. */
  sizes?: typeof SIZES;
};

/**
 * Sorts vectors into the cells of their tenant and space. Trains cells if there are none yet or the space has grown
 * fourfold. Searches continue meanwhile: they read the cells of all generations and the unsorted vectors. Concurrent
 * and repeated runs are safe. If one tenant fails, the others are still sorted, and an `AggregateError` is thrown at
 * the end. Returns the number of sorted vectors.
 */
export async function sortVectors(db: Db, options: SortOptions): Promise<number> {
  const deadline = options.clock() + options.budgetMs;
  const tenants = await tenantsWithScopes(db);
  let sorted = 0;
  const errors: unknown[] = [];
  for (const tenantId of tenants) {
    try {
      sorted += await sortTenant(db, tenantId, options, deadline);
    } catch (error) {
      options.signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Could not sort the vectors of some tenants');
  return sorted;
}

async function sortTenant(
  db: Db,
  tenantId: TenantId,
  options: SortOptions,
  deadline: number,
): Promise<number> {
  if (options.clock() >= deadline) return 0;
  const spaces = await withTx(db, { tenantId, mode: 'read', signal: options.signal }, (tx) =>
    unsortedSpaces(tx, sizesOf(options).sortFrom),
  );
  let sorted = 0;
  for (const space of spaces) {
    if (options.clock() >= deadline) return sorted;
    sorted += await sortSpace(db, tenantId, space, options, deadline);
  }
  return sorted;
}

const sizesOf = ({ sizes = SIZES }: SortOptions) => sizes;

/** Spaces with enough unsorted vectors. */
async function unsortedSpaces(tx: Tx, sortFrom: number): Promise<number[]> {
  const rows = await tx.query<{ space: number }>(sql`
    select space from asset_vectors where tenant_id = ${tx.tenantId} and cell = 0
     group by space having count(*) >= ${sortFrom} order by space`);
  return rows.map(({ space }) => space);
}

async function sortSpace(
  db: Db,
  tenantId: TenantId,
  space: number,
  options: SortOptions,
  deadline: number,
): Promise<number> {
  const { clock, signal } = options;
  const read = { tenantId, mode: 'read', signal } as const;
  const known = await withTx(db, read, (tx) => loadGenerations(tx, space));
  const count = await withTx(db, read, (tx) =>
    countWorthTraining(tx, space, known[0], sizesOf(options).cellsFrom),
  );
  if (count !== null) await train(db, tenantId, space, known[0], count, { clock, signal });
  const [newest] = await withTx(db, read, (tx) => loadGenerations(tx, space));
  if (newest === undefined) return 0;
  let sorted = 0;
  let last: Place | null = BEFORE_ALL;
  while (last !== null) {
    if (signal.aborted || clock() >= deadline) return sorted;
    const after: Place = last;
    const batch: SortedBatch = await withTx(db, { tenantId, mode: 'write', signal }, (tx) =>
      sortBatch(tx, space, newest, after),
    );
    sorted += batch.sorted;
    last = batch.last;
  }
  await withTx(db, { tenantId, mode: 'write', signal }, (tx) => dropEmptied(tx, space, newest));
  return sorted;
}

/** The number of vectors if cells should be trained for them, otherwise null. */
async function countWorthTraining(
  tx: Tx,
  space: number,
  newest: Generation | undefined,
  cellsFrom: number,
): Promise<number | null> {
  // The number of vectors that were ever sorted is an upper bound of those that exist, and needs no count.
  const [row] = await tx.query<{ most: number }>(sql`
    select coalesce(max(sorted), 0) as most from vector_generations
     where tenant_id = ${tx.tenantId} and space = ${space}`);
  if (newest !== undefined && (row?.most ?? 0) < (GROWTH - 1) * newest.trainedOn) return null;
  const [counted] = await tx.query<{ count: number }>(
    sql`select count(*) from asset_vectors where tenant_id = ${tx.tenantId} and space = ${space}`,
  );
  const count = counted?.count ?? 0;
  const least = newest === undefined ? cellsFrom : GROWTH * newest.trainedOn;
  return count >= least ? count : null;
}

async function train(
  db: Db,
  tenantId: TenantId,
  space: number,
  newest: Generation | undefined,
  count: number,
  { clock, signal }: Pick<SortOptions, 'clock' | 'signal'>,
): Promise<void> {
  const wanted = Math.round(Math.sqrt(count));
  const sample = await withTx(db, { tenantId, mode: 'read', signal }, (tx) =>
    sampleOf(tx, space, count, SAMPLE_PER_CELL * wanted),
  );
  const dimensions = sample[0]?.length ?? 0;
  const alike = sample.filter(({ length }) => length === dimensions);
  if (alike.length === 0) return;
  const centroids = await trainCentroids(alike, wanted);
  signal.throwIfAborted();
  const firstCell = newest === undefined ? 1 : newest.firstCell + newest.cells.count;
  await withTx(db, { tenantId, mode: 'write', signal }, (tx) =>
    // A concurrent run may have trained the same cells first.
    tx.execute(sql`
      insert into vector_generations (tenant_id, space, first_cell, cell_count, dimensions, centroids, trained_on,
                                      created_at)
      values (${tenantId}, ${space}, ${firstCell}, ${centroids.length}, ${dimensions},
              ${Buffer.from(packedCentroids(centroids).buffer)}, ${count}, ${new Date(clock())})
      on conflict do nothing`),
  );
}

/** About `wanted` vectors of the space, from whole pages of the table. The same ones each time. */
async function sampleOf(tx: Tx, space: number, count: number, wanted: number): Promise<Int8Array[]> {
  const [one] = await tx.query<{ dimensions: number }>(sql`
    select octet_length(vector) as dimensions from asset_vectors
     where tenant_id = ${tx.tenantId} and space = ${space} limit 1`);
  const most = Math.min(wanted, Math.floor(MAX_SAMPLED / (one?.dimensions ?? 1)));
  const percent = Math.min(100, (100 * most) / count);
  const rows = await tx.query<{ vector: Uint8Array }>(sql`
    select vector from asset_vectors tablesample system (${percent}) repeatable (1)
     where tenant_id = ${tx.tenantId} and space = ${space} limit ${2 * most}`);
  return rows.map(({ vector }) => Int8Array.from(vector));
}

/**
 * The position of a vector in the order of sorting: unsorted ones first, then those in cells of older generations.
 */
type Place = { cell: number; assetId: string };
/** The number of sorted vectors, and the position of the last one; null at the end. */
type SortedBatch = { sorted: number; last: Place | null };
const BEFORE_ALL: Place = { cell: -1, assetId: '' };

/**
 * Sorts a batch of vectors after a position into the cells of the newest generation. Vectors that are locked by a
 * write are skipped.
 */
async function sortBatch(
  tx: Tx,
  space: number,
  { firstCell, cells }: Generation,
  after: Place,
): Promise<SortedBatch> {
  // Locks the generation first. A generation that was just deleted takes no more vectors.
  const standing = await tx.query(sql`
    select 1 from vector_generations
     where tenant_id = ${tx.tenantId} and space = ${space} and first_cell = ${firstCell} for update`);
  if (standing.length === 0) return { sorted: 0, last: null };
  const rows = await tx.query<Place & { vector: Uint8Array }>(sql`
    select cell, asset_id as "assetId", vector from asset_vectors
     where tenant_id = ${tx.tenantId} and space = ${space} and cell < ${firstCell}
       and (cell, asset_id) > (${after.cell}::integer, ${after.assetId}::text)
     order by cell, asset_id limit ${BATCH} for no key update skip locked`);
  const places = rows.map(({ vector }) => {
    const own = Int8Array.from(vector);
    return firstCell + (cells.nearest(own, signBits(own), 1)[0] ?? 0);
  });
  await tx.execute(sql`
    update asset_vectors v set cell = each.cell
      from unnest(${rows.map(({ assetId }) => assetId)}::text[], ${places}::integer[]) as each (asset_id, cell)
     where v.tenant_id = ${tx.tenantId} and v.asset_id = each.asset_id`);
  await tx.execute(sql`
    update vector_generations set sorted = sorted + ${rows.length}
     where tenant_id = ${tx.tenantId} and space = ${space} and first_cell = ${firstCell}`);
  return { sorted: rows.length, last: rows.at(-1) ?? null };
}

/** Deletes older generations that have no vectors left. */
async function dropEmptied(tx: Tx, space: number, { firstCell }: Generation): Promise<void> {
  // Locks in a separate statement, so that the next one sees everything that was sorted before.
  await tx.query(sql`
    select 1 from vector_generations
     where tenant_id = ${tx.tenantId} and space = ${space} and first_cell < ${firstCell} for update`);
  await tx.execute(sql`
    delete from vector_generations g
     where g.tenant_id = ${tx.tenantId} and g.space = ${space} and g.first_cell < ${firstCell}
       and not exists (select 1 from asset_vectors v
                        where v.tenant_id = g.tenant_id and v.space = g.space and v.cell >= g.first_cell
                          and v.cell < g.first_cell + g.cell_count)`);
}
