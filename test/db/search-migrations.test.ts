import { expect, test } from 'vitest';
import type { TenantId } from '../../core/kernel/ids.ts';
import { toTsquery, wordTerms } from '../../core/search/search-query.ts';
import { migratedFrom } from '../support/earlier-database.ts';

/** Slots of a segment. */
const FULL = 16_384;

test('assets from when there were eras and words by domain are sealed without them, and lose them when they change', () =>
  migratedFrom(
    '0045_search_by_segments_alone.sql',
    (admin) =>
      admin.query(`
        insert into domains (tenant_id, domain_id, name, created_at, updated_at) values ('t', 'dom_a', 'A', now(), now());
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, 'amber', n, 'file', 1, 'v', 'c', now(), now(), now() from generate_series(1, 3) n;
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, confidence, band, created_at, updated_at)
          select 't', 'cnd_' || n, 'ast_' || n, 'dom_a', 0.9, 'high', now(), now() from generate_series(1, 3) n`),
    async (admin) => {
      const leftOver = async (text: string) => {
        const { rows } = await admin.query<{ asset_id: string }>(text);
        return rows.map(({ asset_id }) => asset_id);
      };
      const WORDS = `select asset_id from asset_search where words::text like '%''@%' order by 1`;
      const MARKS = `select asset_id from asset_search where marks::text like '%era:%' order by 1`;
      expect(await leftOver(WORDS)).toEqual(['ast_1', 'ast_2', 'ast_3']);
      expect(await leftOver(MARKS)).toEqual(['ast_1', 'ast_2', 'ast_3']);
      await admin.query(`select seal_search('t')`);
      const { rows: sealed } = await admin.query(
        `select count(*)::int as lexemes, count(*) filter (where lexeme ~ '@|era')::int as old from search_postings`,
      );
      // The word, the paths, domain and label state.
      expect(sealed).toEqual([{ lexemes: 6, old: 0 }]);
      await admin.query(`update assets set name = 'birch' where asset_id = 'ast_1'`);
      await admin.query(`update candidates set status = 'rejected' where asset_id = 'ast_2'`);
      expect(await leftOver(WORDS)).toEqual(['ast_2', 'ast_3']);
      expect(await leftOver(MARKS)).toEqual(['ast_1', 'ast_3']);
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
