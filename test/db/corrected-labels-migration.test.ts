import { expect, test } from 'vitest';
import { migratedFrom } from '../support/earlier-database.ts';

test('corrections before the upgrade become counterexamples of the types they replaced', () =>
  migratedFrom(
    '0086_corrected_labels.sql',
    (admin) =>
      admin.query(`
        insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                               near_dup_confirmed_boost, exact_dup_confirmed_boost, active, created_at)
          values ('t', 1, 0.4, 0.5, 0.8, 0.1, 0.1, true, now());
        insert into principals (tenant_id, principal_id, display_name, title, department)
          values ('t', 'pri_a', 'A', '', '');
        insert into domains (tenant_id, domain_id, name, created_at, updated_at) values ('t', 'dom', 'D', now(), now());
        insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
          select 't', 'ift_' || n, 'dom', n, now(), now() from unnest('{a,b,c}'::text[]) n;
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, first_seen_at, last_seen_at, changed_at)
          select 't', 'ast_' || n, 'scp', n, 'amber', n, 'file', 1, 'v', 'c', now(), now(), now()
            from unnest('{stands,revised,silent,plain}'::text[]) n;
        insert into inferences (tenant_id, inference_id, asset_id, information_type_id, domain_id, confidence, contributions,
                                ensemble_version, inference_key, created_at)
          select 't', 'inf_' || n, 'ast_' || n, 'ift_a', 'dom', 0.7, '[]', 1, 'key', now()
            from unnest('{stands,revised,silent,plain}'::text[]) n;
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, inference_id, confidence,
                                band, status, created_at, updated_at)
          select 't', 'cnd_' || n, 'ast_' || n, 'dom', 'ift_a', 'inf_' || n, 0.7, 'high', 'confirmed', now(), now()
            from unnest('{stands,revised,silent,plain}'::text[]) n;
        insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, band, status, created_at,
                                updated_at)
          values ('t', 'cnd_also', 'ast_stands', 'dom', 'ift_b', 'high', 'confirmed', now(), now()),
                 ('t', 'cnd_named', 'ast_stands', 'dom', 'ift_c', 'routed', 'confirmed', now(), now());
        insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision,
                               corrected_information_type_id, training_eligible, revision, created_at)
          select 't', 'dec_' || n, 'cnd_' || n, 'ast_' || n, 'pri_a', 'mine_different_type', 'ift_c', n <> 'silent', 1, now()
            from unnest('{stands,revised,silent}'::text[]) n;
        insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision, training_eligible,
                               revision, created_at)
          values ('t', 'dec_plain', 'cnd_plain', 'ast_plain', 'pri_a', 'mine', true, 1, now()),
                 ('t', 'dec_later', 'cnd_revised', 'ast_revised', 'pri_a', 'mine', false, 2, now());
        update candidates set decision_id = case when candidate_id = 'cnd_revised' then 'dec_later'
                                                 else replace(asset_id, 'ast_', 'dec_') end;
        insert into dataset_candidates (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id,
                                        information_type_id, domain_id, label, ensemble_version, created_at, revised_at)
          values ('t', 'dsc_stands', 'dec_stands', 'cnd_stands', 'ast_stands', 'ift_c', 'dom', 'positive_example', 1, now(), null),
                 ('t', 'dsc_revised', 'dec_revised', 'cnd_revised', 'ast_revised', 'ift_c', 'dom', 'positive_example', 1, now(), now()),
                 ('t', 'dsc_plain', 'dec_plain', 'cnd_plain', 'ast_plain', 'ift_a', 'dom', 'positive_example', 1, now(), null)`),
    async (admin) => {
      const { rows } = await admin.query(`
        select candidate_id, information_type_id, label, status, confidence, decision_id, revised_at from dataset_candidates
         where dataset_candidate_id not in ('dsc_stands', 'dsc_revised', 'dsc_plain') order by 1`);
      const added = {
        label: 'counterexample',
        status: 'pending',
        decision_id: 'dec_stands',
        revised_at: null,
      };
      expect(rows).toEqual([
        { ...added, candidate_id: 'cnd_also', information_type_id: 'ift_b', confidence: null },
        { ...added, candidate_id: 'cnd_stands', information_type_id: 'ift_a', confidence: 0.7 },
      ]);
    },
  ));
