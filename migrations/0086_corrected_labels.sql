-- A correction also is a counterexample of the types that it replaces. This adds those of corrections that stand and are for
-- training; they wait for curation like others. It reads the labels of corrections alone and rewrites nothing. As the
-- application it sees one tenant at a time, so no table is opened to its owner and locked for that.

do $$
declare
  v_tenants text[];
  v_tenant text;
begin
  set local role svc_provision;
  v_tenants := array(select tenant_id from tenants);
  set local role svc_app;
  foreach v_tenant in array v_tenants loop
    perform set_config('svc.tenant_id', v_tenant, true);
    insert into dataset_candidates (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id, information_type_id,
                                    domain_id, label, confidence, inference_id, ensemble_version, created_at)
    select c.tenant_id, 'dsc_' || replace(gen_random_uuid()::text, '-', ''), c.decision_id, k.candidate_id, c.asset_id,
           k.information_type_id, k.domain_id, 'counterexample', i.confidence, i.inference_id, c.ensemble_version, c.created_at
      from dataset_candidates c
      join decisions d on d.tenant_id = c.tenant_id and d.decision_id = c.decision_id
      join candidates k on k.tenant_id = c.tenant_id and k.asset_id = c.asset_id and k.decision_id = c.decision_id
      left join inferences i on i.tenant_id = k.tenant_id and i.inference_id = k.inference_id
     where c.tenant_id = v_tenant and c.revised_at is null and c.label = 'positive_example'
       and c.information_type_id = d.corrected_information_type_id
       and k.information_type_id <> d.corrected_information_type_id
    on conflict do nothing;
  end loop;
end
$$;
reset role;
select set_config('svc.tenant_id', '', true);
