import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import type { Walk } from '../../core/search/newest-placements.sql.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { sealSearch } from '../../core/search/search-segments.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import {
  addNamed,
  addSearchedTenant,
  freshOf,
  seal,
  segmentFaults,
  segmentsOf,
  storedSegments,
} from '../support/searched-tenant.ts';

const FULL = 16_384;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ max: 12 });
});
afterAll(() => database.drop());

const idOf = (n: number) => `ast_${String(n).padStart(3, '0')}`;
const idsOf = (count: number) => Array.from({ length: count }, (_, n) => idOf(n));

/** Assets of one name, of which the first changed last. */
async function tenantWith(assets: number): Promise<TenantId> {
  const tenantId = await addSearchedTenant(database);
  await addMore(tenantId, 0, assets);
  return tenantId;
}
const addMore = (tenantId: TenantId, from: number, count: number) =>
  addNamed(
    database,
    tenantId,
    Array.from({ length: count }, (_, n) => ({
      assetId: idOf(from + n),
      name: 'amber birch',
      changedAt: new Date(Date.UTC(2026, 0, 1) - 1000 * (from + n)),
    })),
  );

const find = (tenantId: TenantId, q: string) =>
  withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    findAssets(tx, { kind: 'tenant' }, q, { filter: {}, most: 1_000, after: null }),
  );
const rename = (tx: Tx, n: number, name = 'cedar') =>
  tx.query(sql`update assets set name = ${name} where tenant_id = ${tx.tenantId} and asset_id = ${idOf(n)}`);
const sealIn = async (tx: Tx, most = FULL, size = FULL) => {
  const [row] = await tx.query<{ sealed: number }>(
    sql`select sealed from seal_search(${tx.tenantId}, ${most}, ${size})`,
  );
  return row?.sealed;
};

/** Runs `meanwhile` before what `fn` did is committed. */
const whileUncommitted = <T>(
  tenantId: TenantId,
  fn: (tx: Tx) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> =>
  withTx(database.db, { tenantId, mode: 'write' }, async (tx) => {
    await fn(tx);
    return meanwhile();
  });

test('what is sealed twice is left as it is', async () => {
  const tenantId = await tenantWith(20);
  expect(await seal(database, tenantId, FULL, 8)).toBe(20);
  expect(await segmentsOf(database, tenantId)).toEqual([8, 8, 4]);
  const before = await storedSegments(database, tenantId);
  expect(await seal(database, tenantId, FULL, 8)).toBe(0);
  expect(await storedSegments(database, tenantId)).toEqual(before);
});

test('those that changed longest ago are sealed first, and the newest segment is the one that is not full', async () => {
  const tenantId = await tenantWith(10);
  expect(await seal(database, tenantId, 7, 4)).toBe(7);
  expect(await freshOf(database, tenantId)).toEqual(idsOf(3));
  const { rows } = await storedSegments(database, tenantId);
  expect(rows.slice(3)).toMatchObject([
    ...[0, 1, 2].map((slot, n) => ({ asset_id: idOf(3 + n), segment: 2, slot })),
    ...[0, 1, 2, 3].map((slot, n) => ({ asset_id: idOf(6 + n), segment: 1, slot })),
  ]);
  expect(await segmentFaults(database, tenantId)).toEqual([]);
});

test('an asset that changes is fresh again and found by what it is, not by the bits that it leaves', async () => {
  const tenantId = await tenantWith(5);
  await seal(database, tenantId, FULL, FULL);
  const change = (statement: (tx: Tx) => Promise<unknown>) =>
    withTx(database.db, { tenantId, mode: 'write' }, statement);
  await change((tx) => rename(tx, 1));
  await change((tx) =>
    tx.query(
      sql`update assets set status = 'deleted' where tenant_id = ${tenantId} and asset_id = ${idOf(2)}`,
    ),
  );
  // Nothing that it is found by.
  await change((tx) =>
    tx.query(sql`update assets set size_bytes = 7 where tenant_id = ${tenantId} and asset_id = ${idOf(3)}`),
  );
  expect(await freshOf(database, tenantId)).toEqual([idOf(1)]);
  expect(await find(tenantId, 'amber')).toEqual([0, 3, 4].map(idOf));
  expect(await find(tenantId, 'cedar')).toEqual([idOf(1)]);
  const [left] = await database.inspect<{ bits: number }>(
    sql`select bit_count(slots)::int as bits from search_postings where tenant_id = ${tenantId} and lexeme like '____amber'`,
  );
  expect(left?.bits).toBe(5);
});

test.each([
  ['fresh', 0],
  ['sealed', FULL],
])(
  'a whole word that is there, %s, is not taken for the beginning of another where filter or place leave nothing of it',
  async (_, most) => {
    const tenantId = await tenantWith(2);
    await addNamed(database, tenantId, [{ assetId: 'ast_other', name: 'amberley', changedAt: new Date(0) }]);
    await database.inspect(
      sql`update assets set label_state = 'labeled' where tenant_id = ${tenantId} and asset_id = 'ast_other'`,
    );
    await seal(database, tenantId, most, FULL);
    const search = (q: string, walk: Partial<Walk>) =>
      withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
        findAssets(tx, { kind: 'tenant' }, q, { filter: {}, most: 5, after: null, ...walk }),
      );
    const labeled = { filter: { labelState: 'labeled' } } as const;
    const last = { after: { assetId: 'ast_0', changedAt: new Date(1000).toISOString() } };
    expect(await search('amber', labeled)).toEqual([]);
    expect(await search('amber', last)).toEqual([]);
    expect(await search('amberl', labeled)).toEqual(['ast_other']);
    expect(await search('amberl', last)).toEqual(['ast_other']);
  },
);

describe('segments are merged', () => {
  test('so that there are few of them, and none is lost', async () => {
    const tenantId = await addSearchedTenant(database);
    const many = 40;
    for (let n = 0; n < many; n++) {
      await addMore(tenantId, n, 1);
      expect(await seal(database, tenantId, FULL, FULL)).toBe(1);
      expect((await segmentsOf(database, tenantId)).length).toBeLessThanOrEqual(Math.log2(n + 1) + 1);
    }
    expect((await segmentsOf(database, tenantId)).reduce((sum, assets) => sum + assets)).toBe(many);
    expect(await segmentFaults(database, tenantId)).toEqual([]);
    expect(await find(tenantId, 'amber')).toEqual(idsOf(many));
  });

  test('and none has more than it may, and what is full is left alone', async () => {
    const tenantId = await tenantWith(8);
    await seal(database, tenantId, FULL, 8);
    const { rows: full } = await storedSegments(database, tenantId);
    for (let n = 8; n < 40; n++) {
      await addMore(tenantId, n, 1);
      await seal(database, tenantId, FULL, 8);
    }
    const segments = await segmentsOf(database, tenantId);
    expect(Math.max(...segments)).toBe(8);
    expect(segments.length).toBeLessThanOrEqual(9);
    const { rows } = await storedSegments(database, tenantId);
    expect(rows.slice(0, 8)).toEqual(full);
    expect(await find(tenantId, 'amber')).toEqual(idsOf(40));
  });

  test('and one that nobody has a slot of any more goes with all that is found by it', async () => {
    const tenantId = await tenantWith(4);
    await seal(database, tenantId, FULL, FULL);
    const before = await storedSegments(database, tenantId);
    await database.inspect(sql`update assets set name = 'cedar' where tenant_id = ${tenantId}`);
    expect(await find(tenantId, 'amber')).toEqual([]);
    await seal(database, tenantId, FULL, FULL);
    const { segments, postings } = await storedSegments(database, tenantId);
    expect(segments).toHaveLength(1);
    expect(segments).not.toEqual(before.segments);
    expect(postings).toHaveLength(before.postings.length - 1);
    expect(await find(tenantId, 'cedar')).toEqual(idsOf(4));
  });

  test('and one that was full is emptied when few are left in it', async () => {
    const tenantId = await tenantWith(8);
    await seal(database, tenantId, FULL, 8);
    await database.inspect(
      sql`update assets set status = 'deleted' where tenant_id = ${tenantId} and asset_id > ${idOf(0)}`,
    );
    await addMore(tenantId, 8, 1);
    expect(await seal(database, tenantId, FULL, 8)).toBe(1);
    expect(await segmentsOf(database, tenantId)).toEqual([2]);
    expect(await find(tenantId, 'amber')).toEqual([idOf(0), idOf(8)]);
  });
});

test('no more are sealed at once than have so many words and marks, but one at least, and none is merged beyond that', async () => {
  const tenantId = await tenantWith(10);
  const [row] = await database.inspect<{ each: number }>(
    sql`select length(words) + cardinality(marks) as each from asset_search where tenant_id = ${tenantId} limit 1`,
  );
  const sealed = async (assets: number) => {
    const lexemes = assets * (row?.each ?? 0);
    return database.inspect(
      sql`select sealed from seal_search(${tenantId}, ${FULL}, ${FULL}, ${Math.ceil(lexemes)})`,
    );
  };
  expect(await sealed(3)).toEqual([{ sealed: 3 }]);
  expect(await sealed(0.1)).toEqual([{ sealed: 1 }]);
  expect(await sealed(3)).toEqual([{ sealed: 3 }]);
  expect(await segmentsOf(database, tenantId)).toEqual([3, 1, 3]);
  expect(await sealed(100)).toEqual([{ sealed: 3 }]);
  expect(await segmentsOf(database, tenantId)).toEqual([10]);
  expect(await segmentFaults(database, tenantId)).toEqual([]);
});

test('what assets are found by is in their segment, and nothing else', async () => {
  const tenantId = await tenantWith(3);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, confidence, band, created_at, updated_at)
    values (${tenantId}, ${`cnd_${tenantId}`}, ${idOf(0)}, 'dom_a', 0.9, 'high', now(), now())`);
  await seal(database, tenantId, FULL, FULL);
  const rows = await database.inspect<{ lexeme: string }>(
    sql`select lexeme from search_postings where tenant_id = ${tenantId} order by lexeme`,
  );
  const [tag] = await database.inspect<{ tag: string }>(sql`select search_tag(${tenantId}) as tag`);
  expect(rows.map(({ lexeme }) => lexeme.replace(tag?.tag ?? '', '')).sort()).toEqual(
    ['=dom_a', '=label:unknown', 'amber', 'birch', 'p'].sort(),
  );
});

describe('beside others', () => {
  test('a row that is locked is left for the next time, and found all the same', async () => {
    const tenantId = await tenantWith(6);
    await whileUncommitted(
      tenantId,
      (tx) => rename(tx, 2),
      async () => {
        expect(await seal(database, tenantId, FULL, FULL)).toBe(5);
        expect(await freshOf(database, tenantId)).toEqual([idOf(2)]);
        expect(await find(tenantId, 'amber')).toEqual(idsOf(6));
      },
    );
    expect(await find(tenantId, 'amber')).toEqual([0, 1, 3, 4, 5].map(idOf));
    expect(await seal(database, tenantId, FULL, FULL)).toBe(1);
    expect(await find(tenantId, 'cedar')).toEqual([idOf(2)]);
    expect(await segmentFaults(database, tenantId)).toEqual([]);
  });

  test('where all that could be sealed is locked nothing is sealed', async () => {
    const tenantId = await tenantWith(2);
    await whileUncommitted(
      tenantId,
      async (tx) => {
        await rename(tx, 0);
        await rename(tx, 1);
      },
      async () => expect(await seal(database, tenantId, FULL, FULL)).toBe(0),
    );
    expect(await segmentsOf(database, tenantId)).toEqual([]);
    expect(await seal(database, tenantId, FULL, FULL)).toBe(2);
  });

  test('a sealed row that is locked stays in its segment while the others of it are merged', async () => {
    const tenantId = await tenantWith(4);
    await seal(database, tenantId, FULL, FULL);
    await addMore(tenantId, 4, 4);
    await whileUncommitted(
      tenantId,
      (tx) => rename(tx, 2),
      async () => {
        expect(await seal(database, tenantId, FULL, FULL)).toBe(4);
        expect(await segmentsOf(database, tenantId)).toEqual([1, 7]);
        expect(await find(tenantId, 'amber')).toEqual(idsOf(8));
      },
    );
    expect(await freshOf(database, tenantId)).toEqual([idOf(2)]);
    expect(await find(tenantId, 'cedar')).toEqual([idOf(2)]);
    expect(await seal(database, tenantId, FULL, FULL)).toBe(1);
    expect(await segmentFaults(database, tenantId)).toEqual([]);
    expect(await find(tenantId, 'amber')).toEqual([0, 1, 3, 4, 5, 6, 7].map(idOf));
  });

  test('of two that seal at once one does', async () => {
    const tenantId = await tenantWith(6);
    await whileUncommitted(
      tenantId,
      async (tx) => expect(await sealIn(tx)).toBe(6),
      async () => expect(await seal(database, tenantId, FULL, FULL)).toBe(0),
    );
    expect(await freshOf(database, tenantId)).toEqual([]);
    expect(await segmentsOf(database, tenantId)).toEqual([6]);
    await addMore(tenantId, 6, 1);
    expect(await seal(database, tenantId, FULL, FULL)).toBe(1);
  });

  test('two tenants are sealed at once', async () => {
    const [one, other] = [await tenantWith(3), await tenantWith(3)];
    await whileUncommitted(
      one,
      (tx) => sealIn(tx),
      async () => expect(await seal(database, other, FULL, FULL)).toBe(3),
    );
  });

  test.each([
    ['a fresh row', 0],
    ['a row of a segment that is merged', 3],
  ])('who changes %s while it is sealed waits, and it is fresh again', async (_, sealedBefore) => {
    const tenantId = await tenantWith(6);
    await seal(database, tenantId, sealedBefore, FULL);
    const renamed = await whileUncommitted(
      tenantId,
      async (tx) => expect(await sealIn(tx)).toBe(6 - sealedBefore),
      async () => {
        // The oldest, which are sealed first.
        const renaming = withTx(database.db, { tenantId, mode: 'write' }, (tx) => rename(tx, 5));
        await expect.poll(() => lockWaits(database, 'update assets set name')).toBe(1);
        return { renaming };
      },
    );
    await renamed.renaming;
    expect(await freshOf(database, tenantId)).toEqual([idOf(5)]);
    expect(await find(tenantId, 'amber')).toEqual(idsOf(5));
    expect(await find(tenantId, 'cedar')).toEqual([idOf(5)]);
    await seal(database, tenantId, FULL, FULL);
    expect(await segmentFaults(database, tenantId)).toEqual([]);
    expect(await find(tenantId, 'cedar')).toEqual([idOf(5)]);
  });

  test('nothing is left of sealing that is rolled back', async () => {
    const tenantId = await tenantWith(8);
    await seal(database, tenantId, 3, FULL);
    const before = await storedSegments(database, tenantId);
    const attempt = withTx(database.db, { tenantId, mode: 'write' }, async (tx) => {
      expect(await sealIn(tx)).toBe(5);
      throw new Error('Rolled back');
    });
    await expect(attempt).rejects.toThrow('Rolled back');
    expect(await storedSegments(database, tenantId)).toEqual(before);
    expect(await seal(database, tenantId, FULL, FULL)).toBe(5);
  });

  test('whoever writes, searches and seals at once, nothing is lost and nobody fails', async () => {
    const assets = 60;
    const tenantId = await tenantWith(assets);
    const rounds = Array.from({ length: 40 }, (_, n) => n);
    const writer = async (lane: number) => {
      for (const n of rounds) {
        // Both lanes write each of them, in one order.
        await withTx(database.db, { tenantId, mode: 'write' }, async (tx) => {
          await rename(tx, (n * 7) % 30, n % 3 === lane ? 'cedar' : 'amber birch');
          await rename(tx, 30 + ((n * 11) % 30), n % 3 === lane ? 'amber birch' : 'cedar');
        });
      }
    };
    const sealer = async () => {
      for (const n of rounds) {
        await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
          sealIn(tx, (n % 13) + 1, [4, 16, FULL][n % 3]),
        );
      }
    };
    const reader = async () => {
      // Each asset has one of the names at any moment.
      for (const _ of rounds) expect(await find(tenantId, 'p')).toHaveLength(assets);
    };
    await Promise.all([writer(0), writer(1), sealer(), sealer(), reader()]);
    while ((await seal(database, tenantId, FULL, 16)) > 0);
    expect(await segmentFaults(database, tenantId)).toEqual([]);
    const named = await database.inspect<{ asset_id: string }>(sql`
      select asset_id from assets where tenant_id = ${tenantId} and name = 'cedar' order by changed_at desc`);
    expect(named).not.toEqual([]);
    expect(await find(tenantId, 'cedar')).toEqual(named.map((row) => row.asset_id));
  });
});

describe('the timer', () => {
  const log = createLogger({
    level: 'error',
    clock: () => 0,
    destination: { write: () => undefined },
  });
  const sweep = (
    assets: number,
    {
      signal = new AbortController().signal,
      clock = Date.now,
      budgetMs = 60_000,
      ...batch
    }: {
      signal?: AbortSignal;
      clock?: () => number;
      budgetMs?: number;
      lexemes?: number;
      withinMs?: number;
    } = {},
  ) => sealSearch(database.db, { clock, log, signal, budgetMs }, { assets, ...batch });

  test('seals all that has changed, in as many batches as there are, also when it runs twice', async () => {
    const tenants = [await tenantWith(20), await tenantWith(6), await addSearchedTenant(database)];
    await Promise.all([sweep(6), sweep(6)]);
    await sweep(6);
    for (const tenantId of tenants) {
      expect(await freshOf(database, tenantId)).toEqual([]);
      expect(await segmentFaults(database, tenantId)).toEqual([]);
    }
    const [many = tenants[0], few = tenants[1]] = tenants;
    expect((await segmentsOf(database, many as TenantId)).reduce((sum, assets) => sum + assets)).toBe(20);
    expect(await find(few as TenantId, 'amber')).toEqual(idsOf(6));
  });

  test('stops when it is told to', async () => {
    const tenantId = await tenantWith(3);
    await sweep(6, { signal: AbortSignal.abort() });
    expect(await freshOf(database, tenantId)).toEqual(idsOf(3));
  });

  test('leaves what it has no time for to the next one, and says how much', async () => {
    const [tenantId, other] = [await tenantWith(3), await tenantWith(2)];
    const said = () => [tenantId, other].map((each) => log.recentLogs(each));
    await seal(database, other, FULL, FULL);
    await sweep(6, { signal: AbortSignal.abort(), budgetMs: 0 });
    expect(said()).toEqual([[], []]);
    // The time is over once it has begun and looks at the first tenant.
    let now = 0;
    await sweep(6, { clock: () => now++, budgetMs: 2 });
    expect(await freshOf(database, tenantId)).toEqual(idsOf(3));
    const line = { level: 'warn', event: 'search_unsealed', tenantId, count: 3 };
    expect(said()).toEqual([[expect.objectContaining(line)], []]);
    await sweep(6);
    expect(await freshOf(database, tenantId)).toEqual([]);
    expect(said()[0]).toHaveLength(1);
  });

  test('halves a batch that takes too long, so that nobody who writes waits for long', async () => {
    const tenantId = await tenantWith(8);
    await database.inspect(sql`
      create function slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.1); return new; end $$`);
    await database.inspect(sql`
      create trigger slowly before update on asset_search for each row execute function slowly()`);
    try {
      const [row] = await database.inspect<{ each: number }>(
        sql`select length(words) + cardinality(marks) as each from asset_search where tenant_id = ${tenantId} limit 1`,
      );
      // All eight take 0.8 seconds, and two of them 0.2.
      await sweep(FULL, { lexemes: 8 * (row?.each ?? 0), withinMs: 350 });
      expect(await freshOf(database, tenantId)).toEqual([]);
      expect(Math.max(...(await segmentsOf(database, tenantId)))).toBeLessThan(4);
    } finally {
      await database.inspect(sql`drop trigger slowly on asset_search`);
    }
  });
});

test('page by page, of however many, in segments that overlap and beside them, the order is that of the list', async () => {
  const count = 12;
  const tenantId = await addSearchedTenant(database);
  // Three of each moment, in segments of two.
  await addNamed(
    database,
    tenantId,
    idsOf(count).map((assetId, n) => ({
      assetId,
      name: 'amber',
      changedAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(n / 3))),
    })),
  );
  await seal(database, tenantId, FULL, 2);
  const relabel = (...which: number[]) =>
    database.inspect(sql`
      update assets set label_state = 'labeled' where tenant_id = ${tenantId} and asset_id = any(${which.map(idOf)}::text[])`);
  await relabel(0, 4, 7, 9);
  await seal(database, tenantId, FULL, 2);
  await relabel(1, 3, 6, 10);
  expect(await freshOf(database, tenantId)).toEqual([1, 3, 6, 10].map(idOf));
  // As if they were full: one is searched after the other.
  await database.inspect(
    sql`update search_segments set assets = ${FULL}::integer where tenant_id = ${tenantId}`,
  );
  const list = await database.inspect<{ assetId: string; changedAt: Date }>(sql`
    select asset_id as "assetId", changed_at as "changedAt" from assets where tenant_id = ${tenantId}
     order by changed_at desc, asset_id desc`);
  for (const from of list.keys()) {
    const place = list[from - 1];
    const after = place ? { assetId: place.assetId, changedAt: place.changedAt.toISOString() } : null;
    for (let most = 1; most <= count; most++) {
      const found = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
        findAssets(tx, { kind: 'tenant' }, 'amber', { filter: {}, most, after }),
      );
      expect(found, `${most} from ${from}`).toEqual(
        list.slice(from, from + most).map(({ assetId }) => assetId),
      );
    }
  }
});
