import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, type Tx, withTx } from '../core/db/tx.ts';
import { packVector, unpackVector } from '../core/inference/packed.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import { comparedWith, findNeighbours, type NeighbourQuery } from '../core/similarity/find-neighbours.sql.ts';
import { bitLiteral, signBits } from '../core/similarity/sign-bits.ts';
import { spaceOf } from '../core/similarity/store-vector.sql.ts';
import { renderTable } from '../infra/local/table.ts';
import { clusteredVectors, DIMENSIONS, uniformVectors, type VectorAt } from './neighbours/vectors.ts';
import { readOptions } from './support/command-line.ts';
import { makeScope, makeTenant, startDatabase } from './support/database.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- neighbours [--assets N] [--json]

Measures semantic neighbours in plain Postgres, compared with exact search over all vectors of 384 dimensions.

  --assets N  assets of the tenant (default 100000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE);

const QUERIES = options.smoke ? 10 : 100;
const TOP = 8;
const LEAST_COSINE = 0.55;
/** Uniform vectors have no meaningful neighbours. A smaller set is enough to show how the search handles them. */
const MAX_UNIFORM = 100_000;
const FEW = 10_000;
const BATCH = 2_000;
const CLUSTERED = 'clustered' as TenantId;
const UNIFORM = 'uniform' as TenantId;
const MODEL = { provider: 'bench', model: 'bench' };

type Urls = Awaited<ReturnType<typeof startDatabase>>;
type Found = { index: number; cosine: number };

const assetIdOf = (index: number) => `ast_${String(index).padStart(26, '0')}`;

/** For each query its exact nearest vectors by cosine, at most eight: among all assets, and among the first few. */
type Nearest = { all: Map<number, Found[]>; few: Map<number, Found[]> };

/** Fills a tenant and computes the exact nearest vectors of each query. */
async function fill(
  { adminUrl }: Urls,
  tenantId: TenantId,
  scopeId: string,
  assets: number,
  vectorAt: VectorAt,
): Promise<Nearest> {
  const queries = Array.from({ length: QUERIES }, (_, at) => Math.floor(((at + 0.5) * assets) / QUERIES));
  const none = () => new Map(queries.map((query) => [query, [] as Found[]]));
  const nearest: Nearest = { all: none(), few: none() };
  const vectors = new Map(queries.map((query) => [query, vectorAt(query)]));
  await withClient(adminUrl, async (client) => {
    const { text, values } = sql`
      insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                          content_version, first_seen_at, last_seen_at)
      select ${tenantId}, 'ast_' || lpad(n::text, 26, '0'), ${scopeId}, n::text, 'a', 'a', 'file', 1, '1', '1', now(), now()
        from generate_series(0, ${assets - 1}::integer) as n`;
    await client.query(text, [...values]);
    for (let first = 0; first < assets; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, assets - first) }, (_, at) => {
        const vector = vectorAt(first + at);
        for (const [query, found] of nearest.all) keepNearest(found, query, first + at, vectors, vector);
        if (first + at < FEW)
          for (const [query, found] of nearest.few) keepNearest(found, query, first + at, vectors, vector);
        const packed = unpackVector(packVector(vector));
        return {
          id: assetIdOf(first + at),
          bits: bitLiteral(signBits(packed)),
          packed: Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength),
        };
      });
      const inserted = sql`
        insert into asset_vectors (tenant_id, asset_id, space, vector, bits)
        select ${tenantId}, id, ${spaceOf(MODEL)}, vector, bits::bit(512)
          from unnest(${batch.map(({ id }) => id)}::text[], ${batch.map(({ packed }) => packed)}::bytea[],
                      ${batch.map(({ bits }) => bits)}::text[]) as each (id, vector, bits)`;
      await client.query(inserted.text, [...inserted.values]);
    }
    // As autovacuum would do later. Index-only scans need it.
    await client.query('vacuum analyze assets');
    await client.query('vacuum analyze asset_vectors');
  });
  return nearest;
}

function keepNearest(
  found: Found[],
  query: number,
  index: number,
  vectors: ReadonlyMap<number, Float32Array>,
  vector: Float32Array,
): void {
  const own = vectors.get(query);
  if (own === undefined || index === query) return;
  let cosine = 0;
  for (let at = 0; at < DIMENSIONS; at++) cosine += (own[at] ?? 0) * (vector[at] ?? 0);
  if (found.length === TOP && cosine <= (found.at(-1)?.cosine ?? 0)) return;
  found.push({ index, cosine });
  found.sort((a, b) => b.cosine - a.cosine);
  found.splice(TOP);
}

/** The results of the product for each query, with the time of each. */
async function search(
  db: Db,
  tenantId: TenantId,
  nearest: ReadonlyMap<number, Found[]>,
  query: NeighbourQuery,
): Promise<{ recall: number; p50Ms: number; p95Ms: number }> {
  const milliseconds: number[] = [];
  let expected = 0;
  let right = 0;
  const run = (index: number) =>
    withTx(db, { tenantId, mode: 'read' }, (tx) => findNeighbours(tx, assetIdOf(index), query));
  // One uncounted round fills the caches, as in a running service.
  for (const index of nearest.keys()) await run(index);
  for (const [index, exact] of nearest) {
    const began = performance.now();
    const found = new Set((await run(index)).map(({ assetId }) => assetId));
    milliseconds.push(performance.now() - began);
    const wanted = exact.filter(({ cosine }) => cosine >= query.least);
    expected += wanted.length;
    right += wanted.filter((each) => found.has(assetIdOf(each.index))).length;
  }
  milliseconds.sort((a, b) => a - b);
  const at = (share: number) => rounded(milliseconds[Math.ceil(share * milliseconds.length) - 1] ?? 0, 1);
  return { recall: rounded(right / expected, 4), p50Ms: at(0.5), p95Ms: at(0.95) };
}

async function plan(tx: Tx, assetId: string): Promise<string> {
  const [own] = await tx.query<{ space: number; bits: string }>(sql`
    select space, bits::text as bits from asset_vectors
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  if (own === undefined) throw new Error('No vector was stored');
  const statement = comparedWith(tx, assetId, own, { among: null, few: null });
  const rows = await tx.query<{ 'QUERY PLAN': string }>(
    sql`explain (analyze, buffers, costs off) ${statement}`,
  );
  return rows.map((row) => row['QUERY PLAN'].slice(0, 160)).join('\n');
}

async function bytesOf({ adminUrl }: Urls, assets: number): Promise<number> {
  const { rows } = await withClient(adminUrl, (client) =>
    client.query<{ bytes: string }>(`select pg_total_relation_size('asset_vectors') as bytes`),
  );
  return Math.round(Number(rows[0]?.bytes) / assets);
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

async function measure(workspace: Workspace, assets: number) {
  const urls = await startDatabase(workspace);
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await makeTenant(owner, CLUSTERED);
  await makeTenant(owner, UNIFORM);
  await owner.close();
  const db = createPool(urls.url, { max: 1, applicationName: 'bench' });
  workspace.atEnd(db.close);
  await withClient(urls.adminUrl, async (client) => {
    // They serve the search for names and would slow down a million inserts.
    await client.query('drop index assets_words; drop index assets_name_start');
  });
  const filled = async (tenantId: TenantId, count: number, vectorAt: VectorAt) =>
    fill(urls, tenantId, await makeScope(db, tenantId), count, vectorAt);

  const clustered = await filled(CLUSTERED, assets, clusteredVectors(assets));
  const bytesPerAsset = await bytesOf(urls, assets);
  const all: NeighbourQuery = { among: null, few: null, least: LEAST_COSINE, limit: TOP };
  const asked = await search(db, CLUSTERED, clustered.all, all);
  const explained = await withTx(db, { tenantId: CLUSTERED, mode: 'read' }, (tx) =>
    plan(tx, assetIdOf(Math.floor(assets / 2))),
  );
  const sees = sql`a.asset_id < ${assetIdOf(FEW)}`;
  const few = await search(db, CLUSTERED, clustered.few, {
    ...all,
    among: sees,
    few: sql`select a.asset_id from assets a where a.tenant_id = ${CLUSTERED} and ${sees}`,
  });
  const uniform = await filled(UNIFORM, Math.min(assets, MAX_UNIFORM), uniformVectors());
  const spread = await search(db, UNIFORM, uniform.all, { ...all, least: -1 });
  const figures = {
    assets,
    recallAt8: asked.recall,
    p50Ms: asked.p50Ms,
    p95Ms: asked.p95Ms,
    bytesPerAsset,
    few: { recall: few.recall, p50Ms: few.p50Ms, p95Ms: few.p95Ms },
    uniform: { assets: Math.min(assets, MAX_UNIFORM), ...spread },
  };
  return { figures, explained };
}

process.env.SVC_LOG_LEVEL ??= 'error';
const { figures, explained } = await inWorkspace((workspace) => measure(workspace, options.assets));
console.log(
  [
    explained,
    '',
    renderTable(
      [`Top ${TOP} of ${DIMENSIONS} dimensions`, 'assets', 'recall', 'p50 ms', 'p95 ms'],
      [
        ['clustered', figures.assets, figures.recallAt8, figures.p50Ms, figures.p95Ms],
        [
          `of which the reader sees ${FEW}`,
          figures.assets,
          figures.few.recall,
          figures.few.p50Ms,
          figures.few.p95Ms,
        ],
        [
          'uniform, whatever the cosine',
          figures.uniform.assets,
          figures.uniform.recall,
          figures.uniform.p50Ms,
          figures.uniform.p95Ms,
        ],
      ],
    ),
    `${figures.bytesPerAsset} bytes per asset\n`,
  ].join('\n'),
);
if (options.json) console.log(JSON.stringify(figures));
