import { expect, test } from 'vitest';
import { migratedFrom } from '../support/earlier-database.ts';

test('questions that people asked before are told from those of the model', () =>
  migratedFrom(
    '0046_answers_name_content.sql',
    (admin) =>
      admin.query(`
        insert into domains (tenant_id, domain_id, name, created_at, updated_at)
          select 't', 'dom_' || d, d, now(), now() from unnest('{a,b}'::text[]) d;
        insert into principals (tenant_id, principal_id, display_name, title, department)
          values ('t', 'pri_a', 'A', '', '');
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, 'amber', n, 'file', 1, 'v', 'c', now(), now(), now() from generate_series(1, 2) n;
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, band, status, created_at, updated_at)
          values ('t', 'cnd_sent', 'ast_1', 'dom_b', 'routed', 'pending', now(), now()),
                 ('t', 'cnd_asked', 'ast_1', 'dom_a', 'high', 'pending', now(), now()),
                 ('t', 'cnd_refused', 'ast_2', 'dom_b', 'routed', 'rejected', now(), now()),
                 ('t', 'cnd_back', 'ast_2', 'dom_a', 'high', 'pending', now(), now());
        insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision, routed_domain_id,
                               training_eligible, revision, created_at)
          values ('t', 'dec_1', 'cnd_back', 'ast_2', 'pri_a', 'another_domain', 'dom_b', false, 1, now())`),
    async (admin) => {
      const { rows } = await admin.query(
        'select candidate_id, asked_because, earlier_decision_id from candidates order by 1',
      );
      expect(rows).toEqual([
        { candidate_id: 'cnd_asked', asked_because: 'inferred', earlier_decision_id: null },
        { candidate_id: 'cnd_back', asked_because: 'returned', earlier_decision_id: 'dec_1' },
        { candidate_id: 'cnd_refused', asked_because: 'routed', earlier_decision_id: null },
        { candidate_id: 'cnd_sent', asked_because: 'routed', earlier_decision_id: null },
      ]);
      // Where assets stand is as it was.
      const { rows: placed } = await admin.query(
        'select asset_id, domain_id, pending_reviews from asset_placements order by 1, 2',
      );
      expect(placed).toEqual([
        { asset_id: 'ast_1', domain_id: 'dom_a', pending_reviews: 1 },
        { asset_id: 'ast_1', domain_id: 'dom_b', pending_reviews: 1 },
        { asset_id: 'ast_2', domain_id: 'dom_a', pending_reviews: 1 },
      ]);
    },
  ));
