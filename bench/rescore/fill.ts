import type { Client } from 'pg';
import { setLogSize, withoutIndexes } from '../support/bulk-fill.ts';

/**
 * The tables of which an asset has rows, and those of its decisions. All other tables stay as the scan of the fixture
 * tenant has left them.
 */
const TABLES = [
  'assets',
  'asset_features',
  'asset_sketches',
  'sketch_bands',
  'asset_versions',
  'inferences',
  'candidates',
  'decisions',
  'assertions',
  'asset_risks',
  'asset_scorings',
  'findings',
  'asset_placements',
  'asset_search',
];

/** The ids of a copy sort by its number, as ids sort by time. Others of the same text belong together. */
const copied = (column: string) => `left(${column}, 4) || lpad(k::text, 6, '0') || substr(${column}, 5)`;
/**
 * Copies must not be byte-identical to each other, nor similar: then each would have a million of them. `number` is below
 * 2^32. Its multiple of an odd number modulo 2^32 is another for each number, and scatters them as hashes are.
 */
const scattered = (number: string, from = '0') =>
  `((${from}::bigint + ${number} * 2654435761 + 2147483648) % 4294967296 - 2147483648)::int`;
const band = (column: string) => scattered('k', column);

/** What a copy has in a column, by its name or by the names of table and column. The other columns are as they were. */
const COLUMNS: Readonly<Record<string, string>> = {
  external_id: `external_id || '-' || k`,
  content_hash: `sha256(content_hash || int8send(k))`,
  'sketch_bands.band': band('band'),
  bands: `array(select ${band('b')} from unnest(bands) with ordinality as each (b, n) order by n)`,
  ...Object.fromEntries(
    [
      ...['asset_id', 'inference_id', 'candidate_id', 'decision_id', 'earlier_decision_id'],
      ...['assertion_id', 'answers_assertion_id', 'finding_id', 'acknowledged_decision_id'],
    ].map((column) => [column, copied(column)]),
  ),
};

/**
 * Multiplies the assets of a tenant, with all that is stored of them, by SQL, until there are `assets` of them or
 * somewhat more. Triggers are off meanwhile, and indexes are made again at the end.
 * @param client the superuser
 * @returns how many assets there are
 */
export async function multiplyAssets(
  client: Client,
  tenantId: string,
  assets: number,
  log: (line: string) => void,
): Promise<number> {
  const timed = async (name: string, text: string) => {
    const started = performance.now();
    await client.query(text);
    log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  await client.query(`
    set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB';
    set session_replication_role = replica`);
  await setLogSize(client, '16GB');
  const { rows: counted } = await client.query<{ count: number }>(
    `select count(*)::int as count from assets where tenant_id = $1`,
    [tenantId],
  );
  const few = counted[0]?.count ?? 0;
  const copies = Math.max(0, Math.ceil(assets / few) - 1);
  const indexes = await withoutIndexes(client, TABLES);
  // Bands that leave room for the copies of each.
  await client.query(`
    create temp table renumbered as
      select band, ${scattered(`((row_number() over (order by band) - 1) * ${copies + 1})`)} as free
        from (select distinct band from sketch_bands) each;
    update sketch_bands b set band = free from renumbered r where r.band = b.band;
    update asset_sketches s set bands = array(
      select free from unnest(s.bands) with ordinality as each (band, n) join renumbered using (band) order by n)`);
  for (const table of TABLES) {
    const { rows } = await client.query<{ column: string }>(
      `select quote_ident(attname) as column from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
        order by attnum`,
      [table],
    );
    const columns = rows.map(({ column }) => column);
    const values = columns.map((column) => COLUMNS[`${table}.${column}`] ?? COLUMNS[column] ?? column);
    await timed(
      table,
      `insert into ${table} (${columns.join(', ')})
       select ${values.join(', ')} from generate_series(1, ${copies}::bigint) as k
        cross join (select * from ${table} where tenant_id = '${tenantId}' offset 0) t
        -- The keys of sketches are random, and their index is written in order.
        ${table === 'sketch_bands' ? 'order by 2' : ''}`,
    );
  }
  for (const [table, counts] of Object.entries({
    landscape_cells: ['assets', 'open_findings', 'pending_reviews'],
    domain_days: ['assets'],
  })) {
    const changes = counts.map((column) => `${column} = ${column} * ${copies + 1}`).join(', ');
    await client.query(`update ${table} set ${changes} where tenant_id = '${tenantId}'`);
  }
  await timed('indexes', indexes.join(';'));
  await setLogSize(client, 'default');
  await timed('vacuum', 'vacuum (analyze)');
  await client.query('checkpoint');
  return few * (copies + 1);
}
