import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { askRepresentatives } from '../../core/review/ask-representatives.ts';
import { listQueue } from '../../core/review/queue-list.sql.ts';
import { storeReconsidered } from '../../core/review/reconsider.sql.ts';
import { refreshRelated } from '../../core/review/refresh-related.ts';
import { nextAssets, unaskedAmong } from '../../core/review/representatives.sql.ts';
import { infer, type Said, storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, withPlans } from '../support/plans.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let made = 0;

beforeEach(async () => {
  database = await createSeededDatabase();
});
afterEach(() => database.drop());

const signal = new AbortController().signal;
const sweep = async () => {
  await refreshRelated(database.db, { clock: Date.now, signal, budgetMs: Number.POSITIVE_INFINITY });
  return askRepresentatives(database.db, { clock: Date.now, signal });
};
const write = <T>(fn: Parameters<typeof withTx<T>>[2]) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);

/** Copies of one file; returns their ids. The model says the same of each. */
async function copies(count: number, said: readonly Said[]) {
  const contentHash = (++made).toString(16).padStart(64, '0');
  const assets = Array.from({ length: count }, () => ({
    assetId: `ast_copy_${String(++made).padStart(9, '0')}`,
    contentHash,
    said,
  }));
  await storeScanned(database.db, DEV, assets);
  return assets.map(({ assetId }) => assetId);
}

type Row = {
  assetId: string;
  domainId: string;
  status: string;
  band: string;
  because: string;
  representative: boolean;
  confidence: number;
  like: number;
};
const questions = (assetIds: readonly string[]) =>
  database.inspect<Row>(sql`
    select asset_id as "assetId", domain_id as "domainId", status, band, asked_because as because, representative, confidence,
           related_count as like
      from candidates where asset_id = any(${[...assetIds]}::text[]) order by asset_id`);
const answered = (assetId: string, status: 'confirmed' | 'rejected') =>
  database.inspect(sql`
    with d as (
      insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision, training_eligible, revision,
                             created_at)
      select tenant_id, ${`dec_${assetId}`}, candidate_id, asset_id, (select principal_id from principals where tenant_id = ${DEV} limit 1),
             ${status === 'confirmed' ? 'mine' : 'not_a_match'}, false, 1, now() from candidates where asset_id = ${assetId}
      returning candidate_id, decision_id)
    update candidates k set status = ${status}, decision_id = d.decision_id, updated_at = now()
      from d where k.candidate_id = d.candidate_id`);

describe('a group about which nobody has been asked', () => {
  test('is asked about once, by its likeliest asset, in the likeliest domain', async () => {
    const group = await copies(4, [invoices(0.3), payroll(0.2)]);
    await write((tx) => infer(tx, group[2] ?? '', 'second', [invoices(0.35)]));
    expect(await sweep()).toBe(1);
    expect(await questions(group)).toEqual([
      {
        assetId: group[2],
        domainId: 'dom_finance',
        status: 'pending',
        band: 'review',
        because: 'inferred',
        representative: true,
        confidence: 0.35,
        like: 3,
      },
    ]);
    expect(await sweep()).toBe(0);
    const visibility = { kind: 'domains', domainIds: ['dom_finance'] } as never;
    const [item] = await withTx(database.db, { tenantId: DEV, mode: 'read' }, (tx) =>
      listQueue(tx, visibility, {}, 10),
    );
    expect(item).toMatchObject({
      askedBecause: 'representative',
      value: 35 + 52,
      summary:
        'Nobody has been asked about 3 assets like this one; the model is not sure of any domain. The likeliest is Invoices and receivables.',
    });
    expect(item?.reasons.map(({ explanation }) => explanation)).toEqual([
      'The model is not sure of any domain',
      'Assets like it about which nobody has been asked: 3',
    ]);
  });

  test.each([
    ['of two assets', 2, [invoices(0.3)]],
    ['that the model takes for nothing', 3, []],
    ['that the model asks about', 3, [invoices(0.5)]],
  ] as const)('%s has no representative', async (_, count, said) => {
    await copies(count, said);
    expect(await sweep()).toBe(0);
  });

  test('is not asked about again soon after an answer, nor the domain that refused it', async () => {
    const group = await copies(4, [invoices(0.3), payroll(0.2)]);
    await sweep();
    const [first] = await questions(group);
    await answered(first?.assetId ?? '', 'rejected');
    expect(await sweep()).toBe(0);
    await database.inspect(sql`update candidates set updated_at = now() - interval '31 days'`);
    await database.inspect(sql`
      update assets set status = 'deleted' where asset_id in (${group[2] ?? ''}, ${group[3] ?? ''})`);
    expect(await sweep()).toBe(0);
  });

  test('takes at most one in ten of the open questions of a domain, and at least one', async () => {
    for (let each = 0; each < 4; each += 1) await copies(3, [invoices(0.3)]);
    expect(await sweep()).toBe(1);
    await Promise.all(Array.from({ length: 19 }, () => copies(1, [invoices(0.9)])));
    expect(await sweep()).toBe(1);
    expect(await sweep()).toBe(0);
  });

  test('is left alone by a domain without an owner', async () => {
    await database.inspect(
      sql`update owner_assignments set ended_at = now() where domain_id = 'dom_finance'`,
    );
    const group = await copies(3, [invoices(0.3), payroll(0.2)]);
    expect(await sweep()).toBe(1);
    expect(await questions(group)).toMatchObject([{ domainId: 'dom_human_resources', confidence: 0.2 }]);
  });

  test('is asked about once by two sweeps at once', async () => {
    const group = await copies(5, [invoices(0.3)]);
    await Promise.all([sweep(), sweep()]);
    expect(await questions(group)).toHaveLength(1);
  });
});

describe('a question about a representative', () => {
  const represented = async () => {
    const group = await copies(3, [invoices(0.3), payroll(0.2)]);
    await sweep();
    const [{ assetId = '' } = {}] = await questions(group);
    const again = (key: string, said: readonly Said[]) => write((tx) => infer(tx, assetId, key, said, false));
    const other = group.find((each) => each !== assetId) ?? '';
    return { group, assetId, again, other };
  };

  test('survives a scoring that still leaves it unclassified, with the new confidence', async () => {
    const { assetId, again } = await represented();
    await again('second', [invoices(0.25), payroll(0.3)]);
    expect(await questions([assetId])).toMatchObject([
      { status: 'pending', representative: true, confidence: 0.25 },
    ]);
  });

  test('is an ordinary one when the model supports it', async () => {
    const { assetId, again } = await represented();
    await again('second', [invoices(0.6)]);
    expect(await questions([assetId])).toMatchObject([
      { status: 'pending', because: 'inferred', representative: false, confidence: 0.6, like: 0 },
    ]);
  });

  test.each([
    ['the model supports another type of it', [invoices(0.3), payroll(0.7)]],
    ['the model no longer names its type', [payroll(0.2)]],
  ])('is withdrawn when %s', async (_, said) => {
    const { assetId, again } = await represented();
    await again('second', said);
    const [own] = (await questions([assetId])).filter(({ domainId }) => domainId === 'dom_finance');
    expect(own?.status).toBe('withdrawn');
  });

  test('is an ordinary one when it is asked again on other content', async () => {
    const { assetId } = await represented();
    await answered(assetId, 'confirmed');
    const [own] = await database.inspect<{ candidateId: string }>(
      sql`select candidate_id as "candidateId" from candidates where asset_id = ${assetId}`,
    );
    const asked = {
      candidateId: own?.candidateId ?? '',
      status: 'pending',
      changes: [],
      supported: null,
    } as const;
    await write((tx) => storeReconsidered(tx, assetId, 'first', [asked], Date.now()));
    expect(await questions([assetId])).toMatchObject([
      { status: 'pending', because: 'content_changed', representative: false },
    ]);
  });

  test.each([
    ['the model supports it', sql`confidence = 0.6, basis = '{}'`],
    ['its content has changed', sql`asked_because = 'content_changed', band = 'routed'`],
  ])('is an ordinary one also if the release before notes that %s', async (_, noted) => {
    const { assetId, other } = await represented();
    await database.inspect(sql`update candidates set ${noted} where asset_id = ${assetId}`);
    await write((tx) => infer(tx, other, 'second', [invoices(0.9)]));
    await sweep();
    expect(await questions([assetId])).toMatchObject([{ status: 'pending', like: 1 }]);
  });

  test('is withdrawn when the model asks about another asset of the group', async () => {
    const { assetId, other } = await represented();
    await write((tx) => infer(tx, other, 'second', [invoices(0.9)]));
    expect(await sweep()).toBe(0);
    expect(await questions([assetId])).toMatchObject([{ status: 'withdrawn' }]);
  });
});

test('a run reads a bounded number of assets, and the next one goes on', async () => {
  await copies(1_200, [invoices(0.9)]);
  await database.inspect(sql`analyze`);
  await askRepresentatives(database.db, { clock: Date.now, signal });
  const [walk] = await database.inspect<{ after: string }>(
    sql`select after_asset_id as after from representative_walks where tenant_id = ${DEV}`,
  );
  expect(walk?.after).not.toBe('');
  await withPlans(database.adminUrl, DEV, async (plansOf) => {
    const asked = await queriesOf(database.db, DEV, async (tx) => {
      await unaskedAmong(tx, await nextAssets(tx, 100));
    });
    const nodes = (await plansOf(...asked)).flatMap(({ Plan }) => nodesOf(Plan));
    expect(
      nodes.filter(
        (node) =>
          node['Node Type'] === 'Seq Scan' &&
          ['assets', 'inferences', 'candidates'].includes(node['Relation Name'] ?? ''),
      ),
    ).toEqual([]);
  });
  await askRepresentatives(database.db, { clock: Date.now, signal });
  expect(
    await database.inspect(
      sql`select after_asset_id as after from representative_walks where tenant_id = ${DEV}`,
    ),
  ).toEqual([{ after: '' }]);
});
