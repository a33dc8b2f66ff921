import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { newId } from '../../core/kernel/ids.ts';
import { listCells } from '../../core/landscape/cells.sql.ts';
import { foldPlacements } from '../../core/landscape/fold.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const WRITERS = 4;
const ASSETS_EACH = 3;
const DAY = 24 * 3_600_000;
const START = Date.UTC(2026, 4, 1, 12);
/** Two types of one domain, one of another, and a domain without a type, as a colleague sends an asset there. */
const QUESTIONS = [
  { domainId: 'dom_finance', typeId: 'ift_invoices' },
  { domainId: 'dom_finance', typeId: 'ift_bank_accounts' },
  { domainId: 'dom_human_resources', typeId: 'ift_payroll' },
  { domainId: 'dom_human_resources', typeId: null },
] as const;
const TYPES = ['ift_invoices', 'ift_bank_accounts', 'ift_payroll'] as const;
const STATUSES = ['pending', 'deferred', 'confirmed', 'rejected', 'routed', 'withdrawn'] as const;

let database: TestDatabase;
let made = 0;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 0 });
  // Candidates and findings go here from any state to any other, which is more than people can do.
  await database.inspect(sql`alter table candidates disable trigger candidates_transition`);
  await database.inspect(sql`alter table findings disable trigger findings_transition`);
});
afterAll(() => database.drop());

const assetNumber = fc.nat(ASSETS_EACH - 1);
const act = fc.oneof(
  fc.record({ kind: fc.constant('lose' as const), asset: assetNumber, lost: fc.boolean() }),
  fc.record({
    kind: fc.constant('label' as const),
    asset: assetNumber,
    state: fc.constantFrom('labeled', 'unlabeled', 'unknown'),
  }),
  fc.record({
    kind: fc.constant('judge' as const),
    asset: assetNumber,
    severity: fc.constantFrom(null, 'low', 'critical'),
  }),
  fc.record({
    kind: fc.constant('change' as const),
    asset: assetNumber,
    days: fc.nat(9),
    versions: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant('ask' as const),
    asset: assetNumber,
    question: fc.constantFrom(...QUESTIONS),
    status: fc.constantFrom(...STATUSES),
    band: fc.constantFrom('high', 'review', 'routed'),
    confidence: fc.constantFrom(null, 0.4, 0.9),
    corrected: fc.constantFrom(null, null, ...TYPES),
  }),
  fc.record({
    kind: fc.constant('find' as const),
    asset: assetNumber,
    what: fc.constantFrom('exposure', 'label'),
    status: fc.constantFrom('open', 'resolved', 'reopened'),
  }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

async function perform(tx: Tx, assetId: string, act: Act): Promise<void> {
  const ofAsset = sql`tenant_id = ${tx.tenantId} and asset_id = ${assetId}`;
  // As whoever writes what hangs on an asset: the asset is locked first.
  await tx.query(sql`select 1 from assets where ${ofAsset} for no key update`);
  switch (act.kind) {
    case 'lose':
      await tx.query(sql`update assets set status = ${act.lost ? 'deleted' : 'active'} where ${ofAsset}`);
      return;
    case 'label':
      await tx.query(
        sql`update assets set label_state = ${act.state}, last_seen_at = now() where ${ofAsset}`,
      );
      return;
    case 'judge':
      await tx.query(sql`update assets set risk_severity = ${act.severity} where ${ofAsset}`);
      return;
    case 'change': {
      const at = new Date(START - act.days * DAY);
      await tx.query(sql`update assets set changed_at = ${at} where ${ofAsset}`);
      // In one statement and in several, and what is no version too.
      await tx.query(sql`
        insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path,
                                    size_bytes, content_state, observed_at)
        select ${tx.tenantId}, ${assetId}, n + coalesce((select max(version) from asset_versions where ${ofAsset}), 0),
               'v', 'c', 'n', 'p', 1, 'available', ${at}
          from generate_series(1, ${act.versions}::int) as n`);
      return;
    }
    case 'find':
      await tx.query(sql`
        insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                              changed_at, resolved_at)
        values (${tx.tenantId}, ${newId('fnd')}, ${assetId}, ${act.what}, 'high', ${act.status}, '', '1', now(), now(),
                case when ${act.status} = 'resolved' then now() end)
        on conflict on constraint findings_once do update
          set status = excluded.status, resolved_at = excluded.resolved_at`);
      return;
    case 'ask': {
      const candidateId = newId('cnd');
      const [candidate] = await tx.query<{ candidate_id: string; revision: number }>(sql`
        insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band,
                                     status, created_at, updated_at)
        values (${tx.tenantId}, ${candidateId}, ${assetId}, ${act.question.domainId}, ${act.question.typeId},
                ${act.confidence}, ${act.band}, ${act.status}, now(), now())
        on conflict on constraint candidates_once do update
          set status = excluded.status, band = excluded.band, confidence = excluded.confidence, decision_id = null,
              revision = k.revision + 1
        returning candidate_id, revision`);
      if (act.corrected === null || act.status !== 'confirmed' || candidate === undefined) return;
      const decisionId = newId('dec');
      await tx.query(sql`
        insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision,
                               corrected_information_type_id, training_eligible, revision, created_at)
        values (${tx.tenantId}, ${decisionId}, ${candidate.candidate_id}, ${assetId}, ${PERSONA.financeOwner},
                'mine_different_type', ${act.corrected}, false, ${candidate.revision}, now())`);
      await tx.query(sql`
        update candidates set decision_id = ${decisionId}
         where tenant_id = ${tx.tenantId} and candidate_id = ${candidate.candidate_id}`);
    }
  }
}

type Placement = {
  asset: string;
  domain: string | null;
  type: string | null;
  provenance: string;
  firmest: boolean;
  label: string;
  risk: string | null;
  findings: number;
  reviews: number;
  /** Null while the asset is as it was first seen. */
  day: string | null;
};

type AssetRow = { asset: string; label: string; risk: string | null; findings: number; day: string | null };
type CandidateRow = {
  id: string;
  asset: string;
  domain: string;
  type: string | null;
  status: string;
  band: string;
  confidence: number | null;
};

/** Where assets should stand, by what the migration says in words. */
async function expected(tx: Tx): Promise<Placement[]> {
  const assets = await tx.query<AssetRow>(sql`
    select asset_id as asset, label_state as label, risk_severity as risk,
           case when (select count(*) from asset_versions v where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) > 1
                then (changed_at at time zone 'UTC')::date::text end as day,
           (select count(*) from findings f where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
               and status <> 'resolved') as findings
      from assets a where tenant_id = ${tx.tenantId} and status = 'active'`);
  const candidates = await tx.query<CandidateRow>(sql`
    select k.candidate_id as id, k.asset_id as asset, k.domain_id as domain,
           (select t.information_type_id from information_types t
             where t.tenant_id = k.tenant_id and t.domain_id = k.domain_id and t.information_type_id
                   = coalesce(d.corrected_information_type_id, k.information_type_id)) as type,
           k.status, k.band, k.confidence
      from candidates k left join decisions d using (tenant_id, decision_id)
     where k.tenant_id = ${tx.tenantId} and k.status in ('pending', 'deferred', 'confirmed')`);
  const firmness = (a: CandidateRow, b: CandidateRow) =>
    Number(b.status === 'confirmed') - Number(a.status === 'confirmed') ||
    (b.confidence ?? -1) - (a.confidence ?? -1) ||
    (a.id < b.id ? -1 : 1);
  return assets.flatMap(({ findings, ...asset }): Placement[] => {
    const own = candidates.filter((each) => each.asset === asset.asset).sort(firmness);
    if (own.length === 0)
      return [
        {
          ...asset,
          domain: null,
          type: null,
          provenance: 'unclassified',
          firmest: true,
          findings,
          reviews: 0,
        },
      ];
    return own.flatMap((candidate, n): Placement[] => {
      const before = own.slice(0, n).filter((each) => each.domain === candidate.domain);
      if (before.some((each) => each.type === candidate.type)) return [];
      const firmest = before.length === 0;
      const pending = own.filter((each) => each.domain === candidate.domain && each.status === 'pending');
      const provenance =
        candidate.status === 'confirmed' ? 'confirmed' : candidate.band === 'routed' ? 'routed' : 'inferred';
      return [
        {
          ...asset,
          domain: candidate.domain,
          type: candidate.type,
          provenance,
          firmest,
          findings: firmest ? findings : 0,
          reviews: firmest && pending.length > 0 ? 1 : 0,
        },
      ];
    });
  });
}

const stored = (tx: Tx) =>
  tx.query<Placement>(sql`
    select asset_id as asset, domain_id as domain, information_type_id as type, provenance, firmest,
           label_state as label, risk_severity as risk, open_findings as findings, pending_reviews as reviews,
           case when changed_since_first_sight then (changed_at at time zone 'UTC')::date::text end as day
      from asset_placements where tenant_id = ${tx.tenantId}`);

const sorted = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

function tallied(placements: readonly Placement[], keyOf: (placement: Placement) => string | null) {
  const tally: Record<string, number[]> = {};
  for (const placement of placements.filter((each) => each.firmest)) {
    const key = keyOf(placement);
    if (key === null) continue;
    const [assets = 0, findings = 0, reviews = 0] = tally[key] ?? [];
    tally[key] = [assets + 1, findings + placement.findings, reviews + placement.reviews];
  }
  return tally;
}

async function check(tx: Tx): Promise<void> {
  const should = await expected(tx);
  expect(sorted(await stored(tx))).toEqual(sorted(should));
  const cells = await tx.query<{ key: string; counts: number[] }>(sql`
    select concat_ws('/', domain_id, information_type_id, provenance, label_state, risk_severity) as key,
           array[sum(assets), sum(open_findings), sum(pending_reviews)]::int[] as counts
      from (select domain_id, information_type_id, provenance, label_state, risk_severity, assets, open_findings,
                   pending_reviews from landscape_cells where tenant_id = ${tx.tenantId}
            union all
            select domain_id, information_type_id, provenance, label_state, risk_severity, assets, open_findings,
                   pending_reviews from placement_changes where tenant_id = ${tx.tenantId}) counted
     group by 1 having (sum(assets), sum(open_findings), sum(pending_reviews)) <> (0, 0, 0)`);
  expect(Object.fromEntries(cells.map(({ key, counts }) => [key, counts]))).toEqual(
    tallied(should, ({ domain, type, provenance, label, risk }) =>
      [domain ?? '', type ?? '', provenance, label, risk ?? ''].join('/'),
    ),
  );
  const days = await tx.query<{ key: string; assets: number }>(sql`
    select domain_id || '/' || day as key, sum(assets)::int as assets
      from (select domain_id, day, assets from domain_days where tenant_id = ${tx.tenantId}
            union all
            select domain_id, day, assets from placement_changes
             where tenant_id = ${tx.tenantId} and domain_id <> '' and day is not null) counted
     group by 1 having sum(assets) <> 0`);
  expect(Object.fromEntries(days.map(({ key, assets }) => [key, assets]))).toEqual(
    Object.fromEntries(
      Object.entries(tallied(should, ({ domain, day }) => domain && day && `${domain}/${day}`)).map(
        ([key, [assets]]) => [key, assets],
      ),
    ),
  );
}

const read = (fn: (tx: Tx) => Promise<void>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);
const write = (fn: (tx: Tx) => Promise<void>) => withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);

describe('where assets stand', () => {
  const transaction = fc.record({
    acts: fc.array(act, { minLength: 1, maxLength: 5 }),
    fails: fc.boolean(),
  });

  test('an asset is placed once in a transaction, however many statements change it', async () => {
    const assetId = 'ast_placed_once';
    await storeScanned(database.db, DEV, [{ assetId, seenAt: START, isAsFirstSeen: true }]);
    await database.inspect(sql`create table placed (asset_id text)`);
    await database.inspect(sql`grant insert on placed to public`);
    await database.inspect(sql`
      create function note_placed() returns trigger language plpgsql as $$
      begin insert into public.placed values (new.asset_id); return null; end $$`);
    await database.inspect(sql`
      create trigger zz_placed after insert or update on asset_placements for each row execute function note_placed()`);
    await write(async (tx) => {
      for (const severity of ['low', 'critical'] as const)
        await perform(tx, assetId, { kind: 'judge', asset: 0, severity });
      await perform(tx, assetId, { kind: 'label', asset: 0, state: 'labeled' });
    });
    expect(await database.inspect(sql`select asset_id from placed`)).toEqual([{ asset_id: assetId }]);
    await database.inspect(sql`drop table placed cascade`);
    await database.inspect(sql`drop function note_placed cascade`);
  });

  test('is exact in every snapshot, as are its tallies, under concurrency and rollback', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(transaction, { maxLength: 5 }), { minLength: 2, maxLength: WRITERS }),
        async (writers) => {
          const run = made++;
          const assetOf = (who: number, n: number) => `ast_placed_${run}_${who}_${n}`;
          await storeScanned(
            database.db,
            DEV,
            writers.flatMap((_, who) =>
              Array.from({ length: ASSETS_EACH }, (_, n) => ({
                assetId: assetOf(who, n),
                seenAt: START,
                isAsFirstSeen: true as const,
              })),
            ),
          );
          let writing = true;
          const writer = async (transactions: (typeof writers)[number], who: number) => {
            for (const { acts, fails } of transactions) {
              const attempt = write(async (tx) => {
                for (const each of acts) await perform(tx, assetOf(who, each.asset), each);
                if (fails) throw new RangeError('rolled back');
              });
              if (fails) await expect(attempt).rejects.toThrow('rolled back');
              else await attempt;
            }
          };
          const reading = (async () => {
            while (writing) await read(check);
          })();
          const folding = (async () => {
            while (writing) await foldPlacements(database.db, new AbortController().signal);
          })();
          await Promise.all(writers.map(writer)).finally(() => {
            writing = false;
          });
          await Promise.all([reading, folding]);
          await read(check);
          await write(async (tx) => {
            await tx.query(
              sql`update assets set status = 'deleted' where tenant_id = ${tx.tenantId} and status = 'active'`,
            );
          });
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });

  test('has the largest cells first, for any limit and before any folding', async () => {
    const largest = async (limit: number) => {
      let cells: unknown[] = [];
      await read(async (tx) => {
        cells = await listCells(tx, { kind: 'tenant' }, limit);
      });
      return cells;
    };
    const count = 12;
    await storeScanned(
      database.db,
      DEV,
      Array.from({ length: count }, (_, n) => ({ assetId: `ast_cells_${n}`, seenAt: START })),
    );
    const label = (state: string, from: number, to: number) =>
      write(async (tx) => {
        const ids = Array.from({ length: to - from }, (_, n) => `ast_cells_${from + n}`);
        await tx.query(sql`update assets set label_state = ${state} where asset_id = any(${ids}::text[])`);
      });
    await label('labeled', 0, 7);
    await foldPlacements(database.db, new AbortController().signal);
    expect(await largest(1)).toMatchObject([{ labelState: 'labeled', assets: 7 }]);
    // What was largest when it was folded is so no longer.
    await label('unlabeled', 0, 5);
    const all = await largest(100);
    expect(all).toMatchObject([
      { labelState: 'unlabeled', assets: 10 },
      { labelState: 'labeled', assets: 2 },
    ]);
    expect(await largest(1)).toEqual(all.slice(0, 1));
    await foldPlacements(database.db, new AbortController().signal);
    expect(await largest(100)).toEqual(all);
    await write(async (tx) => {
      await tx.query(sql`update assets set status = 'deleted' where asset_id like 'ast_cells_%'`);
    });
  });

  test('is the same when it is made again', async () => {
    await storeScanned(database.db, DEV, [
      {
        assetId: 'ast_anew_1',
        said: [{ domainId: 'dom_finance', informationTypeId: 'ift_invoices', confidence: 0.9 }],
      },
      { assetId: 'ast_anew_2' },
    ]);
    await read(check);
    await database.inspect(sql`truncate asset_placements, landscape_cells, domain_days, placement_changes`);
    await database.inspect(sql`select rebuild_placements(${DEV})`);
    await read(async (tx) => {
      await check(tx);
      expect(await stored(tx)).toHaveLength(2);
    });
  });
});
