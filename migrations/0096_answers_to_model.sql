-- The newest answers of a domain to questions of the model. The queue reads them to say what to expect. Additive.
create index candidates_answered on candidates (tenant_id, domain_id, decision_id desc)
  include (information_type_id, confidence, status)
  where decision_id is not null and inference_id is not null and status in ('confirmed', 'rejected', 'routed')
    and asked_because in ('inferred', 'put_off', 'content_changed', 'correction_revised');
