import { expect, test } from 'vitest';
import { toTsquery, wordTerms } from '../../core/assets/search-query.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { migratedFrom } from '../support/earlier-database.ts';

/** Slots of a segment. */
const FULL = 16_384;

test('assets that were there before eras are marked as those that come', () =>
  migratedFrom(
    '0042_search_eras.sql',
    (admin) =>
      admin.query(`
        insert into domains (tenant_id, domain_id, name, created_at, updated_at)
          select 't', id, n, now(), now() from unnest(array['dom_a', 'dom_z', 'dom_Z']) with ordinality as d (id, n);
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, status, risk_severity, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, n, n, 'file', 1, 'v', 'c', case when n = 3 then 'deleted' else 'active' end,
                 case when n % 2 = 0 then 'high' end, now(), now(), now() - n / 3 * interval '1 second'
            from generate_series(1, 5000) n;
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, confidence, band, created_at, updated_at)
          select 't', 'cnd_' || n || domain_id, 'ast_' || n, domain_id, 0.9, 'high', now(), now()
            from generate_series(1, 9) n cross join domains`),
    async (admin) => {
      const { rows } = await admin.query(`
        select count(*)::int as assets, count(*) filter (where s.marks = search_marks(a))::int as alike,
               count(distinct array(select m from unnest(s.marks) m where m like '%era:%'))::int as eras
          from asset_search s join assets a using (tenant_id, asset_id)`);
      expect(rows).toEqual([{ assets: 5000, alike: 5000, eras: 2 }]);
    },
  ));

test('assets that were there before segments are fresh, and found the same once they are sealed, each in its slot', () =>
  migratedFrom(
    '0043_search_segments.sql',
    (admin) =>
      // The oldest fill a segment. By the place in it: at both ends of it, and where each 512 slots begin and end. What else
      // is kept of assets is of no matter here, and takes its time.
      admin.query(`
        set session_replication_role = replica;
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, status, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, concat_ws(' ', 'every', case when n % 512 in (0, 511) then 'edge' end), n, 'file', 1, 'v',
                 'c', case when n = -7 then 'deleted' else 'active' end, now(), now(), now() - n * interval '1 second'
            from generate_series(-600, ${FULL - 1}) n;
        reset session_replication_role;
        select rebuild_search('t')`),
    async (admin) => {
      const { rows: fresh } = await admin.query(
        'select count(*)::int as assets from asset_search where segment is null and active',
      );
      expect(fresh).toEqual([{ assets: FULL + 599 }]);
      for (const expected of [FULL, 599, 0]) {
        const { rows } = await admin.query(`select sealed from seal_search('t')`);
        expect(rows).toEqual([{ sealed: expected }]);
      }
      const { rows: sealed } = await admin.query(`
        select segment, count(*)::int as assets from asset_search where active group by segment order by segment`);
      expect(sealed).toEqual([
        { segment: 1, assets: FULL },
        { segment: 2, assets: 599 },
      ]);
      const { rows: deleted } = await admin.query(
        'select asset_id, segment from asset_search where not active',
      );
      expect(deleted).toEqual([{ asset_id: 'ast_-7', segment: null }]);
      const tenantId = 't' as TenantId;
      await admin.query(`select set_config('svc.tenant_id', 't', false)`);
      for (const [word, wanted] of [
        ['edge', `name like '%edge%'`],
        ['every', 'true'],
      ] as const) {
        const terms = wordTerms(tenantId, { folded: word, prefix: false }, { inTexts: true });
        const search = {
          terms: terms.map((term) => ({ group: 0, ...term })),
          ways: [{ groups: [0], query: toTsquery([terms]), any: null }],
        };
        const { rows: found } = await admin.query(
          `select unnest(asset_ids) as asset_id from find_assets($1, '{}', null, null, 20000)`,
          [JSON.stringify([search])],
        );
        const { rows: walked } = await admin.query(`
          select asset_id from assets where status = 'active' and ${wanted} order by changed_at desc, asset_id desc`);
        expect(walked.length).toBeGreaterThan(60);
        expect(found).toEqual(walked);
      }
    },
  ));
