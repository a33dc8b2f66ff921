import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { packVector, unpackVector } from '../../core/inference/packed.ts';
import type { AssetId, TenantId } from '../../core/kernel/ids.ts';
import { decisionsOnCopies } from '../../core/review/decisions-on-copies.sql.ts';
import { findNeighbours, type NeighbourQuery } from '../../core/similarity/find-neighbours.sql.ts';
import { findSimilar } from '../../core/similarity/find-similar.sql.ts';
import { mix32 } from '../../core/similarity/sketch.ts';
import { sketchesOf } from '../../core/similarity/sketches.ts';
import { storeComparable } from '../../core/similarity/store-comparable.sql.ts';
import { storeVector } from '../../core/similarity/store-vector.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, OTHER } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { wordsFrom } from '../support/words-from.ts';

let database: TestDatabase;
let made = 0;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const as = <T>(fn: (tx: Tx) => Promise<T>, tenantId: TenantId = DEV) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);

const idOf = (name: string) => `ast_${made}_${name}`;

async function store(
  name: string,
  text: string,
  options: { contentHash?: string; contains?: readonly string[]; tenantId?: TenantId } = {},
): Promise<string> {
  const { contentHash, contains = [], tenantId = DEV } = options;
  const assetId = idOf(name);
  await storeScanned(database.db, tenantId, [{ assetId, ...(contentHash !== undefined && { contentHash }) }]);
  await as((tx) => storeComparable(tx, assetId, { sketches: sketchesOf(text), contains }), tenantId);
  return assetId;
}

const similarTo = (assetId: string, decided = false, tenantId: TenantId = DEV) =>
  as(
    (tx) =>
      findSimilar(
        tx,
        { assetId, contentHash: null, sketches: null },
        { among: sql`true`, decided, limit: 50 },
      ),
    tenantId,
  );

beforeEach(() => {
  made++;
});

describe('near-duplicates', () => {
  const base = () => wordsFrom(made * 1_000_000, 400);

  test('are found with their similarity, the most similar first, and nothing else is', async () => {
    const own = await store('own', base());
    const near = await store('near', `${base()} ${wordsFrom(made * 1_000_000 + 500_000, 60)}`);
    const nearer = await store('nearer', `${base()} ${wordsFrom(made * 1_000_000 + 600_000, 10)}`);
    await store('far', wordsFrom(made * 1_000_000 + 700_000, 400));
    const found = await similarTo(own);
    expect(found.map(({ assetId, kind }) => [assetId, kind])).toEqual([
      [nearer, 'near_duplicate'],
      [near, 'near_duplicate'],
    ]);
    expect(found[0]?.similarity).toBeCloseTo(396 / 406, 1);
    expect(found[1]?.similarity).toBeCloseTo(396 / 456, 1);
    expect(await similarTo(near)).toContainEqual(expect.objectContaining({ assetId: own }));
  });

  test('follow the content: what it was before is forgotten', async () => {
    const own = await store('own', base());
    const other = await store('other', base());
    expect(await similarTo(own)).toHaveLength(1);
    const restore = (text: string) =>
      as((tx) => storeComparable(tx, other, { sketches: sketchesOf(text), contains: [] }));
    await restore(wordsFrom(made * 1_000_000 + 500_000, 400));
    expect(await similarTo(own)).toEqual([]);
    await restore('');
    const [bands] = await database.inspect<{ count: number }>(
      sql`select count(*)::int as count from sketch_bands where asset_id = ${other}`,
    );
    expect(bands?.count).toBe(0);
    await restore(base());
    await restore(base());
    expect(await similarTo(own)).toHaveLength(1);
  });

  test('not the asset itself, byte-identical copies, deleted assets or another tenant', async () => {
    const hash = 'cd'.repeat(32);
    const own = await store('own', base(), { contentHash: hash });
    await store('copy', base(), { contentHash: hash });
    const gone = await store('gone', base());
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = ${gone}`);
    await store('foreign', base(), { tenantId: OTHER });
    const query = { among: sql`true`, decided: false, limit: 50 };
    expect(
      await as((tx) => findSimilar(tx, { assetId: own, contentHash: hash, sketches: null }, query)),
    ).toEqual([]);
    const unseen = await as((tx) =>
      findSimilar(
        tx,
        { assetId: 'ast_unseen', contentHash: null, sketches: sketchesOf(base()) },
        { ...query, among: sql`a.asset_id <> ${own}` },
      ),
    );
    expect(unseen.map(({ assetId }) => assetId)).toEqual([idOf('copy')]);
  });

  test('of a band that very many share so many are looked at, the same ones each time', async () => {
    const own = await store('own', base());
    const { shingles, template } = sketchesOf(base());
    const bands = [...(shingles?.bands ?? []), ...(template?.bands ?? [])];
    await database.inspect(sql`
      insert into sketch_bands (tenant_id, band, asset_id, decided)
      select ${DEV}, band, 'ast_' || ${`${made}_a`}::text || n, false
        from unnest(${bands}::integer[]) as each (band), generate_series(1, 5000) as n`);
    await store('z_near', base());
    // Those that come first by id hold nothing; the one that does comes behind them and is not looked at.
    expect(await similarTo(own)).toEqual([]);
    expect(await similarTo(own)).toEqual([]);
    await database.inspect(sql`delete from sketch_bands where asset_id like ${`ast\\_${made}\\_a%`}`);
    expect(await similarTo(own)).toHaveLength(1);
  });
});

const letter = (name: string, street: string, amount: number) => `Statement of account
Customer: ${name}
Address: ${street} ${amount}
Dear customer of our branch in ${street},
we have looked at the state of your account as you asked us to do.
The balance of ${amount}.20 is due within ${amount % 60} days, and interest is charged after that.
Please transfer it to the account named below and give the reference ${amount}-X.
Reference: ${amount}-X
Should you have any question, our colleagues at the counter are glad to help you with it.
Yours faithfully, ${name.split(' ').reverse().join(' ')}`;

test('documents of one template are told so, and near-duplicates only where alike', async () => {
  const own = await store('own', letter('Maria Silva', 'Rua Augusta', 4_711));
  const other = await store('other', letter('Jan Kowalski', 'Nowy Swiat', 815));
  await store('prose', wordsFrom(made * 1_000_000, 100).replaceAll(/\d/g, 'q'));
  expect(await similarTo(own)).toEqual([
    { assetId: other, kind: 'same_template', similarity: expect.any(Number) },
  ]);
});

describe('what owners said of assets that are like one', () => {
  const decide = (assetId: string, status: 'confirmed' | 'rejected') =>
    as(async (tx) => {
      const [candidate] = await tx.query<{ candidate_id: string }>(sql`
        select candidate_id from candidates where tenant_id = ${DEV} and asset_id = ${assetId}`);
      const decision = status === 'confirmed' ? 'mine' : 'not_a_match';
      await tx.execute(sql`
        insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision,
                               training_eligible, revision, created_at)
        values (${DEV}, ${`dec_${assetId}`}, ${candidate?.candidate_id ?? ''}, ${assetId},
                (select min(principal_id) from principals), ${decision}, false, 1, now())`);
      await tx.execute(sql`
        update candidates set status = ${status}, decision_id = ${`dec_${assetId}`}
         where tenant_id = ${DEV} and asset_id = ${assetId}`);
    });
  const text = () => wordsFrom(made * 1_000_000, 300);
  const storeAsked = async (name: string, content: string) => {
    const assetId = idOf(name);
    const said = [{ informationTypeId: 'ift_invoices', domainId: 'dom_finance', confidence: 0.9 }];
    await storeScanned(database.db, DEV, [{ assetId, said }]);
    const sketches = sketchesOf(content);
    await as((tx) => storeComparable(tx, assetId, { sketches, contains: [] }));
    return { assetId, sketches };
  };
  const related = (assetId: string, sketches: ReturnType<typeof sketchesOf> | null = null) =>
    as((tx) => decisionsOnCopies(tx, assetId as AssetId, null, sketches));

  test('is told once they said it, with how much the assets are alike', async () => {
    const own = await storeAsked('own', text());
    const near = await storeAsked('near', `${text()} and some more words at its end`);
    expect(await related(own.assetId)).toEqual([]);
    await decide(near.assetId, 'rejected');
    // Stored again after the decision, so that it is found by the index over what was decided.
    await as((tx) => storeComparable(tx, near.assetId, { sketches: sketchesOf(''), contains: [] }));
    await as((tx) => storeComparable(tx, near.assetId, { sketches: near.sketches, contains: [] }));
    const expected = {
      kind: 'near',
      likeness: 'near_duplicate',
      informationTypeId: 'ift_invoices',
      outcome: 'refused',
      similarity: expect.closeTo(296 / 303, 1),
    };
    expect(await related(own.assetId)).toEqual([expected]);
    // Before anything is stored of it, and as it is now rather than as it was.
    expect(await related('ast_unseen', own.sketches)).toEqual([expected]);
    expect(await related(own.assetId, sketchesOf(wordsFrom(made * 1_000_000 + 500_000, 300)))).toEqual([]);
    // What was said of an asset itself is no news of it.
    expect(await related(near.assetId)).toEqual([]);
  });
});

describe('neighbours by vectors', () => {
  const DIMENSIONS = 32;
  const model = { provider: 'test', model: 'one' };
  const all: NeighbourQuery = { among: null, few: null, least: 0.55, limit: 8 };
  const direction = (seed: number) =>
    Float32Array.from({ length: DIMENSIONS }, (_, at) => mix32(seed * 7_919 + at) / 2 ** 32 - 0.5);
  const blend = (a: Float32Array, b: Float32Array, share: number) =>
    unpackVector(packVector(a.map((value, at) => value + share * (b[at] ?? 0))));
  const storeNear = async (name: string, vector: Int8Array, of = model) => {
    const assetId = idOf(name);
    await storeScanned(database.db, DEV, [{ assetId }]);
    await as((tx) => storeVector(tx, assetId, { ...of, vector }));
    return assetId;
  };
  const near = (assetId: string, query: Partial<NeighbourQuery> = {}) =>
    as((tx) => findNeighbours(tx, assetId, { ...all, ...query }));

  test('the nearest first, of the same provider and model, above the least cosine', async () => {
    const base = direction(made);
    const own = await storeNear('own', blend(base, base, 0));
    const nearer = await storeNear('nearer', blend(base, direction(made + 500), 0.3));
    const further = await storeNear('further', blend(base, direction(made + 600), 0.9));
    const opposite = await storeNear('opposite', blend(base, base, -2));
    await storeNear('foreign', blend(base, base, 0), { provider: 'test', model: 'two' });
    const found = await near(own);
    expect(found.map(({ assetId }) => assetId)).toEqual([nearer, further]);
    expect(found[0]?.similarity).toBeCloseTo(1 / Math.hypot(1, 0.3), 1);
    expect((await near(own, { limit: 1 })).map(({ assetId }) => assetId)).toEqual([nearer]);
    expect((await near(own, { least: -1 })).map(({ assetId }) => assetId)).toContain(opposite);
    const only = { among: sql`a.asset_id <> ${nearer}` };
    expect((await near(own, only)).map(({ assetId }) => assetId)).toEqual([further]);
    const few = { ...only, few: sql`select asset_id from assets where asset_id in (${own}, ${nearer})` };
    expect(await near(own, few)).toEqual([]);
    await as((tx) => storeVector(tx, nearer, { ...model, vector: new Int8Array(DIMENSIONS) }));
    await as((tx) => storeVector(tx, further, null));
    expect(await near(own)).toEqual([]);
  });
});
