import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { createPostgresSource, type PostgresSource } from '../support/sql/postgres-source.ts';

const live = new AbortController().signal;
const TABLES = NIGHTLY ? 10_000 : 2_000;
const ROWS = NIGHTLY ? 10_000_000 : 1_000_000;

let source: PostgresSource;
beforeAll(async () => {
  source = await createPostgresSource();
  await source.run('create schema many', 'create schema large');
});
afterAll(() => source.close());

const connect = (schema: string) =>
  createSqlConnector({ connection: () => source.connection, schemas: [schema] });

test('very many rows are sampled in five seconds, from less than 1 % of the blocks', async () => {
  await source.run(
    'create table large.events (id int, name text, email text, note text)',
    `insert into large.events
       select n, 'Ada Nord ' || n, 'ada' || n || '@nord.example', repeat('x', 40) from generate_series(1, ${ROWS}) n`,
    'vacuum analyze large.events',
    `grant usage on schema large to ${source.reader}`,
    `grant select on large.events to ${source.reader}`,
  );
  const touched = async () => {
    const [row] = await source.run<{ touched: number; blocks: number }>(`
      select (heap_blks_read + heap_blks_hit)::int as touched, relpages as blocks
        from pg_statio_user_tables s join pg_class c on c.oid = s.relid where s.relname = 'events'`);
    return row ?? expect.unreachable();
  };
  const before = await touched();
  const id = await source.idOf('large.events');
  const started = performance.now();
  const content = await connect('large').readContent(source.scopeId, id, 10_000_000, live);
  const seconds = (performance.now() - started) / 1_000;
  if (content.state !== 'available') return expect.unreachable(content.state);
  const { rows, estimatedRows } = JSON.parse(new TextDecoder().decode(content.bytes));
  await expect.poll(async () => (await touched()).touched).toBeGreaterThan(before.touched);
  const share = ((await touched()).touched - before.touched) / before.blocks;
  console.log(
    `${rows.length} rows of ${before.blocks} blocks in ${seconds.toFixed(2)} s: ${(share * 100).toFixed(3)} %`,
  );
  expect(rows.length).toBeGreaterThan(300);
  expect(Math.abs(estimatedRows - ROWS)).toBeLessThan(ROWS / 10);
  expect(seconds).toBeLessThan(5);
  expect(share).toBeLessThan(0.01);
});

test('very many tables are listed in pages of 200, each once, in bounded memory', async () => {
  for (let from = 0; from < TABLES; from += 500)
    await source.run(`do $$ begin
      for n in ${from}..${from + 499} loop
        execute format('create table many.%I (id int, name text, email text)', 'table ' || n);
      end loop;
    end $$`);
  const connector = connect('many');
  const ids = new Set<string>();
  let token: string | null = null;
  let longest = 0;
  let pages = 0;
  const before = process.memoryUsage().rss;
  do {
    const page = await connector.listItems(source.scopeId, token, live);
    for (const { externalId } of page.items) ids.add(externalId);
    expect(page.items.length).toBeLessThanOrEqual(200);
    token = page.nextPageToken;
    longest = Math.max(longest, token?.length ?? 0);
    pages += 1;
  } while (token !== null);
  expect(ids.size).toBe(TABLES);
  expect(pages).toBeLessThanOrEqual(TABLES / 200 + 1);
  // A page is all that is held, and a place is an id.
  expect(longest).toBeLessThan(300);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});
