import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { listQueue } from '../../core/review/queue-list.sql.ts';
import { refreshRelated } from '../../core/review/refresh-related.ts';
import { sketchesOf } from '../../core/similarity/sketches.ts';
import { storeComparable } from '../../core/similarity/store-comparable.sql.ts';
import { infer, type Said, storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, withPlans } from '../support/plans.ts';
import { invoices, payroll, said } from '../support/review.ts';
import { DEV, OTHER } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let made = 0;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const hashOf = (number: number) => number.toString(16).padStart(64, '0');
const write = <T>(fn: Parameters<typeof withTx<T>>[2]) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);
/** New assets of the same bytes; returns their ids. */
async function copies(
  count: number,
  questions: readonly Said[] = [invoices()],
  contentHash = hashOf(++made),
) {
  const first = made++ * 1_000;
  const assets = Array.from({ length: count }, (_, at) => ({
    assetId: `ast_copy_${String(first + at).padStart(9, '0')}`,
    contentHash,
    said: questions,
  }));
  await storeScanned(database.db, DEV, assets);
  return assets.map(({ assetId }) => assetId);
}
const refresh = () =>
  refreshRelated(database.db, {
    clock: Date.now,
    signal: new AbortController().signal,
    budgetMs: Number.POSITIVE_INFINITY,
  });

type Row = { value: number; related: number; risk: string | null; active: boolean };
const candidate = async (assetId: string, domainId = 'dom_finance') => {
  const [row] = await database.inspect<Row>(sql`
    select question_value(representative, band, confidence, risk_severity, related_count) as value, related_count as related, risk_severity as risk, asset_active as active from candidates
     where tenant_id = ${DEV} and asset_id = ${assetId} and domain_id = ${domainId}`);
  return row;
};
const related = async (assetId: string, domainId?: string) => (await candidate(assetId, domainId))?.related;
const changes = async () => {
  const [row] = await database.inspect<{ count: number }>(sql`select count(*)::int from review_changes`);
  return row?.count;
};

describe('the value of an answer', () => {
  type Parts = [string, number | null, string | null, number];
  const valued = async (...[band, confidence, severity, count]: Parts) => {
    const [row] = await database.inspect<{ value: number }>(sql`
      select question_value(false, ${band}, ${confidence}::double precision, ${severity}::text, ${count}::integer) as value`);
    return row?.value ?? Number.NaN;
  };

  test('rises with each of its parts', async () => {
    const rising: Parts[][] = [
      [
        ['review', 0.4, 'low', 3],
        ['review', 0.7, 'low', 3],
        ['high', 0.8, 'low', 3],
        ['high', 1, 'low', 3],
        ['routed', null, 'low', 3],
      ],
      [null, 'low', 'medium', 'high', 'critical'].map((severity) => ['high', 0.9, severity, 3]),
      [0, 1, 2, 10, 50, 100, 200].map((count) => ['high', 0.9, null, count]),
    ];
    for (const series of rising) {
      const values = await Promise.all(series.map((parts) => valued(...parts)));
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    }
  });

  test('of what a colleague sent is above all that the model asks', async () => {
    expect(await valued('routed', null, null, 0)).toBeGreaterThan(await valued('high', 1, 'critical', 200));
  });

  test('counts like assets by how sure the model is', async () => {
    const of = async (confidence: number, count: number) =>
      (await valued('review', confidence, null, count)) - (await valued('review', confidence, null, 0));
    expect(await Promise.all([0.3, 0.4, 0.6, 0.8, 1].map((confidence) => of(confidence, 200)))).toEqual([
      20, 20, 110, 200, 200,
    ]);
    expect(await Promise.all([0.4, 0.8].map((confidence) => of(confidence, 1)))).toEqual([3, 26]);
  });

  test('of a doubtful question with 200 like assets is below that of a likely one', async () => {
    expect(await valued('review', 0.4, null, 200)).toBeLessThan(await valued('review', 0.7, null, 0));
    expect(await valued('review', 0.55, null, 200)).toBeLessThan(await valued('high', 0.8, null, 0));
  });

  test('follows the risk of the asset, also when the asset came before its question', async () => {
    const [assetId = ''] = await copies(1);
    const before = await candidate(assetId);
    await database.inspect(sql`update assets set risk_severity = 'critical' where asset_id = ${assetId}`);
    expect(await candidate(assetId)).toMatchObject({ risk: 'critical', value: (before?.value ?? 0) + 300 });
    await write((tx) => infer(tx, assetId, 'second', [invoices(), payroll()]));
    expect(await candidate(assetId, 'dom_human_resources')).toMatchObject({ risk: 'critical' });
    await database.inspect(sql`update assets set risk_severity = null where asset_id = ${assetId}`);
    expect(await candidate(assetId)).toEqual(before);
  });
});

describe('how many like assets an answer would re-rank', () => {
  test('counts those about which the same domain is asked, and follows their changes', async () => {
    const [first = '', second = '', third = ''] = await copies(3);
    const [elsewhere = ''] = await copies(1, [payroll()], hashOf(made - 1));
    expect(await related(first)).toBe(0);
    await refresh();
    expect(await Promise.all([first, second, third].map((each) => related(each)))).toEqual([2, 2, 2]);
    expect(await related(elsewhere, 'dom_human_resources')).toBe(0);
    expect(await changes()).toBe(0);

    await database.inspect(sql`update assets set status = 'deleted' where asset_id = ${third}`);
    await refresh();
    expect(await Promise.all([first, second].map((each) => related(each)))).toEqual([1, 1]);

    await database.inspect(
      sql`update assets set content_hash = decode(${hashOf(999_999)}, 'hex') where asset_id = ${second}`,
    );
    await refresh();
    expect(await Promise.all([first, second].map((each) => related(each)))).toEqual([0, 0]);

    await database.inspect(
      sql`update assets set status = 'active', content_hash = decode(${hashOf(999_999)}, 'hex') where asset_id = ${third}`,
    );
    await refresh();
    expect(await Promise.all([first, second, third].map((each) => related(each)))).toEqual([0, 1, 1]);

    await write((tx) => infer(tx, third, 'nothing', []));
    await refresh();
    expect(await related(second)).toBe(0);
    expect(await changes()).toBe(0);
  });

  test('counts near-duplicates, and forgets them when their text changes', async () => {
    const text = Array.from({ length: 300 }, (_, at) => `word${at * 7}`).join(' ');
    const [own = ''] = await copies(1);
    const [like = ''] = await copies(1);
    const sketch = (assetId: string, of: string) =>
      write((tx) => storeComparable(tx, assetId, { sketches: sketchesOf(of), contains: [] }));
    await sketch(own, text);
    await sketch(like, `${text} and a little more`);
    await refresh();
    expect([await related(own), await related(like)]).toEqual([1, 1]);
    const other = Array.from({ length: 300 }, (_, at) => `thing${at * 3}`).join(' ');
    await sketch(like, other);
    await refresh();
    expect([await related(own), await related(like)]).toEqual([0, 0]);
  });

  test('is bounded, however many there are', async () => {
    const all = await copies(230);
    await refresh();
    const counts = await Promise.all(all.map((each) => related(each)));
    expect(Math.max(...counts.map((count) => count ?? 0))).toBe(200);
    expect(Math.min(...counts.map((count) => count ?? 0))).toBeGreaterThanOrEqual(199);
  });

  test('waits for nobody: what somebody holds is counted the next time', async () => {
    const [held = '', free = ''] = await copies(2);
    await write(async (tx) => {
      await tx.query(sql`select 1 from assets where asset_id = ${held} for no key update`);
      await refresh();
    });
    expect([await related(held), await related(free)]).toEqual([0, 1]);
    await refresh();
    expect([await related(held), await related(free)]).toEqual([1, 1]);
    expect(await changes()).toBe(0);
  });

  test('by two sweeps at once, while questions come and go, is right in the end', async () => {
    const assets = await copies(12);
    await Promise.all([
      refresh(),
      refresh(),
      ...assets.slice(0, 6).map((each) => write((tx) => infer(tx, each, 'gone', []))),
    ]);
    await refresh();
    expect(await Promise.all(assets.slice(6).map((each) => related(each)))).toEqual([5, 5, 5, 5, 5, 5]);
    expect(await changes()).toBe(0);
  });

  test('keeps to its tenant', async () => {
    const contentHash = hashOf(++made);
    const [own = ''] = await copies(1, [invoices()], contentHash);
    await storeScanned(database.db, OTHER, [{ assetId: 'ast_theirs', contentHash, said: [invoices()] }]);
    await refresh();
    expect(await related(own)).toBe(0);
  });
});

describe('the queue', () => {
  const visibility = { kind: 'domains', domainIds: ['dom_customers'] } as never;
  const offers = (confidence: number) => said('dom_customers', 'ift_prices_and_offers', confidence);
  const queue = (limit = 100) =>
    withTx(database.db, { tenantId: DEV, mode: 'read' }, (tx) => listQueue(tx, visibility, {}, limit));

  test('goes by value, then by id, says why, and has no question about what is gone', async () => {
    await copies(1, [offers(0.5)]);
    const [risky = ''] = await copies(1, [offers(0.45)]);
    await copies(3, [offers(0.6)]);
    const [gone = ''] = await copies(1, [offers(0.99)]);
    await database.inspect(sql`update assets set risk_severity = 'critical' where asset_id = ${risky}`);
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = ${gone}`);
    await refresh();
    const items = await queue();
    expect(
      items.map(({ value, band, riskSeverity, relatedCount }) => [value, band, riskSeverity, relatedCount]),
    ).toEqual([
      [345, 'review', 'critical', 0],
      [83, 'review', null, 2],
      [83, 'review', null, 2],
      [83, 'review', null, 2],
      [50, 'review', null, 0],
    ]);
    for (const { value, reasons } of items)
      expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBe(value);
    expect(items[1]?.reasons.at(-1)).toMatchObject({
      points: 23,
      explanation: expect.stringContaining('count less'),
    });
    const ids = items.slice(1, 4).map(({ candidateId }) => candidateId);
    expect(ids).toEqual([...ids].sort());
    expect((await queue(3)).map(({ candidateId }) => candidateId)).toEqual(
      items.slice(0, 3).map(({ candidateId }) => candidateId),
    );
  });
});

test('the queue reads an index in its order, and sorts no backlog', async () => {
  await copies(300, [said('dom_legal', 'ift_board_papers', 0.6)]);
  await database.inspect(sql`analyze candidates`);
  const visibility = { kind: 'domains', domainIds: ['dom_legal'] } as never;
  await withPlans(database.adminUrl, DEV, async (plansOf) => {
    const asked = await queriesOf(database.db, DEV, (tx) => listQueue(tx, visibility, {}, 10));
    const nodes = (await plansOf(...asked)).flatMap(({ Plan }) => nodesOf(Plan));
    expect(nodes.map((node) => node['Index Name'])).toContain('candidates_by_value');
  });
});
