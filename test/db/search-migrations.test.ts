import { expect, test } from 'vitest';
import type { TenantId } from '../../core/kernel/ids.ts';
import { parseQuery, wordQuery } from '../../core/search/search-query.ts';
import { migratedFrom } from '../support/earlier-database.ts';

const TENANT = 't' as TenantId;
const [word = { folded: '', spellings: [], beginnings: [] }] = parseQuery('amber').words;
const QUERY = wordQuery(TENANT, word, { names: true, kinds: false, texts: false });

test('assets in segments of the last release are found, with the words of their texts', () =>
  migratedFrom(
    '0056_search_once.sql',
    async (admin) => {
      await admin.query(`
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, 'amber', n, 'file', 1, 'v', 'c', now(), now(), now() - n * interval '1 hour'
            from generate_series(1, 4) n;
        update asset_search set words = words || '''#text'''::tsvector`);
      await admin.query(`select seal_search('t', 3)`);
    },
    async (admin) => {
      await admin.query(`select set_config('svc.tenant_id', 't', false)`);
      const found = async () => {
        const { rows } = await admin.query<{ id: string }>(
          `select assets_having($1, '{}', null, null, 10) as id`,
          [JSON.stringify([{ query: QUERY, any: null }])],
        );
        return rows.map(({ id }) => id);
      };
      expect(await found()).toEqual(['ast_1', 'ast_2', 'ast_3', 'ast_4']);
      await admin.query(`update assets set name = 'birch' where asset_id in ('ast_2', 'ast_1')`);
      expect(await found()).toEqual(['ast_3', 'ast_4']);
      const { rows: withText } = await admin.query(
        `select asset_id from asset_search where words @@ '''#text'''::tsquery order by 1`,
      );
      expect(withText).toHaveLength(4);
      const { rows: sealed } = await admin.query(`select * from seal_search('t')`);
      expect(sealed).toEqual([{ sealed: 0, is_cut: false }]);
    },
  ));
