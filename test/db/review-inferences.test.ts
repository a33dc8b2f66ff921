import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { recomputeRisk } from '../../core/findings/recompute.ts';
import { riskOf } from '../../core/findings/risk.sql.ts';
import { loadActiveEnsemble } from '../../core/inference/active-ensemble.sql.ts';
import type { Inference } from '../../core/inference/inference.ts';
import { type AssetId, newId, type PrincipalId, type TenantId } from '../../core/kernel/ids.ts';
import { decide } from '../../core/review/decide.ts';
import type { DecisionRequest } from '../../core/review/decision.ts';
import { decisionsOnCopies } from '../../core/review/decisions-on-copies.sql.ts';
import { recordInferences, suggestionsOf } from '../../core/review/record-inferences.sql.ts';
import { storeInferenceKeys } from '../../core/scan/rescore.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA, seedTenants } from '../support/seed.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const AT = new Date(NOW);
const FINANCE: Visibility = { kind: 'domains', domainIds: ['dom_finance'] as never };

let database: TestDatabase;
/** New for each test, in an otherwise empty corner of the tenant. */
let asset: AssetId;
let hash: Buffer;

const as = <T>(tenantId: TenantId, fn: (tx: Tx) => Promise<T>) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);

const insertAsset = (tenantId: TenantId, assetId: AssetId, contentHash: Buffer) =>
  as(tenantId, (tx) =>
    tx.query(sql`
      insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                          content_version, content_hash, first_seen_at, last_seen_at)
      values (${tenantId}, ${assetId}, 'scp_1', ${assetId}, 'A name', '/A name', 'file', 1, 'v1', 'c1', ${contentHash}, ${AT}, ${AT})`),
  );

beforeAll(async () => {
  database = await createTestDatabase();
  await seedTenants(database.owner, NOW);
  for (const tenantId of [DEV, OTHER]) {
    await as(tenantId, async (tx) => {
      await tx.query(sql`
        insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
        values (${tenantId}, 'con_1', 'm365', 'mock', ${AT})`);
      await tx.query(sql`
        insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
        values (${tenantId}, 'scp_1', 'con_1', 'm365', 'site-1', 'Site', 'site', ${AT})`);
    });
  }
});
afterAll(() => database.drop());
beforeEach(async () => {
  asset = newId('ast') as AssetId;
  hash = randomBytes(32);
  await insertAsset(DEV, asset, hash);
});

const inference = (informationTypeId: string, confidence: number, domainId = 'dom_finance'): Inference => ({
  informationTypeId,
  domainId,
  sensitivity: 'internal',
  confidence,
  contributions: [{ name: 'name_and_path', weight: 1.6, score: 1, value: 1.6, evidence: { name: ['x'] } }],
  ensembleVersion: 1,
});

/** As a scan does, which locks the asset before anything that hangs on it. */
const record = (
  inferenceKey: string,
  inferences: Inference[],
  assetId = asset,
  tenantId = DEV,
  readAgain = true,
) =>
  as(tenantId, async (tx) => {
    const ensemble = await loadActiveEnsemble(tx);
    await tx.query(sql`
      select from assets where tenant_id = ${tx.tenantId} and asset_id = ${assetId} for no key update`);
    const run = {
      assetId,
      suggestions: suggestionsOf(inferences, { refusedBy: [], signals: [], spellings: undefined }, ensemble),
      inferenceKey,
      readAgain,
    };
    await recordInferences(tx, [run], ensemble.version, NOW);
    await storeInferenceKeys(tx, [{ assetId, inferenceKey }]);
  });

type CandidateRow = { type: string | null; band: string; status: string; confidence: number | null };
const candidates = (assetId = asset) =>
  database.inspect<CandidateRow>(sql`
    select information_type_id as type, band, status, confidence from candidates where asset_id = ${assetId}
     order by domain_id, information_type_id nulls last`);
const statusOf = async (type: string) => (await candidates()).find((each) => each.type === type)?.status;

const answer = async (type: string, request: Partial<DecisionRequest>, assetId = asset, tenantId = DEV) => {
  const [row] = await database.inspect<{ candidate_id: string }>(sql`
    select candidate_id from candidates
     where tenant_id = ${tenantId} and asset_id = ${assetId} and information_type_id = ${type}`);
  const principal = {
    principalId: (tenantId === DEV ? PERSONA.financeOwner : inOther(PERSONA.financeOwner)) as PrincipalId,
  };
  const by = {
    principal: principal as never,
    visibility: FINANCE,
    correlationId: 'cor_1',
    audit: () => undefined,
  };
  const whole = { trainingEligible: false, ...request } as DecisionRequest;
  return as(tenantId, (tx) => decide(tx, by, row?.candidate_id ?? '', whole, NOW));
};

const counts = async () => {
  const [row] = await database.inspect<Record<string, number>>(sql`
    select (select count(*)::int from inferences where asset_id = ${asset}) as inferences,
           (select count(*)::int from assertions where asset_id = ${asset}) as assertions,
           (select count(*)::int from candidates where asset_id = ${asset}) as candidates`);
  return row;
};

describe('recording what the model said', () => {
  test('asks of what reaches the threshold; the rest is kept and not asked', async () => {
    await record('k1', [
      inference('ift_invoices', 0.9),
      inference('ift_tax_papers', 0.4),
      inference('ift_payment_cards', 0.39),
    ]);
    expect(await counts()).toEqual({ inferences: 3, assertions: 2, candidates: 2 });
    expect(await candidates()).toEqual([
      { type: 'ift_invoices', band: 'high', status: 'pending', confidence: 0.9 },
      { type: 'ift_tax_papers', band: 'review', status: 'pending', confidence: 0.4 },
    ]);
  });

  test('with the same key adds nothing', async () => {
    await record('k1', [inference('ift_invoices', 0.9)]);
    const before = [await counts(), await candidates()];
    await record('k1', [inference('ift_invoices', 0.9)]);
    expect([await counts(), await candidates()]).toEqual(before);
  });

  test('keeps the earlier inference, and the question follows the newest', async () => {
    await record('k1', [inference('ift_invoices', 0.9)]);
    await record('k2', [inference('ift_invoices', 0.6)]);
    expect(await counts()).toEqual({ inferences: 2, assertions: 2, candidates: 1 });
    expect(await candidates()).toMatchObject([{ band: 'review', confidence: 0.6 }]);
  });

  test('raises the revision with every change of what is asked, and with nothing else', async () => {
    const revision = async () => {
      const [row] = await database.inspect<{ revision: number }>(
        sql`select revision from candidates where asset_id = ${asset}`,
      );
      return row?.revision;
    };
    const steps: [string, Inference[], number][] = [
      ['k1', [inference('ift_invoices', 0.9)], 0],
      ['k1', [inference('ift_invoices', 0.9)], 0],
      ['k2', [inference('ift_invoices', 0.9)], 1],
      ['k3', [], 2],
      ['k4', [], 2],
      ['k5', [inference('ift_invoices', 0.9)], 3],
    ];
    for (const [key, inferences, expected] of steps) {
      await record(key, inferences);
      expect(await revision(), key).toBe(expected);
    }
    await expect(answer('ift_invoices', { decision: 'mine', revision: 1 })).rejects.toMatchObject({
      code: 'conflict',
    });
    await answer('ift_invoices', { decision: 'need_more_evidence', revision: 3 });
    await record('k6', [inference('ift_invoices', 0.9)]);
    expect(await revision()).toBe(5);
    await answer('ift_invoices', { decision: 'mine', revision: 5 });
    await record('k7', [inference('ift_invoices', 0.7)]);
    expect(await revision()).toBe(6);
  });

  test('a rescore from retained features raises the revision with band and status alone', async () => {
    const again = async (key: string, inferences: Inference[]) => {
      await record(key, inferences, asset, DEV, false);
      const [row] = await database.inspect<{ revision: number; confidence: number }>(
        sql`select revision, confidence from candidates where asset_id = ${asset}`,
      );
      return row;
    };
    await record('k1', [inference('ift_invoices', 0.6)]);
    expect(await again('k2', [inference('ift_invoices', 0.7)])).toEqual({ revision: 0, confidence: 0.7 });
    expect(await again('k3', [inference('ift_invoices', 0.9)])).toEqual({ revision: 1, confidence: 0.9 });
    expect(await again('k4', [])).toMatchObject({ revision: 2 });
    expect(await again('k5', [inference('ift_invoices', 0.9)])).toMatchObject({ revision: 3 });
    await answer('ift_invoices', { decision: 'need_more_evidence', revision: 3 });
    expect(await again('k6', [inference('ift_invoices', 0.9)])).toMatchObject({ revision: 5 });
    await answer('ift_invoices', { decision: 'mine', revision: 5 });
  });

  test('withdraws what nothing supports any more, and asks again once something does', async () => {
    await record('k1', [inference('ift_invoices', 0.9), inference('ift_tax_papers', 0.7)]);
    await record('k2', [inference('ift_tax_papers', 0.7), inference('ift_invoices', 0.2)]);
    expect(await statusOf('ift_invoices')).toBe('withdrawn');
    expect(await statusOf('ift_tax_papers')).toBe('pending');
    await record('k3', []);
    expect(await statusOf('ift_tax_papers')).toBe('withdrawn');
    await record('k4', [inference('ift_invoices', 0.8)]);
    expect(await statusOf('ift_invoices')).toBe('pending');
  });

  test.each([
    ['mine', 'confirmed'],
    ['not_a_match', 'rejected'],
    ['another_domain', 'routed'],
  ] as const)('leaves alone what was answered by %s', async (decision, status) => {
    await record('k1', [inference('ift_invoices', 0.9)]);
    const routed = decision === 'another_domain' ? { routedDomainId: 'dom_legal' } : {};
    await answer('ift_invoices', { decision, ...routed } as Partial<DecisionRequest>);
    const before = (await candidates()).find((each) => each.type === 'ift_invoices');
    await record('k2', [inference('ift_invoices', 0.95)]);
    await record('k3', []);
    expect((await candidates()).find((each) => each.type === 'ift_invoices')).toEqual(before);
    expect(before?.status).toBe(status);
  });

  test('opens again what was put off when the inference is new, and not otherwise', async () => {
    await record('k1', [inference('ift_invoices', 0.9)]);
    await answer('ift_invoices', { decision: 'need_more_evidence' });
    await record('k1', [inference('ift_invoices', 0.9)]);
    expect(await statusOf('ift_invoices')).toBe('deferred');
    await record('k2', [inference('ift_invoices', 0.9)]);
    expect(await statusOf('ift_invoices')).toBe('pending');
  });

  test('does not withdraw what a person asked', async () => {
    await record('k1', [inference('ift_invoices', 0.9)]);
    await answer('ift_invoices', { decision: 'another_domain', routedDomainId: 'dom_legal' });
    await record('k2', []);
    expect(await candidates()).toContainEqual({
      type: null,
      band: 'routed',
      status: 'pending',
      confidence: null,
    });
  });

  test('a decision that waits for a scan, and the reverse, lose nothing', async () => {
    await record('k0', [inference('ift_invoices', 0.9)]);
    await Promise.all([
      ...Array.from({ length: 8 }, (_, n) =>
        record(`r${n}`, n % 2 === 0 ? [] : [inference('ift_invoices', 0.8)]),
      ),
      answer('ift_invoices', { decision: 'mine' }).catch((error: unknown) => {
        // The scan may have withdrawn the question first.
        expect(error).toMatchObject({ code: 'conflict' });
      }),
    ]);
    const [decided] = await database.inspect<{ count: number }>(
      sql`select count(*)::int as count from decisions where asset_id = ${asset}`,
    );
    expect(['pending', 'withdrawn', 'confirmed']).toContain(await statusOf('ift_invoices'));
    expect((await statusOf('ift_invoices')) === 'confirmed').toBe(decided?.count === 1);
  });
});

describe('what owners said of byte-identical copies', () => {
  const ofCopies = (tenantId = DEV, contentHash: Buffer | null = hash) =>
    as(tenantId, (tx) => decisionsOnCopies(tx, asset, contentHash?.toString('hex') ?? null));

  let copy: AssetId;

  beforeEach(async () => {
    copy = newId('ast') as AssetId;
    await insertAsset(DEV, copy, hash);
    await record('k1', [inference('ift_invoices', 0.9)], copy);
  });

  test.each<[Partial<DecisionRequest>, object[]]>([
    [{ decision: 'mine' }, [{ informationTypeId: 'ift_invoices', outcome: 'confirmed' }]],
    [{ decision: 'mine_not_sensitive' }, [{ informationTypeId: 'ift_invoices', outcome: 'confirmed' }]],
    [{ decision: 'not_a_match' }, [{ informationTypeId: 'ift_invoices', outcome: 'refused' }]],
    [
      { decision: 'mine_different_type', correctedInformationTypeId: 'ift_tax_papers' },
      [
        { informationTypeId: 'ift_invoices', outcome: 'refused' },
        { informationTypeId: 'ift_tax_papers', outcome: 'confirmed' },
      ],
    ],
    [{ decision: 'another_domain', routedDomainId: 'dom_legal' }, []],
    [{ decision: 'need_more_evidence' }, []],
  ])('%o', async (request, expected) => {
    expect(await ofCopies()).toEqual([]);
    await answer('ift_invoices', request, copy);
    expect(await ofCopies()).toEqual(expected.map((each) => ({ kind: 'exact', ...each })));
  });

  test('only the latest decision counts', async () => {
    await answer(
      'ift_invoices',
      { decision: 'mine_different_type', correctedInformationTypeId: 'ift_tax_papers' },
      copy,
    );
    await answer('ift_invoices', { decision: 'not_a_match' }, copy);
    expect(await ofCopies()).toEqual([
      { kind: 'exact', informationTypeId: 'ift_invoices', outcome: 'refused' },
    ]);
  });

  test('only decisions before a time count, where one is given', async () => {
    await answer('ift_invoices', { decision: 'mine' }, copy);
    const decidedBefore = (time: number) =>
      as(DEV, (tx) => decisionsOnCopies(tx, asset, hash.toString('hex'), null, new Date(time)));
    expect(await decidedBefore(NOW)).toEqual([]);
    expect(await decidedBefore(NOW + 1)).toHaveLength(1);
  });

  test('not of the asset itself, other bytes, deleted assets or another tenant', async () => {
    await answer('ift_invoices', { decision: 'mine' }, copy);
    expect(await ofCopies()).toHaveLength(1);
    const itself = await as(DEV, (tx) => decisionsOnCopies(tx, copy, hash.toString('hex')));
    expect(itself).toEqual([]);
    expect(await ofCopies(DEV, Buffer.alloc(32, 8))).toEqual([]);
    expect(await ofCopies(DEV, null)).toEqual([]);
    expect(await ofCopies(OTHER)).toEqual([]);
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = ${copy}`);
    expect(await ofCopies()).toEqual([]);
  });
});

/** The components of the asset's risk, judged again. */
const components = async () => {
  await as(DEV, (tx) => recomputeRisk(tx, asset, NOW));
  const rows = await as(DEV, (tx) => riskOf(tx, asset));
  return rows.map(({ name }) => name);
};

test.each<Partial<DecisionRequest>>([
  { decision: 'another_domain', routedDomainId: 'dom_legal' },
  { decision: 'need_more_evidence' },
])('after %o the risk is by what the model says of it now', async (request) => {
  await record('k1', [inference('ift_invoices', 0.9), inference('ift_tax_papers', 0.5)]);
  await answer('ift_invoices', request);
  await record('k2', [inference('ift_invoices', 0.6)]);
  expect(await components()).toEqual(['sensitivity']);
  await record('k3', [inference('ift_invoices', 0.3)]);
  expect(await components()).toEqual([]);
});

test('an owner who was sent a copy and names no type has taken charge of it', async () => {
  const copy = newId('ast') as AssetId;
  await insertAsset(DEV, copy, hash);
  await record('k1', [inference('ift_invoices', 0.9)]);
  await record('k1', [inference('ift_invoices', 0.9)], copy);
  await answer('ift_invoices', { decision: 'mine' }, copy);
  await answer('ift_invoices', { decision: 'another_domain', routedDomainId: 'dom_legal' });
  expect(await components()).toEqual(['sensitivity', 'unmanaged_copy']);
  const [sent] = await database.inspect<{ id: string }>(sql`
    select candidate_id as id from candidates where asset_id = ${asset} and domain_id = 'dom_legal'`);
  const by = {
    principal: { principalId: PERSONA.financeOwner } as never,
    visibility: { kind: 'tenant' } as const,
    correlationId: 'cor_1',
    audit: () => undefined,
  };
  const mine = { decision: 'mine', trainingEligible: false } as const;
  await as(DEV, (tx) => decide(tx, by, sent?.id ?? '', mine, NOW));
  // What the model takes it for is as true as before.
  expect(await components()).toEqual(['sensitivity']);
});
