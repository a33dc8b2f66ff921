create table public.action_domains (
  tenant_id text not null,
  action_id text not null,
  domain_id text not null
);
row security, forced;
constraint action_domains_pkey PRIMARY KEY (tenant_id, action_id, domain_id);
constraint action_domains_tenant_id_action_id_fkey FOREIGN KEY (tenant_id, action_id) REFERENCES public.actions(tenant_id, action_id);
constraint action_domains_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
CREATE INDEX action_domains_domain ON public.action_domains USING btree (tenant_id, domain_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.action_transitions (
  tenant_id text not null,
  action_id text not null,
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  principal_id text,
  reason text,
  note text,
  created_at timestamp with time zone not null
);
row security, forced;
constraint action_transitions_pkey PRIMARY KEY (tenant_id, action_id, revision);
constraint action_transitions_tenant_id_action_id_fkey FOREIGN KEY (tenant_id, action_id) REFERENCES public.actions(tenant_id, action_id);
constraint action_transitions_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER action_transitions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.action_transitions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.actions (
  tenant_id text not null,
  action_id text not null,
  kind text not null,
  target_asset_id text not null,
  finding_id text,
  justification text not null,
  desired_label_guid text,
  task_title text,
  task_note text,
  status text not null,
  blocked_reason text,
  outcome_reason text,
  mode text,
  preview jsonb not null,
  source_version text,
  verification jsonb,
  requested_by text not null,
  decided_by text,
  correlation_id text,
  attempt smallint not null default 0,
  due_at timestamp with time zone,
  revision integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  idempotency_key text,
  accepted_at timestamp with time zone,
  monitor text
);
row security, forced;
constraint actions_accepted CHECK (((accepted_at IS NULL) OR (status = 'executing'::text)));
constraint actions_blocked CHECK (((status = 'blocked'::text) = (blocked_reason IS NOT NULL)));
constraint actions_decided CHECK (((status <> ALL (ARRAY['approved'::text, 'executing'::text, 'verified'::text, 'failed'::text, 'drifted'::text, 'rejected'::text])) OR (decided_by IS NOT NULL)));
constraint actions_due CHECK (((status = ANY (ARRAY['approved'::text, 'executing'::text])) = (due_at IS NOT NULL)));
constraint actions_idempotency_key CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 128)));
constraint actions_justification CHECK ((length(justification) >= 10));
constraint actions_kind CHECK ((kind = ANY (ARRAY['internal_task'::text, 'sensitivity_label_set'::text, 'sensitivity_label_remove'::text])));
constraint actions_label CHECK (((kind = 'sensitivity_label_set'::text) = (desired_label_guid IS NOT NULL)));
constraint actions_mode CHECK ((mode = ANY (ARRAY['mock'::text, 'live'::text])));
constraint actions_monitor CHECK (((monitor IS NULL) OR ((accepted_at IS NOT NULL) AND (char_length(monitor) <= 16384))));
constraint actions_not_by_requester CHECK ((decided_by <> requested_by));
constraint actions_pkey PRIMARY KEY (tenant_id, action_id);
constraint actions_status CHECK ((status = ANY (ARRAY['draft'::text, 'blocked'::text, 'awaiting_approval'::text, 'approved'::text, 'executing'::text, 'verified'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'drifted'::text])));
constraint actions_task CHECK (((kind = 'internal_task'::text) = (task_title IS NOT NULL)));
constraint actions_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES public.principals(tenant_id, principal_id);
constraint actions_tenant_id_finding_id_fkey FOREIGN KEY (tenant_id, finding_id) REFERENCES public.findings(tenant_id, finding_id);
constraint actions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint actions_tenant_id_requested_by_fkey FOREIGN KEY (tenant_id, requested_by) REFERENCES public.principals(tenant_id, principal_id);
constraint actions_tenant_id_target_asset_id_fkey FOREIGN KEY (tenant_id, target_asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE UNIQUE INDEX actions_asked_once ON public.actions USING btree (tenant_id, requested_by, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX actions_due ON public.actions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX actions_of_finding ON public.actions USING btree (tenant_id, finding_id, created_at DESC, action_id DESC) WHERE (finding_id IS NOT NULL);
CREATE INDEX actions_open_of_asset ON public.actions USING btree (tenant_id, target_asset_id) WHERE (status = ANY (ARRAY['draft'::text, 'blocked'::text, 'awaiting_approval'::text, 'approved'::text, 'executing'::text]));
CREATE INDEX actions_pending ON public.actions USING btree (tenant_id, created_at, action_id) WHERE (status = 'awaiting_approval'::text);
CREATE INDEX actions_recent ON public.actions USING btree (tenant_id, created_at DESC, action_id DESC);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER actions_preview_decided BEFORE UPDATE ON public.actions FOR EACH ROW WHEN (((old.decided_by IS NOT NULL) AND (new.decided_by IS NOT NULL) AND (((old.preview IS DISTINCT FROM new.preview) OR (old.source_version IS DISTINCT FROM new.source_version)) OR (old.mode IS DISTINCT FROM new.mode)))) EXECUTE FUNCTION public.refuse_other_preview();
CREATE TRIGGER actions_separation BEFORE UPDATE ON public.actions FOR EACH ROW WHEN ((new.decided_by IS NOT NULL)) EXECUTE FUNCTION public.refuse_self_decision();
CREATE TRIGGER actions_transition AFTER UPDATE ON public.actions FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'approved>cancelled approved>executing awaiting_approval>approved awaiting_approval>cancelled awaiting_approval>rejected blocked>cancelled blocked>draft draft>awaiting_approval draft>blocked draft>cancelled drifted>blocked drifted>cancelled drifted>draft executing>approved executing>drifted executing>failed executing>verified failed>blocked failed>cancelled failed>draft');

create table public.ai_reservations (
  tenant_id text not null,
  reservation_id text not null,
  cost numeric(24,9),
  expires_at timestamp with time zone not null,
  task text,
  model text,
  input_tokens bigint,
  output_tokens bigint
);
row security, forced;
constraint ai_reservations_cost CHECK ((cost >= (0)::numeric));
constraint ai_reservations_input CHECK ((input_tokens >= 0));
constraint ai_reservations_model CHECK (((char_length(model) >= 1) AND (char_length(model) <= 256)));
constraint ai_reservations_output CHECK ((output_tokens >= 0));
constraint ai_reservations_pkey PRIMARY KEY (tenant_id, reservation_id);
constraint ai_reservations_task CHECK ((task ~ '^[a-z_]{1,32}$'::text));
constraint ai_reservations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.ai_usage (
  tenant_id text not null,
  day date not null,
  task text not null,
  model text not null,
  calls bigint not null,
  estimated_calls bigint not null,
  unpriced_calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric(24,9) not null
);
row security, forced;
constraint ai_usage_counts CHECK (((calls > 0) AND ((estimated_calls >= 0) AND (estimated_calls <= calls)) AND ((unpriced_calls >= 0) AND (unpriced_calls <= calls)) AND (input_tokens >= 0) AND (output_tokens >= 0) AND (cost >= (0)::numeric) AND ((cost = (0)::numeric) OR (unpriced_calls < calls))));
constraint ai_usage_model CHECK (((char_length(model) >= 1) AND (char_length(model) <= 256)));
constraint ai_usage_pkey PRIMARY KEY (tenant_id, day, task, model);
constraint ai_usage_task CHECK ((task ~ '^[a-z_]{1,32}$'::text));
constraint ai_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.analyst_plan_domains (
  tenant_id text not null,
  plan_id text not null,
  domain_id text not null
);
row security, forced;
constraint analyst_plan_domains_pkey PRIMARY KEY (tenant_id, plan_id, domain_id);
constraint analyst_plan_domains_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint analyst_plan_domains_tenant_id_plan_id_fkey FOREIGN KEY (tenant_id, plan_id) REFERENCES public.analyst_plans(tenant_id, plan_id) ON DELETE CASCADE;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.analyst_plans (
  tenant_id text not null,
  plan_id text not null,
  created_by text not null,
  name text not null,
  plan jsonb not null,
  shared boolean not null,
  tenant_wide boolean not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint analyst_plans_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120)));
constraint analyst_plans_pkey PRIMARY KEY (tenant_id, plan_id);
constraint analyst_plans_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
CREATE UNIQUE INDEX analyst_plans_name ON public.analyst_plans USING btree (tenant_id, created_by, lower(name));
CREATE INDEX analyst_plans_shared ON public.analyst_plans USING btree (tenant_id, lower(name)) WHERE shared;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.analyst_queries (
  tenant_id text not null,
  query_id text not null,
  principal_id text not null,
  question text not null,
  planner text not null,
  state text not null,
  plan jsonb,
  result_count integer,
  asked_at timestamp with time zone not null
);
row security, forced;
constraint analyst_queries_pkey PRIMARY KEY (tenant_id, query_id);
constraint analyst_queries_planner CHECK ((planner = ANY (ARRAY['deterministic'::text, 'ai'::text])));
constraint analyst_queries_question CHECK (((char_length(question) >= 1) AND (char_length(question) <= 2000)));
constraint analyst_queries_run CHECK (((plan IS NULL) = (state <> 'whole'::text)));
constraint analyst_queries_state CHECK ((state = ANY (ARRAY['whole'::text, 'partly'::text, 'none'::text])));
constraint analyst_queries_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
CREATE INDEX analyst_queries_asked ON public.analyst_queries USING btree (tenant_id, asked_at, query_id);
CREATE INDEX analyst_queries_of_person ON public.analyst_queries USING btree (tenant_id, principal_id, asked_at DESC, query_id DESC);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.assertions (
  tenant_id text not null,
  assertion_id text not null,
  asset_id text not null,
  kind text not null,
  statement text not null,
  domain_id text not null,
  information_type_id text,
  inference_id text,
  decision_id text,
  answers_assertion_id text,
  created_at timestamp with time zone not null
);
row security, forced;
constraint assertions_kind CHECK ((kind = ANY (ARRAY['inferred'::text, 'human'::text])));
constraint assertions_pkey PRIMARY KEY (tenant_id, assertion_id);
constraint assertions_source CHECK ((((kind = 'inferred'::text) AND (inference_id IS NOT NULL) AND (decision_id IS NULL)) OR ((kind = 'human'::text) AND (decision_id IS NOT NULL))));
constraint assertions_statement CHECK ((statement = ANY (ARRAY['belongs_to'::text, 'does_not_belong_to'::text, 'belongs_not_sensitive'::text, 'needs_more_evidence'::text])));
constraint assertions_tenant_id_answers_assertion_id_fkey FOREIGN KEY (tenant_id, answers_assertion_id) REFERENCES public.assertions(tenant_id, assertion_id);
constraint assertions_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint assertions_tenant_id_decision_id_fkey FOREIGN KEY (tenant_id, decision_id) REFERENCES public.decisions(tenant_id, decision_id);
constraint assertions_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint assertions_tenant_id_inference_id_fkey FOREIGN KEY (tenant_id, inference_id) REFERENCES public.inferences(tenant_id, inference_id);
constraint assertions_tenant_id_information_type_id_fkey FOREIGN KEY (tenant_id, information_type_id) REFERENCES public.information_types(tenant_id, information_type_id);
CREATE INDEX assertions_asset ON public.assertions USING btree (tenant_id, asset_id, created_at, assertion_id);
CREATE UNIQUE INDEX assertions_inference ON public.assertions USING btree (tenant_id, inference_id) WHERE (kind = 'inferred'::text);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER assertions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.assertions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.asset_contents (
  tenant_id text not null,
  asset_id text not null,
  content_hash bytea not null
);
row security, forced;
constraint asset_contents_hash_length CHECK ((octet_length(content_hash) = 32));
constraint asset_contents_pkey PRIMARY KEY (tenant_id, asset_id, content_hash);
constraint asset_contents_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX asset_contents_hash ON public.asset_contents USING btree (tenant_id, content_hash, asset_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_features (
  tenant_id text not null,
  asset_id text not null,
  features_key text not null,
  features jsonb not null,
  signal_kinds text[] not null,
  excerpts jsonb not null default '[]'::jsonb,
  computed_at timestamp with time zone not null,
  search_lexemes text[]
);
row security, forced;
constraint asset_features_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_features_placed_at_end TRIGGER DEFERRABLE INITIALLY DEFERRED;
constraint asset_features_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX asset_features_excerpts ON public.asset_features USING btree (tenant_id, computed_at DESC, asset_id) WHERE (excerpts <> '[]'::jsonb);
CREATE INDEX asset_features_found ON public.asset_features USING btree (tenant_id, asset_id) INCLUDE (signal_kinds) WHERE (signal_kinds <> '{}'::text[]);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER asset_features_indexed AFTER INSERT OR UPDATE OF search_lexemes ON public.asset_features FOR EACH ROW EXECUTE FUNCTION public.place_changed();
CREATE CONSTRAINT TRIGGER asset_features_placed_at_end AFTER INSERT OR UPDATE OF search_lexemes ON public.asset_features DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.place_noted();

create table public.asset_placements (
  tenant_id text not null,
  asset_id text not null,
  domain_id text,
  information_type_id text,
  scope_id text not null,
  provenance text not null,
  firmest boolean not null,
  label_state text not null,
  risk_severity text,
  open_findings smallint not null,
  pending_reviews smallint not null,
  changed_at timestamp(3) with time zone not null,
  candidate_id text,
  confidence double precision,
  status text,
  decision_id text,
  changed_since_first_sight boolean not null default false
);
row security, forced;
constraint asset_placements_domain CHECK ((((domain_id IS NULL) = (provenance = 'unclassified'::text)) AND ((domain_id IS NULL) = (candidate_id IS NULL))));
constraint asset_placements_once UNIQUE NULLS NOT DISTINCT (tenant_id, asset_id, domain_id, information_type_id);
constraint asset_placements_provenance CHECK ((provenance = ANY (ARRAY['confirmed'::text, 'inferred'::text, 'routed'::text, 'unclassified'::text])));
constraint asset_placements_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX asset_placements_by_asset ON public.asset_placements USING hash (asset_id);
CREATE INDEX asset_placements_changed ON public.asset_placements USING btree (tenant_id, domain_id, changed_at DESC, asset_id DESC) WHERE (firmest AND (domain_id IS NOT NULL));
CREATE INDEX asset_placements_label ON public.asset_placements USING btree (tenant_id, domain_id, label_state, changed_at DESC, asset_id DESC) WHERE (firmest AND (domain_id IS NOT NULL));
CREATE INDEX asset_placements_open ON public.asset_placements USING btree (tenant_id, domain_id, asset_id) WHERE (firmest AND (open_findings > 0));
CREATE INDEX asset_placements_risk ON public.asset_placements USING btree (tenant_id, domain_id, risk_severity, changed_at DESC, asset_id DESC) WHERE (firmest AND (domain_id IS NOT NULL) AND (risk_severity IS NOT NULL));
CREATE INDEX asset_placements_type ON public.asset_placements USING btree (tenant_id, information_type_id, changed_at DESC, asset_id DESC) WHERE (information_type_id IS NOT NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER asset_placements_counted_delete AFTER DELETE ON public.asset_placements REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION public.count_placements();
CREATE TRIGGER asset_placements_counted_insert AFTER INSERT ON public.asset_placements REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.count_placements();
CREATE TRIGGER asset_placements_counted_update AFTER UPDATE ON public.asset_placements REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.count_placements();

create table public.asset_risks (
  tenant_id text not null,
  asset_id text not null,
  components jsonb not null,
  policy_version text not null,
  computed_at timestamp with time zone not null
);
row security, forced;
constraint asset_risks_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_risks_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_scorings (
  tenant_id text not null,
  asset_id text not null,
  scored_key text not null,
  inference_key text not null,
  result_key text not null,
  ensemble_version integer not null,
  scored_at timestamp with time zone not null
);
row security, forced;
constraint asset_scorings_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_scorings_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint asset_scorings_tenant_id_ensemble_version_fkey FOREIGN KEY (tenant_id, ensemble_version) REFERENCES public.ensembles(tenant_id, version);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_search (
  tenant_id text not null,
  asset_id text not null,
  active boolean not null,
  changed_at timestamp(3) with time zone not null,
  marks text[] not null,
  words tsvector not null
);
row security, forced;
constraint asset_search_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_search_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX asset_search_by_asset ON public.asset_search USING hash (asset_id);
CREATE INDEX asset_search_words ON public.asset_search USING gin (words, marks) WITH (fastupdate='on', gin_pending_list_limit='1024') WHERE active;
policy search_read permissive for select to svc_search using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_sketches (
  tenant_id text not null,
  asset_id text not null,
  shingles bytea,
  template bytea,
  bands integer[] not null
);
row security, forced;
constraint asset_sketches_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_sketches_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER asset_sketches_noted AFTER UPDATE OF bands ON public.asset_sketches FOR EACH ROW WHEN ((old.bands IS DISTINCT FROM new.bands)) EXECUTE FUNCTION public.note_sketches();

create table public.asset_suppressions (
  tenant_id text not null,
  asset_id text not null,
  signals jsonb not null,
  suppressed jsonb not null
);
row security, forced;
constraint asset_suppressions_not_empty CHECK ((jsonb_array_length(suppressed) > 0));
constraint asset_suppressions_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_suppressions_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_vectors (
  tenant_id text not null,
  asset_id text not null,
  space integer not null,
  vector bytea not null,
  bits bit(512) not null,
  cell integer not null default 0
);
row security, forced;
constraint asset_vectors_pkey PRIMARY KEY (tenant_id, asset_id);
constraint asset_vectors_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX asset_vectors_cells ON public.asset_vectors USING btree (tenant_id, space, cell, asset_id) INCLUDE (bits);
CREATE INDEX asset_vectors_unsorted ON public.asset_vectors USING btree (tenant_id, space) WHERE (cell = 0);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.asset_versions (
  tenant_id text not null,
  asset_id text not null,
  version integer not null,
  source_version text not null,
  content_version text not null,
  name text not null,
  path text not null,
  size_bytes bigint not null,
  content_state text not null,
  content_reason text,
  format text,
  observed_at timestamp with time zone not null,
  unread_parts integer
);
row security, forced;
constraint asset_versions_pkey PRIMARY KEY (tenant_id, asset_id, version);
constraint asset_versions_placed_at_end TRIGGER DEFERRABLE INITIALLY DEFERRED;
constraint asset_versions_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER asset_versions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.asset_versions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER asset_versions_placed AFTER INSERT ON public.asset_versions FOR EACH ROW WHEN ((new.version = 2)) EXECUTE FUNCTION public.place_changed();
CREATE CONSTRAINT TRIGGER asset_versions_placed_at_end AFTER INSERT ON public.asset_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.version = 2)) EXECUTE FUNCTION public.place_noted();

create table public.assets (
  tenant_id text not null,
  asset_id text not null,
  scope_id text not null,
  external_id text not null,
  status text not null default 'active'::text,
  name text not null,
  path text not null,
  kind text not null,
  size_bytes bigint not null,
  mime_type text,
  source_url text,
  source_version text not null,
  content_version text not null,
  source_created_at timestamp with time zone,
  source_modified_at timestamp with time zone,
  modified_by text,
  content_state text not null default 'not_fetched'::text,
  content_reason text,
  format text,
  content_hash bytea,
  label_state text not null default 'unknown'::text,
  label_guid text,
  label_name text,
  label_observed_at timestamp with time zone,
  grants jsonb not null default '[]'::jsonb,
  permissions_complete boolean not null default false,
  permissions_observed_at timestamp with time zone,
  stage_keys jsonb not null default '{}'::jsonb,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  seen_campaign_id text,
  decided boolean not null default false,
  risk_severity text,
  changed_at timestamp(3) with time zone not null default now(),
  content_modified_at timestamp with time zone,
  deleted_at timestamp with time zone,
  parent_external_id text,
  emptied_at timestamp with time zone,
  sharing_mark text,
  foreign_labels jsonb,
  unread_parts integer,
  source_facts jsonb,
  left_out_by text
);
row security, forced;
constraint assets_content_state CHECK ((content_state = ANY (ARRAY['not_fetched'::text, 'available'::text, 'partial'::text, 'unsupported'::text, 'failed'::text, 'inaccessible'::text])));
constraint assets_external UNIQUE (tenant_id, scope_id, external_id);
constraint assets_id_shape CHECK ((asset_id ~ '^ast_'::text));
constraint assets_label_state CHECK ((label_state = ANY (ARRAY['labeled'::text, 'unlabeled'::text, 'unknown'::text])));
constraint assets_pkey PRIMARY KEY (tenant_id, asset_id);
constraint assets_placed_at_end TRIGGER DEFERRABLE INITIALLY DEFERRED;
constraint assets_risk_severity CHECK ((risk_severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])));
constraint assets_status CHECK ((status = ANY (ARRAY['active'::text, 'deleted'::text])));
constraint assets_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
CREATE INDEX assets_by_id ON public.assets USING hash (asset_id);
CREATE INDEX assets_changed ON public.assets USING btree (tenant_id, changed_at DESC, asset_id DESC) WHERE (status = 'active'::text);
CREATE INDEX assets_changed_content ON public.assets USING btree (tenant_id, content_state, changed_at DESC, asset_id DESC) WHERE ((status = 'active'::text) AND (content_state <> 'available'::text));
CREATE INDEX assets_changed_label ON public.assets USING btree (tenant_id, label_state, changed_at DESC, asset_id DESC) WHERE (status = 'active'::text);
CREATE INDEX assets_changed_risk ON public.assets USING btree (tenant_id, risk_severity, changed_at DESC, asset_id DESC) WHERE ((status = 'active'::text) AND (risk_severity IS NOT NULL));
CREATE INDEX assets_decided_copies ON public.assets USING btree (tenant_id, content_hash) WHERE (decided AND (content_hash IS NOT NULL) AND (status = 'active'::text));
CREATE INDEX assets_left_out ON public.assets USING btree (tenant_id, scope_id) WHERE ((status = 'active'::text) AND (left_out_by IS NOT NULL));
CREATE INDEX assets_name_start ON public.assets USING btree (tenant_id, lower("left"(name, 32)) text_pattern_ops) WHERE (status = 'active'::text);
CREATE INDEX assets_parent ON public.assets USING btree (tenant_id, scope_id, parent_external_id) WHERE (parent_external_id IS NOT NULL);
CREATE INDEX assets_removed ON public.assets USING btree (tenant_id, deleted_at, asset_id) WHERE ((status = 'deleted'::text) AND ((emptied_at IS NULL) OR (emptied_at < deleted_at)));
CREATE INDEX assets_same_bytes ON public.assets USING btree (tenant_id, content_hash, asset_id) WHERE ((content_hash IS NOT NULL) AND (status = 'active'::text));
CREATE INDEX assets_unobserved ON public.assets USING btree (tenant_id, scope_id, asset_id) WHERE ((status = 'active'::text) AND (source_version IS DISTINCT FROM (stage_keys ->> 'observe'::text)));
CREATE INDEX assets_words ON public.assets USING gin (tenant_id, lower(((((name || '
'::text) || path) || '
'::text) || COALESCE(format, ''::text))) public.gin_trgm_ops) WHERE (status = 'active'::text);
policy search_read permissive for select to svc_search using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER assets_counted_insert AFTER INSERT ON public.assets REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.count_assets();
CREATE TRIGGER assets_counted_update AFTER UPDATE ON public.assets REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.count_assets();
CREATE TRIGGER assets_deleted AFTER UPDATE OF status ON public.assets FOR EACH ROW WHEN (((new.status = 'deleted'::text) AND (old.status <> 'deleted'::text))) EXECUTE FUNCTION public.settle_deleted_asset();
CREATE TRIGGER assets_followed AFTER UPDATE OF status, risk_severity, content_hash ON public.assets FOR EACH ROW WHEN ((((old.status IS DISTINCT FROM new.status) OR (old.risk_severity IS DISTINCT FROM new.risk_severity)) OR (old.content_hash IS DISTINCT FROM new.content_hash))) EXECUTE FUNCTION public.follow_asset();
CREATE CONSTRAINT TRIGGER assets_placed_at_end AFTER INSERT OR UPDATE ON public.assets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.place_noted();
CREATE TRIGGER assets_placed_insert AFTER INSERT ON public.assets REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_inserted();
CREATE TRIGGER assets_placed_update AFTER UPDATE ON public.assets REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_updated_assets();

create table public.audit_checkpoints (
  tenant_id text not null,
  number bigint not null,
  record text not null,
  public_key text not null,
  signature text not null,
  seq bigint not null generated always as (((record)::jsonb ->> 'seq'::text))::bigint stored,
  key_id text not null generated always as ((record)::jsonb ->> 'keyId'::text) stored
);
row security, forced;
constraint audit_checkpoints_form CHECK ((record ~ '^\{"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","hash":"[0-9a-f]{64}","keyId":"[A-Za-z0-9_-]{43}","number":[1-9]\d{0,14},"previous":(null|"[0-9a-f]{64}"),"seq":[1-9]\d{0,14},"tenantId":"[A-Za-z0-9_-]{1,64}","type":"audit_checkpoint"\}$'::text));
constraint audit_checkpoints_pkey PRIMARY KEY (tenant_id, number);
constraint audit_checkpoints_place CHECK (((((record)::jsonb ->> 'tenantId'::text) = tenant_id) AND ((((record)::jsonb ->> 'number'::text))::bigint = number)));
constraint audit_checkpoints_public_key CHECK ((public_key ~ '^[A-Za-z0-9_-]{43}$'::text));
constraint audit_checkpoints_signature CHECK ((signature ~ '^[A-Za-z0-9_-]{86}$'::text));
constraint audit_checkpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy engine permissive for select to svc_engine using true;
policy signer permissive for all to svc_signer using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER audit_checkpoints_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.audit_events (
  tenant_id text not null,
  seq bigint not null,
  record text not null,
  hash text not null,
  category text not null generated always as (((record)::jsonb -> 'event'::text) ->> 'category'::text) stored
);
row security, forced;
constraint audit_events_category CHECK ((category = ANY (ARRAY['auth'::text, 'config'::text, 'governance'::text, 'scan'::text, 'evidence_access'::text, 'review'::text, 'analyst'::text, 'action'::text, 'model'::text])));
constraint audit_events_pkey PRIMARY KEY (tenant_id, seq);
constraint audit_events_seq CHECK ((seq > 0));
constraint audit_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX audit_events_category ON public.audit_events USING btree (tenant_id, category, seq DESC);
policy signer permissive for select to svc_signer using (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy writer permissive for insert to svc_audit with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.audit_heads (
  tenant_id text not null,
  seq bigint not null,
  hash text not null
);
row security, forced;
constraint audit_heads_pkey PRIMARY KEY (tenant_id);
constraint audit_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy engine permissive for select to svc_engine using true;
policy signer permissive for select to svc_signer using (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy writer permissive for all to svc_audit using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.audit_set_aside (
  tenant_id text not null,
  set_aside_at timestamp with time zone not null,
  kind text not null,
  number bigint not null,
  record text not null,
  hash text,
  public_key text,
  signature text
);
row security, forced;
constraint audit_set_aside_kind CHECK ((kind = ANY (ARRAY['event'::text, 'checkpoint'::text])));
constraint audit_set_aside_pkey PRIMARY KEY (tenant_id, set_aside_at, kind, number);
constraint audit_set_aside_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER audit_set_aside_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_set_aside FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.call_budgets (
  budget text not null,
  state jsonb not null default '{}'::jsonb,
  paused_until timestamp with time zone
);
constraint call_budgets_budget_length CHECK ((char_length(budget) <= 2100));
constraint call_budgets_pkey PRIMARY KEY (budget);
constraint call_budgets_state_size CHECK ((pg_column_size(state) <= 65536));

create table public.campaign_ends (
  tenant_id text not null,
  end_id bigint not null generated as identity (a),
  campaign_id text not null,
  status text not null,
  units_completed integer not null,
  units_dead integer not null,
  units_cancelled integer not null,
  finished_at timestamp with time zone
);
row security, forced;
constraint campaign_ends_pkey PRIMARY KEY (tenant_id, end_id);
constraint campaign_ends_status CHECK ((status = ANY (ARRAY['completed'::text, 'cancelled'::text])));
constraint campaign_ends_tenant_id_campaign_id_fkey FOREIGN KEY (tenant_id, campaign_id) REFERENCES public.campaigns(tenant_id, campaign_id);
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.campaign_left_out (
  tenant_id text not null,
  campaign_id text not null,
  reason text not null,
  rule_id text not null,
  items bigint not null
);
row security, forced;
constraint campaign_left_out_campaign FOREIGN KEY (tenant_id, campaign_id) REFERENCES public.campaigns(tenant_id, campaign_id);
constraint campaign_left_out_pkey PRIMARY KEY (tenant_id, campaign_id, reason, rule_id);
constraint campaign_left_out_reason CHECK ((reason = ANY (ARRAY['rule'::text, 'folder'::text, 'format'::text, 'size'::text, 'age'::text])));
constraint campaign_left_out_rule CHECK (((reason = 'rule'::text) = (rule_id <> ''::text)));
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.campaign_stage_counts (
  tenant_id text not null,
  campaign_id text not null,
  stage text not null,
  outcome text not null,
  count integer not null
);
row security, forced;
constraint campaign_stage_counts_outcome CHECK ((outcome = ANY (ARRAY['computed'::text, 'cache_hit'::text, 'skipped'::text, 'failed'::text])));
constraint campaign_stage_counts_pkey PRIMARY KEY (tenant_id, campaign_id, stage, outcome);
constraint campaign_stage_counts_stage CHECK ((stage = ANY (ARRAY['observe'::text, 'permissions'::text, 'labels'::text, 'content'::text, 'features'::text, 'inference'::text])));
constraint campaign_stage_counts_tenant_id_campaign_id_fkey FOREIGN KEY (tenant_id, campaign_id) REFERENCES public.campaigns(tenant_id, campaign_id);
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.campaigns (
  tenant_id text not null,
  campaign_id text not null,
  scope_id text,
  kind text not null,
  status text not null default 'pending'::text,
  created_by text,
  correlation_id text not null,
  units_total integer not null default 0,
  units_completed integer not null default 0,
  units_dead integer not null default 0,
  units_cancelled integer not null default 0,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  follows_decisions boolean not null default false,
  cancelling boolean not null default false,
  second_opinions integer not null default 0,
  listing_units_dead integer not null default 0,
  paced_from timestamp with time zone,
  paced_done integer not null default 0,
  scheduled_for timestamp with time zone,
  missed_times integer,
  quiet_from timestamp with time zone,
  quiet_until timestamp with time zone,
  ceiling_until timestamp with time zone,
  narrowing jsonb,
  source_calls bigint not null default 0,
  bytes_read bigint not null default 0
);
row security, forced;
constraint campaigns_cancelling_status CHECK (((status = 'cancelled'::text) OR (NOT cancelling)));
constraint campaigns_completed CHECK (((status <> 'completed'::text) OR (units_total = ((units_completed + units_dead) + units_cancelled))));
constraint campaigns_follows_decisions CHECK (((kind = 'rescore'::text) OR (NOT follows_decisions)));
constraint campaigns_id UNIQUE (campaign_id);
constraint campaigns_kind CHECK ((kind = ANY (ARRAY['inventory'::text, 'delta'::text, 'rescore'::text])));
constraint campaigns_pkey PRIMARY KEY (tenant_id, campaign_id);
constraint campaigns_scope_of_kind CHECK (((kind = 'rescore'::text) = (scope_id IS NULL)));
constraint campaigns_second_opinions CHECK ((second_opinions >= 0));
constraint campaigns_status CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'paused'::text, 'completed'::text, 'cancelled'::text])));
constraint campaigns_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint campaigns_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
CREATE UNIQUE INDEX campaigns_active_rescore ON public.campaigns USING btree (tenant_id, follows_decisions) WHERE ((kind = 'rescore'::text) AND (status = ANY (ARRAY['pending'::text, 'running'::text, 'paused'::text])));
CREATE UNIQUE INDEX campaigns_active_scope ON public.campaigns USING btree (tenant_id, scope_id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text, 'paused'::text]));
CREATE INDEX campaigns_cancelling ON public.campaigns USING btree (finished_at) WHERE cancelling;
CREATE INDEX campaigns_ended ON public.campaigns USING btree (tenant_id, finished_at, campaign_id) WHERE (status = ANY (ARRAY['completed'::text, 'cancelled'::text]));
CREATE INDEX campaigns_listed ON public.campaigns USING btree (tenant_id, created_at DESC, campaign_id DESC) WHERE (NOT ((status = 'completed'::text) AND (units_dead = 0) AND (follows_decisions OR ((kind = 'delta'::text) AND (created_by IS NULL)))));
CREATE INDEX campaigns_listed_of_scope ON public.campaigns USING btree (tenant_id, scope_id, created_at DESC, campaign_id DESC) WHERE (NOT ((status = 'completed'::text) AND (units_dead = 0) AND (follows_decisions OR ((kind = 'delta'::text) AND (created_by IS NULL)))));
CREATE INDEX campaigns_newest_of_scope ON public.campaigns USING btree (tenant_id, scope_id, created_at DESC, campaign_id DESC);
CREATE INDEX campaigns_of_scope ON public.campaigns USING btree (tenant_id, scope_id, started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX campaigns_routine ON public.campaigns USING btree (tenant_id, finished_at, campaign_id) WHERE ((status = 'completed'::text) AND (units_dead = 0) AND (follows_decisions OR ((kind = 'delta'::text) AND (created_by IS NULL))));
CREATE UNIQUE INDEX campaigns_scheduled ON public.campaigns USING btree (tenant_id, scope_id, kind, scheduled_for) WHERE (scheduled_for IS NOT NULL);
policy ended restrictive for delete to svc_app using ((status = ANY (ARRAY['completed'::text, 'cancelled'::text])) AND (NOT cancelling));
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER campaigns_counted_insert AFTER INSERT ON public.campaigns REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.count_campaigns();
CREATE TRIGGER campaigns_counted_update AFTER UPDATE ON public.campaigns FOR EACH ROW WHEN (((old.status = ANY (ARRAY['completed'::text, 'cancelled'::text])) OR (new.status = ANY (ARRAY['completed'::text, 'cancelled'::text])))) EXECUTE FUNCTION public.count_campaign();
CREATE TRIGGER campaigns_ended_insert AFTER INSERT ON public.campaigns FOR EACH ROW WHEN ((new.status = 'completed'::text)) EXECUTE FUNCTION public.note_campaign_end();
CREATE TRIGGER campaigns_ended_update AFTER UPDATE ON public.campaigns FOR EACH ROW WHEN ((((new.status = 'completed'::text) AND (old.status <> 'completed'::text)) OR ((new.status = 'cancelled'::text) AND (NOT new.cancelling) AND ((old.status <> 'cancelled'::text) OR old.cancelling)))) EXECUTE FUNCTION public.note_campaign_end();
CREATE TRIGGER campaigns_transition AFTER UPDATE ON public.campaigns FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'completed>running paused>cancelled paused>completed paused>running pending>cancelled pending>running running>cancelled running>completed running>paused');

create table public.candidates (
  tenant_id text not null,
  candidate_id text not null,
  asset_id text not null,
  scope_id text not null,
  domain_id text not null,
  information_type_id text,
  inference_id text,
  confidence double precision,
  band text not null,
  band_rank smallint generated always as 
CASE band
    WHEN 'routed'::text THEN 0
    WHEN 'high'::text THEN 1
    ELSE 2
END stored,
  status text not null default 'pending'::text,
  revision integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  decision_id text,
  asset_active boolean not null default true,
  risk_severity text,
  related_count smallint not null default 0,
  asked_because text not null default 'inferred'::text,
  earlier_decision_id text,
  changes jsonb not null default '[]'::jsonb,
  basis jsonb,
  words_revision integer,
  standing_revision integer,
  content_revision integer,
  representative boolean not null default false
);
row security, forced;
constraint candidates_asked_because CHECK ((asked_because = ANY (ARRAY['inferred'::text, 'routed'::text, 'corrected'::text, 'returned'::text, 'put_off'::text, 'correction_revised'::text, 'content_changed'::text])));
constraint candidates_band CHECK ((band = ANY (ARRAY['review'::text, 'high'::text, 'routed'::text])));
constraint candidates_confidence CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)));
constraint candidates_decision FOREIGN KEY (tenant_id, decision_id) REFERENCES public.decisions(tenant_id, decision_id);
constraint candidates_earlier_decision FOREIGN KEY (tenant_id, earlier_decision_id) REFERENCES public.decisions(tenant_id, decision_id);
constraint candidates_once UNIQUE NULLS NOT DISTINCT (tenant_id, asset_id, domain_id, information_type_id);
constraint candidates_pkey PRIMARY KEY (tenant_id, candidate_id);
constraint candidates_placed_at_end TRIGGER DEFERRABLE INITIALLY DEFERRED;
constraint candidates_related CHECK (((related_count >= 0) AND (related_count <= 200)));
constraint candidates_status CHECK ((status = ANY (ARRAY['pending'::text, 'deferred'::text, 'confirmed'::text, 'rejected'::text, 'routed'::text, 'withdrawn'::text])));
constraint candidates_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint candidates_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint candidates_tenant_id_inference_id_fkey FOREIGN KEY (tenant_id, inference_id) REFERENCES public.inferences(tenant_id, inference_id);
constraint candidates_tenant_id_information_type_id_domain_id_fkey FOREIGN KEY (tenant_id, information_type_id, domain_id) REFERENCES public.information_types(tenant_id, information_type_id, domain_id);
CREATE INDEX candidates_answered ON public.candidates USING btree (tenant_id, domain_id, decision_id DESC) INCLUDE (information_type_id, confidence, status) WHERE ((decision_id IS NOT NULL) AND (inference_id IS NOT NULL) AND (status = ANY (ARRAY['confirmed'::text, 'rejected'::text, 'routed'::text])) AND (asked_because = ANY (ARRAY['inferred'::text, 'put_off'::text, 'content_changed'::text, 'correction_revised'::text])));
CREATE INDEX candidates_by_asset ON public.candidates USING hash (asset_id);
CREATE INDEX candidates_by_value ON public.candidates USING btree (tenant_id, domain_id, public.question_value(representative, band, confidence, risk_severity, (related_count)::integer) DESC, candidate_id) WHERE ((status = 'pending'::text) AND asset_active);
CREATE INDEX candidates_confirmed ON public.candidates USING btree (tenant_id, domain_id, asset_id) WHERE (status = 'confirmed'::text);
CREATE INDEX candidates_decision ON public.candidates USING btree (tenant_id, decision_id) WHERE (decision_id IS NOT NULL);
CREATE INDEX candidates_refused ON public.candidates USING btree (tenant_id, updated_at DESC, asset_id) WHERE ((status = 'rejected'::text) AND asset_active);
CREATE INDEX candidates_representatives ON public.candidates USING btree (tenant_id, domain_id) WHERE ((status = 'pending'::text) AND representative);
CREATE INDEX candidates_scopes ON public.candidates USING btree (tenant_id, scope_id, domain_id, asset_id) WHERE (status = ANY (ARRAY['pending'::text, 'deferred'::text, 'confirmed'::text]));
CREATE INDEX candidates_sent ON public.candidates USING btree (tenant_id, domain_id, updated_at) WHERE ((status = 'pending'::text) AND (information_type_id IS NULL) AND asset_active);
CREATE INDEX candidates_tying ON public.candidates USING btree (tenant_id, domain_id, asset_id) WHERE (status = ANY (ARRAY['pending'::text, 'deferred'::text, 'confirmed'::text]));
CREATE INDEX candidates_waiting ON public.candidates USING btree (tenant_id, domain_id, created_at) WHERE ((status = 'pending'::text) AND asset_active);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER candidates_noted_insert AFTER INSERT ON public.candidates REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.note_candidates();
CREATE TRIGGER candidates_noted_update AFTER UPDATE ON public.candidates REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.note_candidates();
CREATE CONSTRAINT TRIGGER candidates_placed_at_end AFTER INSERT OR UPDATE ON public.candidates DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.place_noted();
CREATE TRIGGER candidates_placed_insert AFTER INSERT ON public.candidates REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_inserted();
CREATE TRIGGER candidates_placed_update AFTER UPDATE ON public.candidates REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_updated_candidates();
CREATE TRIGGER candidates_revised_insert BEFORE INSERT ON public.candidates FOR EACH ROW EXECUTE FUNCTION public.note_revision();
CREATE TRIGGER candidates_revised_update BEFORE UPDATE OF revision ON public.candidates FOR EACH ROW WHEN ((old.revision <> new.revision)) EXECUTE FUNCTION public.note_revision();
CREATE TRIGGER candidates_scope BEFORE INSERT ON public.candidates FOR EACH ROW EXECUTE FUNCTION public.set_candidate_scope();
CREATE TRIGGER candidates_transition AFTER UPDATE ON public.candidates FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'confirmed>deferred confirmed>pending confirmed>rejected confirmed>routed confirmed>withdrawn deferred>confirmed deferred>pending deferred>rejected deferred>routed pending>confirmed pending>deferred pending>rejected pending>routed pending>withdrawn rejected>confirmed rejected>deferred rejected>pending rejected>routed rejected>withdrawn routed>confirmed routed>deferred routed>pending routed>rejected withdrawn>confirmed withdrawn>pending');

create table public.change_notifications (
  tenant_id text not null,
  notification_id text not null,
  subscription_id text not null,
  change_type text not null,
  outcome text not null,
  reject_reason text,
  source text not null,
  campaign_id text,
  event_at timestamp with time zone,
  received_at timestamp with time zone not null
);
row security, forced;
constraint change_notifications_enqueued CHECK (((campaign_id IS NULL) OR (outcome = 'reconcile_enqueued'::text)));
constraint change_notifications_outcome CHECK ((outcome = ANY (ARRAY['reconcile_enqueued'::text, 'reconcile_skipped'::text, 'deduplicated'::text])));
constraint change_notifications_pkey PRIMARY KEY (tenant_id, notification_id);
constraint change_notifications_reason CHECK ((reject_reason = ANY (ARRAY['scan_already_active'::text, 'no_delta_cursor'::text, 'no_scope'::text, 'license_required'::text])));
constraint change_notifications_skipped CHECK (((outcome = 'reconcile_skipped'::text) = (reject_reason IS NOT NULL)));
constraint change_notifications_source CHECK ((source = ANY (ARRAY['live'::text, 'simulated'::text])));
constraint change_notifications_tenant_id_campaign_id_fkey FOREIGN KEY (tenant_id, campaign_id) REFERENCES public.campaigns(tenant_id, campaign_id) ON DELETE SET NULL (campaign_id);
constraint change_notifications_tenant_id_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES public.change_subscriptions(tenant_id, subscription_id);
constraint change_notifications_type CHECK ((change_type = ANY (ARRAY['updated'::text, 'created'::text, 'deleted'::text, 'missed'::text, 'other'::text])));
CREATE INDEX change_notifications_accepted ON public.change_notifications USING btree (tenant_id, subscription_id, change_type, received_at DESC) WHERE (outcome <> 'deduplicated'::text);
CREATE INDEX change_notifications_campaign ON public.change_notifications USING btree (tenant_id, campaign_id) WHERE (campaign_id IS NOT NULL);
CREATE INDEX change_notifications_received ON public.change_notifications USING btree (received_at);
CREATE INDEX change_notifications_recent ON public.change_notifications USING btree (tenant_id, received_at DESC, notification_id DESC);
policy engine permissive for select to svc_engine using true;
policy engine_delete permissive for delete to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.change_subscriptions (
  tenant_id text not null,
  subscription_id text not null,
  scope_id text not null,
  forced boolean not null default false,
  mode text not null,
  status text,
  external_id text,
  expires_at timestamp with time zone,
  renewed_at timestamp with time zone,
  last_error text,
  claim text,
  busy_until timestamp with time zone,
  hinted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  secret_id text,
  failures integer not null default 0
);
row security, forced;
constraint change_subscriptions_confirmed CHECK (((status IS NULL) OR ((external_id IS NOT NULL) AND (expires_at IS NOT NULL))));
constraint change_subscriptions_external UNIQUE (external_id);
constraint change_subscriptions_failures CHECK ((failures >= 0));
constraint change_subscriptions_last_error CHECK ((last_error = ANY (ARRAY['subscribe_failed'::text, 'renew_failed'::text])));
constraint change_subscriptions_mode CHECK ((mode = ANY (ARRAY['mock'::text, 'live'::text])));
constraint change_subscriptions_pkey PRIMARY KEY (tenant_id, subscription_id);
constraint change_subscriptions_scope UNIQUE (tenant_id, scope_id, forced);
constraint change_subscriptions_secret CHECK ((secret_id ~ '^[0-9a-f]{8}$'::text));
constraint change_subscriptions_status CHECK ((status = ANY (ARRAY['active'::text, 'expiring'::text, 'expired'::text, 'error'::text, 'removed'::text])));
constraint change_subscriptions_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
CREATE INDEX change_subscriptions_hinted ON public.change_subscriptions USING btree (hinted_at) WHERE (hinted_at IS NOT NULL);
CREATE INDEX change_subscriptions_recent ON public.change_subscriptions USING btree (tenant_id, created_at DESC, subscription_id DESC);
CREATE INDEX change_subscriptions_running ON public.change_subscriptions USING btree (tenant_id, expires_at) WHERE (status = ANY (ARRAY['active'::text, 'expiring'::text]));
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER change_subscriptions_transition AFTER UPDATE ON public.change_subscriptions FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'active>error active>expired active>expiring active>removed error>active error>removed expired>active expired>removed expiring>active expiring>error expiring>expired expiring>removed removed>active');

create table public.connector_instances (
  tenant_id text not null,
  connector_instance_id text not null,
  family text not null,
  mode text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint connector_instances_family UNIQUE (tenant_id, family);
constraint connector_instances_mode CHECK ((mode = ANY (ARRAY['mock'::text, 'live'::text])));
constraint connector_instances_pkey PRIMARY KEY (tenant_id, connector_instance_id);
constraint connector_instances_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.custom_detector_versions (
  tenant_id text not null,
  detector_id text not null,
  version integer not null,
  definition jsonb not null,
  principal_id text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint custom_detector_versions_pkey PRIMARY KEY (tenant_id, detector_id, version);
constraint custom_detector_versions_tenant_id_detector_id_fkey FOREIGN KEY (tenant_id, detector_id) REFERENCES public.custom_detectors(tenant_id, detector_id);
constraint custom_detector_versions_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.custom_detectors (
  tenant_id text not null,
  detector_id text not null,
  version integer not null,
  enabled_version integer,
  dry_run_version integer,
  updated_at timestamp with time zone not null
);
row security, forced;
constraint custom_detectors_enabled FOREIGN KEY (tenant_id, detector_id, enabled_version) REFERENCES public.custom_detector_versions(tenant_id, detector_id, version);
constraint custom_detectors_id_shape CHECK ((detector_id ~ '^custom_'::text));
constraint custom_detectors_pkey PRIMARY KEY (tenant_id, detector_id);
constraint custom_detectors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint custom_detectors_tried CHECK (((enabled_version IS NULL) OR (enabled_version <= dry_run_version)));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.dataset_candidates (
  tenant_id text not null,
  dataset_candidate_id text not null,
  decision_id text not null,
  candidate_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  label text not null,
  confidence double precision,
  inference_id text,
  ensemble_version integer not null,
  status text not null default 'pending'::text,
  curated_by text,
  curated_at timestamp with time zone,
  revised_at timestamp with time zone,
  created_at timestamp with time zone not null
);
row security, forced;
constraint dataset_candidates_confidence CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)));
constraint dataset_candidates_curated CHECK ((((status <> 'pending'::text) = (curated_by IS NOT NULL)) AND ((curated_by IS NULL) = (curated_at IS NULL))));
constraint dataset_candidates_inferred CHECK (((confidence IS NULL) = (inference_id IS NULL)));
constraint dataset_candidates_label CHECK ((label = ANY (ARRAY['positive_example'::text, 'counterexample'::text])));
constraint dataset_candidates_pkey PRIMARY KEY (tenant_id, dataset_candidate_id);
constraint dataset_candidates_status CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])));
constraint dataset_candidates_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint dataset_candidates_tenant_id_candidate_id_fkey FOREIGN KEY (tenant_id, candidate_id) REFERENCES public.candidates(tenant_id, candidate_id);
constraint dataset_candidates_tenant_id_curated_by_fkey FOREIGN KEY (tenant_id, curated_by) REFERENCES public.principals(tenant_id, principal_id);
constraint dataset_candidates_tenant_id_decision_id_fkey FOREIGN KEY (tenant_id, decision_id) REFERENCES public.decisions(tenant_id, decision_id);
constraint dataset_candidates_tenant_id_ensemble_version_fkey FOREIGN KEY (tenant_id, ensemble_version) REFERENCES public.ensembles(tenant_id, version);
constraint dataset_candidates_tenant_id_inference_id_fkey FOREIGN KEY (tenant_id, inference_id) REFERENCES public.inferences(tenant_id, inference_id);
constraint dataset_candidates_tenant_id_information_type_id_domain_id_fkey FOREIGN KEY (tenant_id, information_type_id, domain_id) REFERENCES public.information_types(tenant_id, information_type_id, domain_id);
CREATE INDEX dataset_candidates_by_status ON public.dataset_candidates USING btree (tenant_id, status, created_at DESC, dataset_candidate_id DESC);
CREATE INDEX dataset_candidates_recent ON public.dataset_candidates USING btree (tenant_id, created_at DESC, dataset_candidate_id DESC);
CREATE INDEX dataset_candidates_revised ON public.dataset_candidates USING btree (tenant_id, dataset_candidate_id) WHERE (revised_at IS NOT NULL);
CREATE UNIQUE INDEX dataset_candidates_standing ON public.dataset_candidates USING btree (tenant_id, asset_id, information_type_id) WHERE (revised_at IS NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER dataset_candidates_transition AFTER UPDATE ON public.dataset_candidates FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'pending>approved pending>rejected');

create table public.dataset_snapshot_items (
  tenant_id text not null,
  snapshot_id text not null,
  dataset_candidate_id text not null,
  cluster integer not null,
  side text not null
);
row security, forced;
constraint dataset_snapshot_items_pkey PRIMARY KEY (tenant_id, snapshot_id, dataset_candidate_id);
constraint dataset_snapshot_items_side CHECK ((side = ANY (ARRAY['training'::text, 'held_out'::text])));
constraint dataset_snapshot_items_tenant_id_dataset_candidate_id_fkey FOREIGN KEY (tenant_id, dataset_candidate_id) REFERENCES public.dataset_candidates(tenant_id, dataset_candidate_id);
constraint dataset_snapshot_items_tenant_id_snapshot_id_fkey FOREIGN KEY (tenant_id, snapshot_id) REFERENCES public.dataset_snapshots(tenant_id, snapshot_id);
CREATE INDEX dataset_snapshot_items_of_candidate ON public.dataset_snapshot_items USING btree (tenant_id, dataset_candidate_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER dataset_snapshot_items_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.dataset_snapshot_items FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER dataset_snapshot_items_complete AFTER INSERT ON public.dataset_snapshot_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_incomplete_snapshot();

create table public.dataset_snapshots (
  tenant_id text not null,
  snapshot_id text not null,
  name text not null,
  description text not null,
  consent_scope text not null,
  eval_fraction double precision not null,
  seed text not null,
  digest text not null,
  clusters integer not null,
  training_positives integer not null,
  training_counterexamples integer not null,
  held_out_positives integer not null,
  held_out_counterexamples integer not null,
  omitted integer not null,
  created_by text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint dataset_snapshots_consent CHECK ((consent_scope = ANY (ARRAY['tenant_internal'::text, 'vendor_shareable'::text])));
constraint dataset_snapshots_digest CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
constraint dataset_snapshots_fraction CHECK (((eval_fraction >= (0.1)::double precision) AND (eval_fraction <= (0.9)::double precision)));
constraint dataset_snapshots_name CHECK ((name <> ''::text));
constraint dataset_snapshots_pkey PRIMARY KEY (tenant_id, snapshot_id);
constraint dataset_snapshots_seed CHECK ((seed ~ '^[0-9a-f]{32}$'::text));
constraint dataset_snapshots_sides CHECK ((((training_positives + training_counterexamples) > 0) AND ((held_out_positives + held_out_counterexamples) > 0)));
constraint dataset_snapshots_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
CREATE INDEX dataset_snapshots_recent ON public.dataset_snapshots USING btree (tenant_id, created_at DESC, snapshot_id DESC);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER dataset_snapshots_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.dataset_snapshots FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.dead_letters (
  tenant_id text not null,
  dead_letter_id text not null,
  campaign_id text not null,
  unit_id bigint not null,
  retry_class text not null,
  safe_diagnostic text not null,
  attempt integer not null,
  created_at timestamp with time zone not null,
  retried_at timestamp with time zone
);
row security, forced;
constraint dead_letters_class CHECK ((retry_class = ANY (ARRAY['transient'::text, 'throttled'::text, 'auth'::text, 'unsupported'::text, 'corrupt'::text, 'policy_denied'::text, 'permanent'::text])));
constraint dead_letters_diagnostic CHECK ((safe_diagnostic ~ '^[A-Za-z0-9_.:-]{1,120}$'::text));
constraint dead_letters_pkey PRIMARY KEY (tenant_id, dead_letter_id);
constraint dead_letters_tenant_id_campaign_id_fkey FOREIGN KEY (tenant_id, campaign_id) REFERENCES public.campaigns(tenant_id, campaign_id);
constraint dead_letters_unit_id_fkey FOREIGN KEY (unit_id) REFERENCES public.work_units(unit_id);
CREATE INDEX dead_letters_campaign ON public.dead_letters USING btree (tenant_id, campaign_id, created_at DESC);
CREATE INDEX dead_letters_recent ON public.dead_letters USING btree (tenant_id, created_at DESC, dead_letter_id DESC);
CREATE INDEX dead_letters_unit ON public.dead_letters USING btree (unit_id);
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.decision_excerpts (
  tenant_id text not null,
  decision_id text not null,
  excerpts jsonb not null,
  created_at timestamp with time zone not null default now()
);
row security, forced;
constraint decision_excerpts_pkey PRIMARY KEY (tenant_id, decision_id);
constraint decision_excerpts_tenant_id_decision_id_fkey FOREIGN KEY (tenant_id, decision_id) REFERENCES public.decisions(tenant_id, decision_id);
CREATE INDEX decision_excerpts_oldest ON public.decision_excerpts USING btree (tenant_id, created_at, decision_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.decisions (
  tenant_id text not null,
  decision_id text not null,
  candidate_id text not null,
  asset_id text not null,
  inference_id text,
  principal_id text not null,
  decision text not null,
  corrected_information_type_id text,
  routed_domain_id text,
  note text,
  training_eligible boolean not null,
  revision integer not null,
  created_at timestamp with time zone not null,
  content_version text,
  content_hash bytea,
  evidence_key text,
  evidence jsonb,
  shingles bytea
);
row security, forced;
constraint decisions_correction CHECK (((decision = 'mine_different_type'::text) = (corrected_information_type_id IS NOT NULL)));
constraint decisions_decision CHECK ((decision = ANY (ARRAY['mine'::text, 'mine_different_type'::text, 'another_domain'::text, 'mine_not_sensitive'::text, 'not_a_match'::text, 'need_more_evidence'::text])));
constraint decisions_pkey PRIMARY KEY (tenant_id, decision_id);
constraint decisions_revision UNIQUE (tenant_id, candidate_id, revision);
constraint decisions_routing CHECK (((decision = 'another_domain'::text) = (routed_domain_id IS NOT NULL)));
constraint decisions_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint decisions_tenant_id_candidate_id_fkey FOREIGN KEY (tenant_id, candidate_id) REFERENCES public.candidates(tenant_id, candidate_id);
constraint decisions_tenant_id_corrected_information_type_id_fkey FOREIGN KEY (tenant_id, corrected_information_type_id) REFERENCES public.information_types(tenant_id, information_type_id);
constraint decisions_tenant_id_inference_id_fkey FOREIGN KEY (tenant_id, inference_id) REFERENCES public.inferences(tenant_id, inference_id);
constraint decisions_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
constraint decisions_tenant_id_routed_domain_id_fkey FOREIGN KEY (tenant_id, routed_domain_id) REFERENCES public.domains(tenant_id, domain_id);
CREATE INDEX decisions_by_id ON public.decisions USING hash (decision_id);
CREATE INDEX decisions_by_principal ON public.decisions USING btree (tenant_id, principal_id, created_at DESC, decision_id DESC);
CREATE INDEX decisions_corrected ON public.decisions USING btree (tenant_id, asset_id, corrected_information_type_id) WHERE (corrected_information_type_id IS NOT NULL);
CREATE INDEX decisions_recent ON public.decisions USING btree (tenant_id, created_at DESC, decision_id DESC);
CREATE INDEX decisions_routed ON public.decisions USING btree (tenant_id, asset_id, routed_domain_id) WHERE (routed_domain_id IS NOT NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER decisions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.decisions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.delta_listings (
  tenant_id text not null,
  scope_id text not null,
  campaign_id text not null,
  page integer not null,
  asset_ids text[] not null
);
row security, forced;
constraint delta_listings_pkey PRIMARY KEY (tenant_id, scope_id, page);
constraint delta_listings_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.domain_days (
  tenant_id text not null,
  domain_id text not null,
  day date not null,
  assets integer not null
);
row security, forced;
constraint domain_days_pkey PRIMARY KEY (tenant_id, domain_id, day);
constraint domain_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.domains (
  tenant_id text not null,
  domain_id text not null,
  name text not null,
  description text not null default ''::text,
  inclusion text not null default ''::text,
  exclusion text not null default ''::text,
  status text not null default 'draft'::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  origin text not null default 'provisioned'::text,
  provider text,
  model text,
  created_by text,
  approved_by text,
  approved_at timestamp with time zone,
  revision integer not null default 1,
  words_revision integer not null default 0
);
row security, forced;
constraint domains_approved_by CHECK ((((approved_by IS NULL) = (approved_at IS NULL)) AND
CASE
    WHEN (status = 'approved'::text) THEN ((approved_by IS NOT NULL) OR (origin = 'provisioned'::text))
    ELSE (approved_by IS NULL)
END));
constraint domains_generated_by CHECK (((origin = 'generated'::text) = ((provider IS NOT NULL) AND (model IS NOT NULL))));
constraint domains_origin CHECK ((origin = ANY (ARRAY['provisioned'::text, 'generated'::text, 'manual'::text])));
constraint domains_pkey PRIMARY KEY (tenant_id, domain_id);
constraint domains_status CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])));
constraint domains_tenant_id_approved_by_fkey FOREIGN KEY (tenant_id, approved_by) REFERENCES public.principals(tenant_id, principal_id);
constraint domains_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
constraint domains_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE UNIQUE INDEX domains_name ON public.domains USING btree (tenant_id, lower(name));
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER domains_transition AFTER UPDATE ON public.domains FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'draft>approved');
CREATE TRIGGER domains_words BEFORE UPDATE OF name, description, inclusion, exclusion ON public.domains FOR EACH ROW WHEN (((((old.name IS DISTINCT FROM new.name) OR (old.description IS DISTINCT FROM new.description)) OR (old.inclusion IS DISTINCT FROM new.inclusion)) OR (old.exclusion IS DISTINCT FROM new.exclusion))) EXECUTE FUNCTION public.note_words();

create table public.ensembles (
  tenant_id text not null,
  version integer not null,
  candidate_threshold double precision not null,
  review_low_threshold double precision not null,
  review_high_threshold double precision not null,
  near_dup_confirmed_boost double precision not null,
  exact_dup_confirmed_boost double precision not null,
  active boolean not null,
  created_at timestamp with time zone not null,
  release_id text,
  learned jsonb
);
row security, forced;
constraint ensembles_bands CHECK ((review_low_threshold <= review_high_threshold));
constraint ensembles_candidate CHECK (((candidate_threshold >= (0)::double precision) AND (candidate_threshold <= (1)::double precision)));
constraint ensembles_exact CHECK (((exact_dup_confirmed_boost >= (0)::double precision) AND (exact_dup_confirmed_boost <= (1)::double precision)));
constraint ensembles_high CHECK (((review_high_threshold >= (0)::double precision) AND (review_high_threshold <= (1)::double precision)));
constraint ensembles_learned CHECK (((learned IS NULL) OR ((jsonb_typeof(learned) = 'object'::text) AND (octet_length((learned)::text) <= 1048576) AND jsonb_path_exists(learned, '$."factors".*."factor"'::jsonpath) AND jsonb_path_exists(learned, '$."shift"'::jsonpath) AND (NOT jsonb_path_exists(learned, '$."factors".*."factor"?((@.type() != "number" || @ < 0) || @ > 3)'::jsonpath)) AND (NOT jsonb_path_exists(learned, '$."shift"?((@.type() != "number" || @ < -2) || @ > 2)'::jsonpath)) AND (NOT jsonb_path_exists(learned, '$."types".*."offset"?((@.type() != "number" || @ < -2) || @ > 2)'::jsonpath)))));
constraint ensembles_low CHECK (((review_low_threshold >= (0)::double precision) AND (review_low_threshold <= (1)::double precision)));
constraint ensembles_near CHECK (((near_dup_confirmed_boost >= (0)::double precision) AND (near_dup_confirmed_boost <= (1)::double precision)));
constraint ensembles_pkey PRIMARY KEY (tenant_id, version);
constraint ensembles_release FOREIGN KEY (tenant_id, release_id) REFERENCES public.model_releases(tenant_id, release_id);
constraint ensembles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE UNIQUE INDEX ensembles_active ON public.ensembles USING btree (tenant_id) WHERE active;
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.findings (
  tenant_id text not null,
  finding_id text not null,
  asset_id text not null,
  kind text not null,
  severity text not null,
  severity_rank smallint generated always as 
CASE severity
    WHEN 'critical'::text THEN 3
    WHEN 'high'::text THEN 2
    WHEN 'medium'::text THEN 1
    ELSE 0
END stored,
  status text not null,
  notes text not null,
  policy_version text not null,
  opened_at timestamp with time zone not null,
  changed_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  revision integer not null default 0,
  acknowledged_by text,
  acknowledged_at timestamp with time zone,
  acknowledge_note text,
  acknowledged_decision_id text,
  returned_at timestamp with time zone
);
row security, forced;
constraint findings_acknowledged_by FOREIGN KEY (tenant_id, acknowledged_by) REFERENCES public.principals(tenant_id, principal_id);
constraint findings_acknowledged_by_decision CHECK (((acknowledged_decision_id IS NULL) OR (acknowledged_at IS NOT NULL)));
constraint findings_acknowledged_decision FOREIGN KEY (tenant_id, acknowledged_decision_id) REFERENCES public.decisions(tenant_id, decision_id);
constraint findings_acknowledgement CHECK ((((status = 'acknowledged'::text) = (acknowledged_at IS NOT NULL)) AND ((acknowledged_at IS NULL) = (acknowledged_by IS NULL)) AND ((acknowledge_note IS NULL) OR (acknowledged_at IS NOT NULL))));
constraint findings_kind CHECK ((kind = ANY (ARRAY['exposure'::text, 'label'::text, 'location'::text, 'unmanaged_copy'::text, 'stale_access'::text, 'no_owner'::text])));
constraint findings_once UNIQUE (tenant_id, asset_id, kind);
constraint findings_pkey PRIMARY KEY (tenant_id, finding_id);
constraint findings_placed_at_end TRIGGER DEFERRABLE INITIALLY DEFERRED;
constraint findings_resolution CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL)));
constraint findings_severity CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])));
constraint findings_status CHECK ((status = ANY (ARRAY['open'::text, 'acknowledged'::text, 'reopened'::text, 'resolved'::text])));
constraint findings_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
CREATE INDEX findings_all ON public.findings USING btree (tenant_id, severity_rank DESC, opened_at DESC, finding_id DESC);
CREATE INDEX findings_by_asset ON public.findings USING hash (asset_id);
CREATE INDEX findings_no_owner ON public.findings USING btree (tenant_id, asset_id) WHERE ((kind = 'no_owner'::text) AND (status <> 'resolved'::text));
CREATE INDEX findings_status ON public.findings USING btree (tenant_id, status, severity_rank DESC, opened_at DESC, finding_id DESC);
CREATE INDEX findings_unresolved ON public.findings USING btree (tenant_id, severity_rank DESC, opened_at DESC, finding_id DESC) WHERE (status <> 'resolved'::text);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER findings_no_longer_acknowledged BEFORE UPDATE OF status ON public.findings FOR EACH ROW WHEN (((old.status = 'acknowledged'::text) AND (new.status <> 'acknowledged'::text))) EXECUTE FUNCTION public.end_acknowledgement();
CREATE CONSTRAINT TRIGGER findings_placed_at_end AFTER INSERT OR UPDATE ON public.findings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.place_noted();
CREATE TRIGGER findings_placed_insert AFTER INSERT ON public.findings REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_inserted();
CREATE TRIGGER findings_placed_update AFTER UPDATE ON public.findings REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION public.place_updated_findings();
CREATE TRIGGER findings_put_forward BEFORE INSERT ON public.findings FOR EACH ROW WHEN (((new.status = 'acknowledged'::text) AND (new.acknowledged_at IS NULL))) EXECUTE FUNCTION public.put_finding_forward();
CREATE TRIGGER findings_transition AFTER UPDATE ON public.findings FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'acknowledged>reopened acknowledged>resolved open>acknowledged open>resolved reopened>acknowledged reopened>resolved resolved>acknowledged resolved>reopened');

create table public.fingerprint_keys (
  tenant_id text not null,
  key bytea not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint fingerprint_keys_length CHECK ((octet_length(key) = 32));
constraint fingerprint_keys_pkey PRIMARY KEY (tenant_id);
constraint fingerprint_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.fixture_items (
  tenant_id text not null,
  scope_external_id text not null,
  external_id text not null,
  change_seq integer not null,
  deleted boolean not null,
  item jsonb not null
);
row security, forced;
constraint fixture_items_pkey PRIMARY KEY (tenant_id, scope_external_id, external_id);
constraint fixture_items_tenant_id_scope_external_id_fkey FOREIGN KEY (tenant_id, scope_external_id) REFERENCES public.fixture_scopes(tenant_id, external_id);
CREATE INDEX fixture_items_changes ON public.fixture_items USING btree (tenant_id, scope_external_id, change_seq);
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.fixture_scopes (
  tenant_id text not null,
  external_id text not null,
  name text not null,
  change_seq integer not null,
  cursor_epoch integer not null
);
row security, forced;
constraint fixture_scopes_pkey PRIMARY KEY (tenant_id, external_id);
constraint fixture_scopes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.inferences (
  tenant_id text not null,
  inference_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  confidence double precision not null,
  contributions jsonb not null,
  ensemble_version integer not null,
  inference_key text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint inferences_confidence CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)));
constraint inferences_once UNIQUE (tenant_id, asset_id, information_type_id, inference_key);
constraint inferences_pkey PRIMARY KEY (tenant_id, inference_id);
constraint inferences_tenant_id_asset_id_fkey FOREIGN KEY (tenant_id, asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint inferences_tenant_id_ensemble_version_fkey FOREIGN KEY (tenant_id, ensemble_version) REFERENCES public.ensembles(tenant_id, version);
constraint inferences_tenant_id_information_type_id_domain_id_fkey FOREIGN KEY (tenant_id, information_type_id, domain_id) REFERENCES public.information_types(tenant_id, information_type_id, domain_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER inferences_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.inferences FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.information_types (
  tenant_id text not null,
  information_type_id text not null,
  domain_id text not null,
  name text not null,
  definition text not null default ''::text,
  sensitivity_rationale text not null default ''::text,
  expected_location_note text not null default ''::text,
  sensitivity text not null default 'internal'::text,
  indicators jsonb not null default '{"keywords": [], "detectors": []}'::jsonb,
  status text not null default 'draft'::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  origin text not null default 'provisioned'::text,
  provider text,
  model text,
  created_by text,
  approved_by text,
  approved_at timestamp with time zone,
  revision integer not null default 1,
  name_words text[] generated always as public.search_words(name) stored,
  words_revision integer not null default 0
);
row security, forced;
constraint information_types_approved_by CHECK ((((approved_by IS NULL) = (approved_at IS NULL)) AND
CASE
    WHEN (status = 'approved'::text) THEN ((approved_by IS NOT NULL) OR (origin = 'provisioned'::text))
    ELSE (approved_by IS NULL)
END));
constraint information_types_domain_pair UNIQUE (tenant_id, information_type_id, domain_id);
constraint information_types_generated_by CHECK (((origin = 'generated'::text) = ((provider IS NOT NULL) AND (model IS NOT NULL))));
constraint information_types_origin CHECK ((origin = ANY (ARRAY['provisioned'::text, 'generated'::text, 'manual'::text])));
constraint information_types_pkey PRIMARY KEY (tenant_id, information_type_id);
constraint information_types_sensitivity CHECK ((sensitivity = ANY (ARRAY['public'::text, 'internal'::text, 'confidential'::text, 'restricted'::text])));
constraint information_types_status CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])));
constraint information_types_tenant_id_approved_by_fkey FOREIGN KEY (tenant_id, approved_by) REFERENCES public.principals(tenant_id, principal_id);
constraint information_types_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
constraint information_types_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
CREATE UNIQUE INDEX information_types_name ON public.information_types USING btree (tenant_id, domain_id, lower(name));
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER information_types_transition AFTER UPDATE ON public.information_types FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'draft>approved');
CREATE TRIGGER information_types_words BEFORE UPDATE OF name, definition, sensitivity ON public.information_types FOR EACH ROW WHEN ((((old.name IS DISTINCT FROM new.name) OR (old.definition IS DISTINCT FROM new.definition)) OR (old.sensitivity IS DISTINCT FROM new.sensitivity))) EXECUTE FUNCTION public.note_words();

create table public.landscape_cells (
  tenant_id text not null,
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null
);
row security, forced;
constraint landscape_cells_pkey PRIMARY KEY (tenant_id, cell);
constraint landscape_cells_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX landscape_cells_domain ON public.landscape_cells USING btree (tenant_id, domain_id, assets DESC, cell);
CREATE INDEX landscape_cells_largest ON public.landscape_cells USING btree (tenant_id, assets DESC, cell);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.licenses (
  tenant_id text not null,
  entitlement text,
  entitlement_id text not null,
  issued_at timestamp with time zone not null,
  activated_at timestamp with time zone not null,
  deactivated_at timestamp with time zone,
  renewed_at timestamp with time zone,
  renewal_attempted_at timestamp with time zone,
  renewal_failures integer not null default 0,
  renewal_failure text,
  clock_mark timestamp with time zone not null,
  clock_seen timestamp with time zone not null,
  clock_ahead_since timestamp with time zone,
  challenge text not null,
  challenge_at timestamp with time zone not null,
  skipped_scans bigint not null default 0,
  skipped_at timestamp with time zone
);
row security, forced;
constraint licenses_challenge CHECK ((challenge ~ '^[A-Za-z0-9_-]{22}$'::text));
constraint licenses_deactivated CHECK (((entitlement IS NULL) = (deactivated_at IS NOT NULL)));
constraint licenses_entitlement CHECK (((octet_length(entitlement) >= 1) AND (octet_length(entitlement) <= 8192)));
constraint licenses_entitlement_id CHECK ((entitlement_id ~ '^[A-Za-z0-9_-]{1,64}$'::text));
constraint licenses_failed CHECK (((renewal_failures = 0) = (renewal_failure IS NULL)));
constraint licenses_pkey PRIMARY KEY (tenant_id);
constraint licenses_renewal_failure CHECK ((renewal_failure ~ '^[a-z_]{1,32}$'::text));
constraint licenses_renewal_failures CHECK ((renewal_failures >= 0));
constraint licenses_skipped CHECK (((skipped_scans = 0) = (skipped_at IS NULL)));
constraint licenses_skipped_scans CHECK ((skipped_scans >= 0));
constraint licenses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.message_attachments (
  tenant_id text not null,
  message_id text not null,
  "position" integer not null,
  kind text not null,
  name text,
  mime_type text,
  size_bytes bigint,
  content_state text not null,
  content_reason text,
  content_hash bytea,
  signals jsonb not null default '[]'::jsonb,
  backing_scope_external_id text,
  backing_external_id text
);
row security, forced;
constraint message_attachments_hash_length CHECK ((octet_length(content_hash) = 32));
constraint message_attachments_kind CHECK ((kind = ANY (ARRAY['reference'::text, 'file'::text, 'item'::text, 'card'::text])));
constraint message_attachments_message FOREIGN KEY (tenant_id, message_id) REFERENCES public.messages(tenant_id, message_id) ON DELETE CASCADE;
constraint message_attachments_pkey PRIMARY KEY (tenant_id, message_id, "position");
CREATE INDEX message_attachments_backing ON public.message_attachments USING btree (tenant_id, backing_external_id) WHERE (backing_external_id IS NOT NULL);
CREATE INDEX message_attachments_hash ON public.message_attachments USING btree (tenant_id, content_hash) WHERE (content_hash IS NOT NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.message_containers (
  tenant_id text not null,
  container_id text not null,
  family text not null,
  mode text not null,
  external_id text not null,
  entry text not null,
  name text not null,
  kind text not null,
  group_name text,
  selection text not null default 'selected'::text,
  members integer,
  guests integer,
  outsiders integer,
  is_open boolean,
  audience_complete boolean,
  files_scope_external_id text,
  files_external_id text,
  coverage text not null default 'partial'::text,
  covered_at timestamp with time zone,
  refused_reason text,
  lease_owner text,
  leased_until timestamp with time zone,
  due_at timestamp with time zone,
  sync_began_at timestamp with time zone,
  created_at timestamp with time zone not null
);
row security, forced;
constraint message_containers_coverage CHECK ((coverage = ANY (ARRAY['partial'::text, 'covered'::text, 'refused'::text])));
constraint message_containers_external UNIQUE (tenant_id, family, external_id);
constraint message_containers_family CHECK ((family = ANY (ARRAY['chat'::text, 'mail'::text])));
constraint message_containers_kind CHECK ((kind = ANY (ARRAY['standard'::text, 'private'::text, 'shared'::text, 'mailbox'::text])));
constraint message_containers_mode CHECK ((mode = ANY (ARRAY['mock'::text, 'live'::text])));
constraint message_containers_pkey PRIMARY KEY (tenant_id, container_id);
constraint message_containers_refused CHECK ((refused_reason = ANY (ARRAY['not_found'::text, 'malformed_id'::text, 'denied'::text, 'locked'::text, 'unreachable'::text])));
constraint message_containers_refused_why CHECK (((coverage = 'refused'::text) = (refused_reason IS NOT NULL)));
constraint message_containers_selection CHECK ((selection = ANY (ARRAY['selected'::text, 'kept'::text, 'ended'::text, 'going'::text])));
constraint message_containers_synced CHECK (((selection = 'selected'::text) = (due_at IS NOT NULL)));
constraint message_containers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX message_containers_due ON public.message_containers USING btree (due_at, tenant_id, container_id);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.message_feeds (
  tenant_id text not null,
  container_id text not null,
  feed text not null,
  cursor text,
  walk integer not null default 1,
  whole_walk integer not null default 0,
  walked_at timestamp with time zone,
  caught_up_at timestamp with time zone
);
row security, forced;
constraint message_feeds_container FOREIGN KEY (tenant_id, container_id) REFERENCES public.message_containers(tenant_id, container_id) ON DELETE CASCADE;
constraint message_feeds_pkey PRIMARY KEY (tenant_id, container_id, feed);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.message_findings (
  tenant_id text not null,
  finding_id text not null,
  container_id text not null,
  message_id text,
  kind text not null,
  level smallint not null,
  severity text not null,
  status text not null default 'open'::text,
  opened_at timestamp with time zone not null,
  unconfirmed_since timestamp with time zone,
  resolved_at timestamp with time zone
);
row security, forced;
constraint message_findings_container FOREIGN KEY (tenant_id, container_id) REFERENCES public.message_containers(tenant_id, container_id) ON DELETE CASCADE;
constraint message_findings_kind CHECK ((kind = ANY (ARRAY['outsiders'::text, 'identifiers'::text])));
constraint message_findings_level CHECK ((level = ANY (ARRAY[2, 3])));
constraint message_findings_message FOREIGN KEY (tenant_id, message_id) REFERENCES public.messages(tenant_id, message_id) ON DELETE CASCADE;
constraint message_findings_once UNIQUE NULLS NOT DISTINCT (tenant_id, container_id, message_id, kind);
constraint message_findings_pkey PRIMARY KEY (tenant_id, finding_id);
constraint message_findings_resolved CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL)));
constraint message_findings_severity CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])));
constraint message_findings_status CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text])));
constraint message_findings_subject CHECK (((kind = 'identifiers'::text) = (message_id IS NOT NULL)));
constraint message_findings_unconfirmed CHECK (((unconfirmed_since IS NULL) OR (status = 'open'::text)));
CREATE INDEX message_findings_level ON public.message_findings USING btree (tenant_id, container_id, level) WHERE ((status = 'open'::text) AND (kind = 'identifiers'::text));
CREATE INDEX message_findings_message ON public.message_findings USING btree (tenant_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX message_findings_open ON public.message_findings USING btree (tenant_id, opened_at DESC, finding_id DESC) WHERE (status = 'open'::text);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.message_syncs (
  tenant_id text not null,
  family text not null,
  lease_owner text,
  leased_until timestamp with time zone,
  due_at timestamp with time zone not null
);
row security, forced;
constraint message_syncs_family CHECK ((family = ANY (ARRAY['chat'::text, 'mail'::text])));
constraint message_syncs_pkey PRIMARY KEY (tenant_id, family);
constraint message_syncs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.messages (
  tenant_id text not null,
  message_id text not null,
  container_id text not null,
  external_id text not null,
  root_external_id text,
  feed text not null,
  walk integer not null,
  source_version text not null,
  content_version text not null,
  sent_at timestamp with time zone,
  edited_at timestamp with time zone,
  has_outsiders boolean,
  content_state text not null,
  content_reason text,
  preview text,
  signals jsonb not null default '[]'::jsonb,
  stored_at timestamp with time zone not null
);
row security, forced;
constraint messages_container FOREIGN KEY (tenant_id, container_id) REFERENCES public.message_containers(tenant_id, container_id) ON DELETE CASCADE;
constraint messages_external UNIQUE (tenant_id, container_id, external_id);
constraint messages_pkey PRIMARY KEY (tenant_id, message_id);
constraint messages_preview_bound CHECK ((length(preview) <= 400));
CREATE INDEX messages_newest ON public.messages USING btree (tenant_id, container_id, sent_at DESC NULLS LAST, message_id DESC);
CREATE INDEX messages_thread ON public.messages USING btree (tenant_id, container_id, root_external_id) WHERE (root_external_id IS NOT NULL);
CREATE INDEX messages_walk ON public.messages USING btree (tenant_id, container_id, feed, walk);
CREATE INDEX messages_with_preview ON public.messages USING btree (tenant_id, stored_at, message_id) WHERE (preview IS NOT NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.model_releases (
  tenant_id text not null,
  release_id text not null,
  status text not null default 'proposed'::text,
  config_patch jsonb not null,
  thresholds jsonb not null,
  compared_version integer not null,
  snapshot_id text,
  rationale text not null,
  proposed_by text not null,
  evaluation jsonb,
  evaluated_at timestamp with time zone,
  decided_by text,
  promoted_version integer,
  former_version integer,
  former_release_id text,
  campaign_id text,
  revision integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  weights text not null default 'keep'::text,
  learned jsonb
);
row security, forced;
constraint model_releases_decided CHECK (((status = 'withdrawn'::text) OR ((status = ANY (ARRAY['proposed'::text, 'evaluated'::text])) = (decided_by IS NULL))));
constraint model_releases_evaluated CHECK ((((evaluation IS NULL) = (evaluated_at IS NULL)) AND ((evaluation IS NOT NULL) OR (status = ANY (ARRAY['proposed'::text, 'rejected'::text, 'withdrawn'::text])))));
constraint model_releases_learns CHECK (((weights <> 'learn'::text) OR ((snapshot_id IS NOT NULL) AND ((learned IS NOT NULL) OR (evaluation IS NULL)))));
constraint model_releases_pkey PRIMARY KEY (tenant_id, release_id);
constraint model_releases_promoted CHECK ((((status = ANY (ARRAY['promoted'::text, 'superseded'::text, 'rolled_back'::text])) = (promoted_version IS NOT NULL)) AND ((promoted_version IS NULL) = (former_version IS NULL))));
constraint model_releases_status CHECK ((status = ANY (ARRAY['proposed'::text, 'evaluated'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'promoted'::text, 'superseded'::text, 'rolled_back'::text])));
constraint model_releases_tenant_id_compared_version_fkey FOREIGN KEY (tenant_id, compared_version) REFERENCES public.ensembles(tenant_id, version);
constraint model_releases_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES public.principals(tenant_id, principal_id);
constraint model_releases_tenant_id_former_release_id_fkey FOREIGN KEY (tenant_id, former_release_id) REFERENCES public.model_releases(tenant_id, release_id);
constraint model_releases_tenant_id_former_version_fkey FOREIGN KEY (tenant_id, former_version) REFERENCES public.ensembles(tenant_id, version);
constraint model_releases_tenant_id_promoted_version_fkey FOREIGN KEY (tenant_id, promoted_version) REFERENCES public.ensembles(tenant_id, version);
constraint model_releases_tenant_id_proposed_by_fkey FOREIGN KEY (tenant_id, proposed_by) REFERENCES public.principals(tenant_id, principal_id);
constraint model_releases_tenant_id_snapshot_id_fkey FOREIGN KEY (tenant_id, snapshot_id) REFERENCES public.dataset_snapshots(tenant_id, snapshot_id);
constraint model_releases_two_people CHECK ((decided_by <> proposed_by));
constraint model_releases_weights CHECK ((weights = ANY (ARRAY['keep'::text, 'learn'::text, 'hand_set'::text])));
CREATE UNIQUE INDEX model_releases_in_force ON public.model_releases USING btree (tenant_id) WHERE (status = 'promoted'::text);
CREATE INDEX model_releases_recent ON public.model_releases USING btree (tenant_id, created_at DESC, release_id DESC);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER model_releases_transition AFTER UPDATE ON public.model_releases FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'approved>evaluated approved>promoted approved>rejected approved>withdrawn evaluated>approved evaluated>rejected evaluated>withdrawn promoted>rolled_back promoted>superseded proposed>evaluated proposed>rejected proposed>withdrawn superseded>promoted');

create table public.not_found_counts (
  tenant_id text not null,
  principal_id text not null,
  endpoint text not null,
  window_start timestamp with time zone not null,
  count integer not null
);
row security, forced;
constraint not_found_counts_count CHECK ((count > 0));
constraint not_found_counts_endpoint CHECK ((endpoint ~ '^[a-z][a-z0-9-]{0,63}$'::text));
constraint not_found_counts_pkey PRIMARY KEY (tenant_id, principal_id, endpoint);
constraint not_found_counts_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.organization_profiles (
  tenant_id text not null,
  profile_id text not null,
  name text not null,
  industries text[] not null,
  geographies text[] not null,
  description text not null,
  updated_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
row security, forced;
constraint organization_profiles_pkey PRIMARY KEY (tenant_id);
constraint organization_profiles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint organization_profiles_tenant_id_updated_by_fkey FOREIGN KEY (tenant_id, updated_by) REFERENCES public.principals(tenant_id, principal_id);
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.owner_assignments (
  tenant_id text not null,
  assignment_id text not null,
  principal_id text not null,
  domain_id text not null,
  kind text not null default 'owner'::text,
  attestation_days integer,
  attested_at timestamp with time zone,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  attestation_due_at timestamp with time zone generated always as (((COALESCE(attested_at, created_at) AT TIME ZONE 'UTC'::text) + ((attestation_days)::double precision * '24:00:00'::interval)) AT TIME ZONE 'UTC'::text) stored,
  overdue_noted_at timestamp with time zone
);
row security, forced;
constraint owner_assignments_attestation CHECK (((attestation_days >= 1) AND (attestation_days <= 730)));
constraint owner_assignments_kind CHECK ((kind = ANY (ARRAY['owner'::text, 'delegate'::text, 'steward'::text])));
constraint owner_assignments_pkey PRIMARY KEY (tenant_id, assignment_id);
constraint owner_assignments_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint owner_assignments_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
CREATE UNIQUE INDEX owner_assignments_active ON public.owner_assignments USING btree (tenant_id, principal_id, domain_id, kind) WHERE (ended_at IS NULL);
CREATE INDEX owner_assignments_attestation_due ON public.owner_assignments USING btree (tenant_id, attestation_due_at) WHERE ((ended_at IS NULL) AND (attestation_due_at IS NOT NULL));
CREATE INDEX owner_assignments_domain ON public.owner_assignments USING btree (tenant_id, domain_id) WHERE (ended_at IS NULL);
policy auth_read permissive for select to svc_auth using true;
policy engine permissive for select to svc_engine using true;
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER owner_assignments_ended BEFORE UPDATE OF attested_at, ended_at, overdue_noted_at, attestation_days ON public.owner_assignments FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION public.keep_ended_assignment();

create table public.placement_changes (
  tenant_id text not null,
  change_id bigint not null generated as identity (a),
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  day date,
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null
);
row security, forced;
constraint placement_changes_pkey PRIMARY KEY (tenant_id, change_id);
constraint placement_changes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX placement_changes_domain ON public.placement_changes USING btree (tenant_id, domain_id);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.policy_document_versions (
  tenant_id text not null,
  document_id text not null,
  version integer not null,
  filename text not null,
  content text not null,
  sections jsonb not null,
  uploaded_by text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint policy_document_versions_pkey PRIMARY KEY (tenant_id, document_id, version);
constraint policy_document_versions_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES public.policy_documents(tenant_id, document_id);
constraint policy_document_versions_tenant_id_uploaded_by_fkey FOREIGN KEY (tenant_id, uploaded_by) REFERENCES public.principals(tenant_id, principal_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER policy_document_versions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.policy_document_versions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.policy_documents (
  tenant_id text not null,
  document_id text not null,
  title text not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
row security, forced;
constraint policy_documents_pkey PRIMARY KEY (tenant_id, document_id);
constraint policy_documents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE UNIQUE INDEX policy_documents_title ON public.policy_documents USING btree (tenant_id, lower(title));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.principal_roles (
  tenant_id text not null,
  principal_id text not null,
  role text not null,
  source text not null default 'granted'::text,
  granted_by text,
  granted_at timestamp with time zone
);
row security, forced;
constraint principal_roles_not_own CHECK ((granted_by IS DISTINCT FROM principal_id));
constraint principal_roles_pkey PRIMARY KEY (tenant_id, principal_id, role, source);
constraint principal_roles_role CHECK ((role = ANY (ARRAY['platform_admin'::text, 'governance_admin'::text, 'domain_owner'::text, 'remediation_approver'::text, 'auditor'::text])));
constraint principal_roles_source CHECK ((source = ANY (ARRAY['granted'::text, 'claimed'::text])));
constraint principal_roles_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
policy auth_read permissive for select to svc_auth using true;
policy engine_read permissive for select to svc_engine using true;
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER principal_roles_keep_admin AFTER DELETE ON public.principal_roles FOR EACH ROW WHEN (((old.role = 'platform_admin'::text) AND (old.source = 'granted'::text))) EXECUTE FUNCTION public.keep_platform_admin();

create table public.principals (
  tenant_id text not null,
  principal_id text not null,
  display_name text not null,
  title text not null default ''::text,
  department text not null default ''::text,
  status text not null default 'active'::text,
  idp_issuer text,
  idp_subject text,
  last_sign_in_at timestamp with time zone,
  kind text not null default 'person'::text,
  email text,
  directory_id text,
  created_at timestamp with time zone
);
row security, forced;
constraint principals_id_unique UNIQUE (principal_id);
constraint principals_identity_unique UNIQUE (idp_issuer, idp_subject);
constraint principals_identity_whole CHECK (((idp_issuer IS NULL) = (idp_subject IS NULL)));
constraint principals_issuer_of_tenant FOREIGN KEY (tenant_id, idp_issuer) REFERENCES public.tenants(tenant_id, idp_issuer) ON UPDATE CASCADE;
constraint principals_kind CHECK ((kind = ANY (ARRAY['person'::text, 'service'::text])));
constraint principals_pkey PRIMARY KEY (tenant_id, principal_id);
constraint principals_status CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])));
constraint principals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE UNIQUE INDEX principals_directory ON public.principals USING btree (tenant_id, directory_id);
policy auth_read permissive for select to svc_auth using true;
policy engine_read permissive for select to svc_engine using true;
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER principals_keep_admin AFTER UPDATE OF status ON public.principals FOR EACH ROW WHEN (((old.status = 'active'::text) AND (new.status = 'disabled'::text))) EXECUTE FUNCTION public.keep_platform_admin();

create table public.regulatory_mappings (
  tenant_id text not null,
  mapping_id text not null,
  domain_id text not null,
  jurisdiction text not null,
  regulation text not null,
  rationale text not null,
  cited_document_id text,
  cited_version integer,
  cited_anchor text,
  cited_heading text,
  status text not null default 'draft'::text,
  origin text not null,
  provider text,
  model text,
  created_by text not null,
  decided_by text,
  decided_at timestamp with time zone,
  revision integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
row security, forced;
constraint regulatory_mappings_citation_whole CHECK ((num_nulls(cited_document_id, cited_version, cited_anchor, cited_heading) = ANY (ARRAY[0, 4])));
constraint regulatory_mappings_decided_by CHECK ((((status = 'draft'::text) = (decided_by IS NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL))));
constraint regulatory_mappings_generated_by CHECK (((origin = 'generated'::text) = ((provider IS NOT NULL) AND (model IS NOT NULL))));
constraint regulatory_mappings_origin CHECK ((origin = ANY (ARRAY['generated'::text, 'manual'::text])));
constraint regulatory_mappings_pkey PRIMARY KEY (tenant_id, mapping_id);
constraint regulatory_mappings_status CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text, 'rejected'::text])));
constraint regulatory_mappings_tenant_id_cited_document_id_cited_vers_fkey FOREIGN KEY (tenant_id, cited_document_id, cited_version) REFERENCES public.policy_document_versions(tenant_id, document_id, version);
constraint regulatory_mappings_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
constraint regulatory_mappings_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES public.principals(tenant_id, principal_id);
constraint regulatory_mappings_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
CREATE INDEX regulatory_mappings_list ON public.regulatory_mappings USING btree (tenant_id, lower(jurisdiction), lower(regulation), mapping_id);
CREATE UNIQUE INDEX regulatory_mappings_once ON public.regulatory_mappings USING btree (tenant_id, domain_id, lower(jurisdiction), lower(regulation)) WHERE (status <> 'rejected'::text);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER regulatory_mappings_transition AFTER UPDATE ON public.regulatory_mappings FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'approved>rejected draft>approved draft>rejected');

create table public.release_transitions (
  tenant_id text not null,
  release_id text not null,
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  principal_id text not null,
  note text not null,
  ensemble_version integer,
  campaign_id text,
  created_at timestamp with time zone not null,
  is_worse boolean
);
row security, forced;
constraint release_transitions_pkey PRIMARY KEY (tenant_id, release_id, revision);
constraint release_transitions_reasoned CHECK (((is_worse IS NULL) OR ((trigger = 'promote'::text) AND ((NOT is_worse) OR (note <> ''::text)))));
constraint release_transitions_tenant_id_ensemble_version_fkey FOREIGN KEY (tenant_id, ensemble_version) REFERENCES public.ensembles(tenant_id, version);
constraint release_transitions_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
constraint release_transitions_tenant_id_release_id_fkey FOREIGN KEY (tenant_id, release_id) REFERENCES public.model_releases(tenant_id, release_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER release_transitions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.release_transitions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

create table public.representative_walks (
  tenant_id text not null,
  after_asset_id text not null
);
row security, forced;
constraint representative_walks_pkey PRIMARY KEY (tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.retention_counts (
  tenant_id text not null,
  kind text not null,
  removed bigint not null
);
row security, forced;
constraint retention_counts_kind CHECK ((kind ~ '^[a-z_]{1,32}$'::text));
constraint retention_counts_pkey PRIMARY KEY (tenant_id, kind);
constraint retention_counts_removed CHECK ((removed > 0));
constraint retention_counts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.review_changes (
  tenant_id text not null,
  change_id bigint not null generated as identity (a),
  asset_id text not null,
  content_hash bytea,
  bands integer[]
);
row security, forced;
constraint review_changes_pkey PRIMARY KEY (tenant_id, change_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.scan_rules (
  tenant_id text not null,
  rule_id text not null,
  pattern text not null,
  family text,
  scope_id text,
  "position" integer not null,
  created_by text not null,
  created_at timestamp with time zone not null
);
row security, forced;
constraint scan_rules_once UNIQUE NULLS NOT DISTINCT (tenant_id, pattern, family, scope_id);
constraint scan_rules_pattern CHECK (((length(pattern) >= 1) AND (length(pattern) <= 200)));
constraint scan_rules_pkey PRIMARY KEY (tenant_id, rule_id);
constraint scan_rules_reach CHECK (((family IS NULL) OR (scope_id IS NULL)));
constraint scan_rules_scope FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
constraint scan_rules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.scanners (
  scanner_id text not null,
  display_name text not null,
  host text not null,
  capabilities text[] not null default '{m365}'::text[],
  version text not null,
  draining boolean not null default false,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  processed bigint not null default 0,
  failed bigint not null default 0
);
constraint scanners_id_shape CHECK ((scanner_id ~ '^[A-Za-z0-9._-]{1,64}$'::text));
constraint scanners_pkey PRIMARY KEY (scanner_id);
CREATE INDEX scanners_heartbeat ON public.scanners USING btree (heartbeat_at DESC, scanner_id);

create table public.schedule_runs (
  tenant_id text not null,
  scope_id text not null,
  kind text not null,
  target text not null,
  due timestamp with time zone not null,
  missed integer not null,
  outcome text,
  ended_at timestamp with time zone
);
row security, forced;
constraint schedule_runs_ended CHECK (((outcome IS NULL) = (ended_at IS NULL)));
constraint schedule_runs_kind CHECK ((kind = ANY (ARRAY['inventory'::text, 'delta'::text])));
constraint schedule_runs_outcome CHECK ((outcome = ANY (ARRAY['started'::text, 'late'::text, 'running'::text, 'refused'::text, 'withdrawn'::text])));
constraint schedule_runs_pkey PRIMARY KEY (tenant_id, scope_id, kind);
constraint schedule_runs_scope FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
CREATE INDEX schedule_runs_of_target ON public.schedule_runs USING btree (tenant_id, target, kind);
CREATE INDEX schedule_runs_waiting ON public.schedule_runs USING btree (tenant_id, due, scope_id, kind) WHERE (outcome IS NULL);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.schedule_times (
  tenant_id text not null,
  target text not null,
  kind text not null,
  cron text,
  next_at timestamp with time zone,
  last_due timestamp with time zone,
  planned_at timestamp with time zone not null
);
row security, forced;
constraint schedule_times_forward CHECK ((next_at > last_due));
constraint schedule_times_kind CHECK ((kind = ANY (ARRAY['inventory'::text, 'delta'::text])));
constraint schedule_times_next CHECK (((cron IS NULL) = (next_at IS NULL)));
constraint schedule_times_pkey PRIMARY KEY (tenant_id, target, kind);
constraint schedule_times_schedule FOREIGN KEY (tenant_id, target) REFERENCES public.schedules(tenant_id, target);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.schedules (
  tenant_id text not null,
  target text not null,
  family text,
  scope_id text,
  time_zone text not null,
  quiet_hours jsonb,
  calls_per_hour integer,
  megabytes_per_hour integer,
  when_running text not null,
  when_late text not null,
  revision integer not null,
  changed_at timestamp with time zone not null,
  changed_by text not null
);
row security, forced;
constraint schedules_calls CHECK ((calls_per_hour > 0));
constraint schedules_megabytes CHECK ((megabytes_per_hour > 0));
constraint schedules_one_target CHECK (((family IS NULL) OR (scope_id IS NULL)));
constraint schedules_pkey PRIMARY KEY (tenant_id, target);
constraint schedules_scope FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
constraint schedules_target CHECK ((target = COALESCE(('scope:'::text || scope_id), ('family:'::text || family), 'all'::text)));
constraint schedules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint schedules_when_late CHECK ((when_late = ANY (ARRAY['run'::text, 'skip'::text])));
constraint schedules_when_running CHECK ((when_running = ANY (ARRAY['skip'::text, 'queue'::text])));
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now()
);
constraint schema_migrations_pkey PRIMARY KEY (name);

create table public.scopes (
  tenant_id text not null,
  scope_id text not null,
  connector_instance_id text not null,
  family text not null,
  external_id text not null,
  name text not null,
  kind text not null,
  selected boolean not null default true,
  coverage_state text,
  delta_cursor text,
  delta_cursor_status text not null default 'none'::text,
  delta_cursor_at timestamp with time zone,
  expected_domain_id text,
  asset_count integer not null default 0,
  created_at timestamp with time zone not null,
  config_version integer,
  site_ids text[],
  inaccessible_reason text,
  inaccessible_since timestamp with time zone,
  gone_since timestamp with time zone,
  refused_at timestamp with time zone,
  refused_unit_id bigint,
  ended_at timestamp with time zone,
  left_out_at timestamp with time zone,
  listed boolean not null default true,
  narrowed_at timestamp with time zone,
  listed_by text,
  assets_left_out integer not null default 0
);
row security, forced;
constraint scopes_coverage CHECK ((coverage_state = ANY (ARRAY['baseline'::text, 'delta'::text, 'stale'::text])));
constraint scopes_cursor_status CHECK ((delta_cursor_status = ANY (ARRAY['none'::text, 'valid'::text, 'resync_required'::text])));
constraint scopes_expected_domain_fkey FOREIGN KEY (tenant_id, expected_domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint scopes_external UNIQUE (tenant_id, connector_instance_id, external_id);
constraint scopes_inaccessible CHECK ((((inaccessible_reason = ANY (ARRAY['not_found'::text, 'malformed_id'::text, 'denied'::text, 'locked'::text, 'unreachable'::text])) AND (inaccessible_since IS NOT NULL) AND (refused_at IS NOT NULL) AND ((gone_since IS NULL) OR (inaccessible_reason = ANY (ARRAY['not_found'::text, 'malformed_id'::text])))) OR ((inaccessible_reason IS NULL) AND (inaccessible_since IS NULL) AND (gone_since IS NULL) AND (refused_at IS NULL))));
constraint scopes_pkey PRIMARY KEY (tenant_id, scope_id);
constraint scopes_tenant_id_connector_instance_id_fkey FOREIGN KEY (tenant_id, connector_instance_id) REFERENCES public.connector_instances(tenant_id, connector_instance_id);
CREATE INDEX scopes_expected_domain ON public.scopes USING btree (tenant_id, expected_domain_id);
CREATE INDEX scopes_inaccessible ON public.scopes USING btree (tenant_id, scope_id) WHERE (inaccessible_since IS NOT NULL);
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER scopes_coverage_state_transition AFTER UPDATE ON public.scopes FOR EACH ROW WHEN ((old.coverage_state IS DISTINCT FROM new.coverage_state)) EXECUTE FUNCTION public.refuse_transition('coverage_state', 'baseline>delta baseline>stale delta>baseline delta>stale stale>baseline stale>delta');

create table public.sensitivity_labels (
  tenant_id text not null,
  label_guid text not null,
  name text not null,
  rank smallint not null,
  updated_at timestamp with time zone not null,
  family text
);
row security, forced;
constraint sensitivity_labels_pkey PRIMARY KEY (tenant_id, label_guid);
constraint sensitivity_labels_rank CHECK ((rank >= 0));
constraint sensitivity_labels_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.sessions (
  session_hash bytea not null,
  tenant_id text not null,
  principal_id text not null,
  auth_mode text not null,
  csrf_token text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  session_id text not null default ('ses_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text)),
  client text not null default ''::text
);
row security, forced;
constraint sessions_auth_mode CHECK ((auth_mode = ANY (ARRAY['dev'::text, 'idp'::text])));
constraint sessions_hash_length CHECK ((octet_length(session_hash) = 32));
constraint sessions_pkey PRIMARY KEY (session_hash);
constraint sessions_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
CREATE INDEX sessions_by_principal ON public.sessions USING btree (tenant_id, principal_id, last_seen_at DESC);
CREATE INDEX sessions_ended ON public.sessions USING btree (tenant_id, expires_at, session_id);
CREATE UNIQUE INDEX sessions_id ON public.sessions USING btree (session_id);
policy auth_read permissive for select to svc_auth using true;
policy auth_touch permissive for update to svc_auth using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.sign_in_codes (
  code_hash bytea not null,
  tenant_id text not null,
  principal_id text,
  created_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_by text
);
row security, forced;
constraint sign_in_codes_hash_length CHECK ((octet_length(code_hash) = 32));
constraint sign_in_codes_pkey PRIMARY KEY (code_hash);
constraint sign_in_codes_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES public.principals(tenant_id, principal_id);
constraint sign_in_codes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint sign_in_codes_tenant_id_principal_id_fkey FOREIGN KEY (tenant_id, principal_id) REFERENCES public.principals(tenant_id, principal_id);
constraint sign_in_codes_tenant_id_used_by_fkey FOREIGN KEY (tenant_id, used_by) REFERENCES public.principals(tenant_id, principal_id);
CREATE INDEX sign_in_codes_by_principal ON public.sign_in_codes USING btree (tenant_id, principal_id);
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.sketch_bands (
  tenant_id text not null,
  band integer not null,
  asset_id text not null,
  decided boolean not null
);
row security, forced;
constraint sketch_bands_pkey PRIMARY KEY (tenant_id, band, asset_id);
CREATE INDEX sketch_bands_decided ON public.sketch_bands USING btree (tenant_id, band, asset_id) WHERE decided;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.source_folders (
  tenant_id text not null,
  scope_id text not null,
  external_id text not null,
  parent_external_id text,
  name text not null,
  path text,
  state text not null default 'named'::text,
  seen_campaign_id text,
  permissions_key text,
  sharing_mark text,
  sharing_state text
);
row security, forced;
constraint source_folders_have_a_path CHECK (((state = ANY (ARRAY['named'::text, 'gone'::text])) OR (path IS NOT NULL)));
constraint source_folders_pkey PRIMARY KEY (tenant_id, scope_id, external_id);
constraint source_folders_sharing_state CHECK ((sharing_state = ANY (ARRAY['changed'::text, 'in_changed'::text, 'reading'::text])));
constraint source_folders_state_check CHECK ((state = ANY (ARRAY['named'::text, 'placed'::text, 'settled'::text, 'gone'::text])));
constraint source_folders_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
CREATE INDEX source_folders_parent ON public.source_folders USING btree (tenant_id, scope_id, parent_external_id);
CREATE INDEX source_folders_sharing ON public.source_folders USING btree (tenant_id, scope_id, sharing_state, external_id) WHERE (sharing_state IS NOT NULL);
CREATE INDEX source_folders_unsettled ON public.source_folders USING btree (tenant_id, scope_id, state, external_id) WHERE (state <> 'settled'::text);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.source_usage (
  tenant_id text not null,
  hour timestamp with time zone not null,
  scope_id text not null,
  calls bigint not null,
  bytes bigint not null
);
row security, forced;
constraint source_usage_pkey PRIMARY KEY (tenant_id, hour, scope_id);
constraint source_usage_scope FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.suppression_sets (
  tenant_id text not null,
  version integer not null
);
row security, forced;
constraint suppression_sets_pkey PRIMARY KEY (tenant_id);
constraint suppression_sets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.suppressions (
  tenant_id text not null,
  suppression_id text not null,
  kind text not null,
  detector_id text not null,
  domain_id text,
  scope_id text,
  folder text,
  example_asset_id text,
  shingles bytea,
  template bytea,
  bands integer[],
  fingerprint text,
  reason text not null,
  status text not null,
  needs_approval boolean not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  ended_by text,
  ended_at timestamp with time zone,
  from_version integer,
  until_version integer
);
row security, forced;
constraint suppressions_approved CHECK (((from_version IS NULL) OR (NOT needs_approval) OR (decided_by IS NOT NULL)));
constraint suppressions_decided CHECK (((decided_by IS NULL) = (decided_at IS NULL)));
constraint suppressions_detector CHECK (((char_length(detector_id) >= 1) AND (char_length(detector_id) <= 100)));
constraint suppressions_expiry CHECK ((expires_at > proposed_at));
constraint suppressions_fingerprint CHECK ((fingerprint ~ '^[0-9a-f]{10}$'::text));
constraint suppressions_folder CHECK (((char_length(folder) >= 1) AND (char_length(folder) <= 1000)));
constraint suppressions_in_force CHECK (
CASE status
    WHEN 'proposed'::text THEN (num_nonnulls(decided_by, from_version, ended_at) = 0)
    WHEN 'active'::text THEN ((from_version IS NOT NULL) AND (ended_at IS NULL))
    WHEN 'rejected'::text THEN ((decided_by IS NOT NULL) AND (num_nonnulls(from_version, ended_at) = 0))
    ELSE (ended_at IS NOT NULL)
END);
constraint suppressions_kind CHECK (
CASE kind
    WHEN 'detector_in_scope'::text THEN ((scope_id IS NOT NULL) AND (num_nonnulls(example_asset_id, bands, fingerprint) = 0))
    WHEN 'template'::text THEN ((num_nulls(example_asset_id, bands) = 0) AND (num_nonnulls(shingles, template) > 0) AND (num_nonnulls(scope_id, folder, fingerprint) = 0))
    WHEN 'value'::text THEN ((fingerprint IS NOT NULL) AND (num_nonnulls(scope_id, folder, example_asset_id, bands) = 0))
    ELSE false
END);
constraint suppressions_pkey PRIMARY KEY (tenant_id, suppression_id);
constraint suppressions_reason CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)));
constraint suppressions_second_person CHECK ((decided_by <> proposed_by));
constraint suppressions_status CHECK ((status = ANY (ARRAY['proposed'::text, 'active'::text, 'rejected'::text, 'revoked'::text, 'expired'::text])));
constraint suppressions_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES public.principals(tenant_id, principal_id);
constraint suppressions_tenant_id_domain_id_fkey FOREIGN KEY (tenant_id, domain_id) REFERENCES public.domains(tenant_id, domain_id);
constraint suppressions_tenant_id_ended_by_fkey FOREIGN KEY (tenant_id, ended_by) REFERENCES public.principals(tenant_id, principal_id);
constraint suppressions_tenant_id_example_asset_id_fkey FOREIGN KEY (tenant_id, example_asset_id) REFERENCES public.assets(tenant_id, asset_id);
constraint suppressions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
constraint suppressions_tenant_id_proposed_by_fkey FOREIGN KEY (tenant_id, proposed_by) REFERENCES public.principals(tenant_id, principal_id);
constraint suppressions_tenant_id_scope_id_fkey FOREIGN KEY (tenant_id, scope_id) REFERENCES public.scopes(tenant_id, scope_id);
constraint suppressions_tenant_wide CHECK (((domain_id IS NOT NULL) OR needs_approval));
constraint suppressions_versions CHECK ((((until_version IS NOT NULL) = ((from_version IS NOT NULL) AND (ended_at IS NOT NULL))) AND (until_version > from_version)));
CREATE INDEX suppressions_expiring ON public.suppressions USING btree (expires_at) WHERE (status = ANY (ARRAY['proposed'::text, 'active'::text]));
CREATE INDEX suppressions_newest ON public.suppressions USING btree (tenant_id, proposed_at DESC, suppression_id DESC);
CREATE UNIQUE INDEX suppressions_once ON public.suppressions USING btree (tenant_id, kind, detector_id, domain_id, scope_id, folder, example_asset_id, fingerprint) NULLS NOT DISTINCT WHERE (status = ANY (ARRAY['proposed'::text, 'active'::text]));
policy engine permissive for select to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER suppressions_transition AFTER UPDATE ON public.suppressions FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'active>expired active>revoked proposed>active proposed>expired proposed>rejected proposed>revoked');

create table public.tasks (
  tenant_id text not null,
  task_id text not null,
  action_id text not null,
  status text not null,
  updated_by text,
  revision integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
row security, forced;
constraint tasks_once UNIQUE (tenant_id, action_id);
constraint tasks_pkey PRIMARY KEY (tenant_id, task_id);
constraint tasks_status CHECK ((status = ANY (ARRAY['open'::text, 'in_progress'::text, 'done'::text, 'cancelled'::text])));
constraint tasks_tenant_id_action_id_fkey FOREIGN KEY (tenant_id, action_id) REFERENCES public.actions(tenant_id, action_id);
constraint tasks_tenant_id_updated_by_fkey FOREIGN KEY (tenant_id, updated_by) REFERENCES public.principals(tenant_id, principal_id);
CREATE INDEX tasks_recent ON public.tasks USING btree (tenant_id, created_at DESC, task_id DESC);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
CREATE TRIGGER tasks_transition AFTER UPDATE ON public.tasks FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.refuse_transition('status', 'cancelled>open done>open in_progress>cancelled in_progress>done in_progress>open open>cancelled open>done open>in_progress');

create table public.telemetry_sent (
  telemetry_id text not null,
  tenant_id text not null,
  day date not null,
  sent_at timestamp with time zone not null,
  payload text not null,
  outcome text
);
row security, forced;
constraint telemetry_sent_daily UNIQUE (tenant_id, day);
constraint telemetry_sent_outcome CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'failed'::text, 'timeout'::text, 'unreachable'::text])));
constraint telemetry_sent_payload CHECK (((octet_length(payload) >= 2) AND (octet_length(payload) <= 4096)));
constraint telemetry_sent_pkey PRIMARY KEY (telemetry_id);
constraint telemetry_sent_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX telemetry_sent_oldest ON public.telemetry_sent USING btree (tenant_id, sent_at, telemetry_id);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.tenant_counters (
  tenant_id text not null,
  slot bigint not null generated as identity (a),
  not_fetched bigint not null default 0,
  available bigint not null default 0,
  partial bigint not null default 0,
  unsupported bigint not null default 0,
  failed bigint not null default 0,
  inaccessible bigint not null default 0,
  ended_units bigint not null default 0,
  ended_completed bigint not null default 0,
  ended_dead bigint not null default 0
);
row security, forced;
constraint tenant_counters_pkey PRIMARY KEY (tenant_id, slot);
constraint tenant_counters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
policy engine permissive for all to svc_engine using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.tenants (
  tenant_id text not null,
  name text not null,
  data_handling_profile text not null default 'minimized_evidence'::text,
  config_version integer not null default 1,
  created_at timestamp with time zone not null,
  idp_issuer text,
  telemetry_deployment uuid not null default gen_random_uuid(),
  telemetry_opted_out_at timestamp with time zone
);
row security, forced;
constraint tenants_id_shape CHECK ((tenant_id ~ '^[A-Za-z0-9_-]{1,64}$'::text));
constraint tenants_issuer UNIQUE (tenant_id, idp_issuer);
constraint tenants_pkey PRIMARY KEY (tenant_id);
constraint tenants_profile CHECK ((data_handling_profile = ANY (ARRAY['metadata_only'::text, 'minimized_evidence'::text, 'enhanced_evidence'::text])));
CREATE UNIQUE INDEX tenants_idp_issuer ON public.tenants USING btree (idp_issuer);
policy auth_read permissive for select to svc_auth using true;
policy provision permissive for all to svc_provision using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));
policy provision_list permissive for select to svc_provision using true;
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.trend_days (
  tenant_id text not null,
  domain_id text not null,
  day date not null,
  measured_at timestamp with time zone not null,
  assets integer not null,
  sensitive integer not null,
  exposed integer not null,
  labeled integer not null,
  label_unknown integer not null,
  content_read integer not null,
  open_findings integer not null,
  open_findings_by_severity jsonb not null,
  open_questions integer not null,
  answered_questions integer not null,
  scopes integer,
  scopes_scanned integer
);
row security, forced;
constraint trend_days_pkey PRIMARY KEY (tenant_id, domain_id, day);
constraint trend_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);
CREATE INDEX trend_days_measured ON public.trend_days USING btree (tenant_id, measured_at);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.vector_generations (
  tenant_id text not null,
  space integer not null,
  first_cell integer not null,
  cell_count integer not null,
  dimensions integer not null,
  centroids bytea not null,
  trained_on bigint not null,
  sorted bigint not null default 0,
  created_at timestamp with time zone not null
);
row security, forced;
constraint vector_generations_first CHECK ((first_cell > 0));
constraint vector_generations_pkey PRIMARY KEY (tenant_id, space, first_cell);
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

create table public.work_units (
  unit_id bigint not null generated as identity (a),
  tenant_id text not null,
  campaign_id text not null,
  kind text not null,
  logical_key text not null,
  payload jsonb not null,
  status text not null default 'pending'::text,
  attempt integer not null default 0,
  max_attempts integer not null default 4,
  run_after timestamp with time zone not null,
  lease_owner text,
  lease_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone
);
row security, forced;
constraint work_units_kind CHECK ((kind = ANY (ARRAY['inventory_page'::text, 'delta_run'::text, 'process_asset'::text, 'rescore_asset'::text])));
constraint work_units_lease CHECK (((status = 'leased'::text) = ((lease_owner IS NOT NULL) AND (lease_expires_at IS NOT NULL))));
constraint work_units_max_attempts CHECK (((max_attempts >= 1) AND (max_attempts <= 20)));
constraint work_units_once UNIQUE (campaign_id, logical_key);
constraint work_units_pkey PRIMARY KEY (unit_id);
constraint work_units_status CHECK ((status = ANY (ARRAY['pending'::text, 'leased'::text, 'completed'::text, 'failed'::text, 'dead'::text, 'cancelled'::text])));
CREATE INDEX work_units_due ON public.work_units USING btree (campaign_id, run_after, unit_id) WHERE (status = 'pending'::text);
CREATE INDEX work_units_growing ON public.work_units USING btree (campaign_id) WHERE ((status = ANY (ARRAY['pending'::text, 'leased'::text])) AND ((kind = ANY (ARRAY['inventory_page'::text, 'delta_run'::text])) OR (payload ? 'planAfter'::text)));
CREATE INDEX work_units_lease_end ON public.work_units USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);
policy engine permissive for all to svc_engine using true;
policy settled restrictive for delete to svc_app using (status = ANY (ARRAY['completed'::text, 'failed'::text, 'dead'::text, 'cancelled'::text]));
policy tenant permissive for all to svc_app using (tenant_id = current_setting('svc.tenant_id'::text, true)) with check (tenant_id = current_setting('svc.tenant_id'::text, true));

CREATE OR REPLACE FUNCTION public.active_principal(p_tenant text, p_principal text, p_claimed_since timestamp with time zone)
 RETURNS TABLE(tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 LANGUAGE sql
 STABLE
AS $function$
  select p.tenant_id, p.principal_id, p.kind, p.display_name, p.title, p.department,
         array(select distinct r.role from public.principal_roles r
                where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id
                  and (r.source = 'granted' or p.last_sign_in_at >= p_claimed_since)
                order by r.role),
         array(select distinct o.domain_id from public.owner_assignments o
                where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.ended_at is null
                order by o.domain_id)
    from public.principals p
   where p.tenant_id = p_tenant and p.principal_id = p_principal and p.status = 'active'
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.add_to_counters(p_by public.tenant_counters)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update public.tenant_counters c
     set not_fetched = c.not_fetched + coalesce(p_by.not_fetched, 0),
         available = c.available + coalesce(p_by.available, 0),
         partial = c.partial + coalesce(p_by.partial, 0),
         unsupported = c.unsupported + coalesce(p_by.unsupported, 0),
         failed = c.failed + coalesce(p_by.failed, 0),
         inaccessible = c.inaccessible + coalesce(p_by.inaccessible, 0),
         ended_units = c.ended_units + coalesce(p_by.ended_units, 0),
         ended_completed = c.ended_completed + coalesce(p_by.ended_completed, 0),
         ended_dead = c.ended_dead + coalesce(p_by.ended_dead, 0)
   where c.tenant_id = p_by.tenant_id
     and c.slot = (select s.slot from public.tenant_counters s where s.tenant_id = p_by.tenant_id
                    limit 1 for no key update skip locked);
  if not found then
    insert into public.tenant_counters (tenant_id) values (p_by.tenant_id);
    perform public.add_to_counters(p_by);
  end if;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.add_units(p_campaign text, p_kinds text[], p_keys text[], p_payloads text[], p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  v_tenant text := current_setting('svc.tenant_id');
  v_added integer;
begin
  perform from public.campaigns where tenant_id = v_tenant and campaign_id = p_campaign;
  if not found then
    raise exception 'no such campaign' using errcode = 'foreign_key_violation', table = 'work_units';
  end if;
  begin
    insert into public.work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select v_tenant, p_campaign, u.kind, u.logical_key, u.payload::jsonb, p_at, p_at
        from unnest(p_kinds, p_keys, p_payloads) as u (kind, logical_key, payload);
    get diagnostics v_added = row_count;
  exception when unique_violation then
    insert into public.work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select v_tenant, p_campaign, u.kind, u.logical_key, u.payload::jsonb, p_at, p_at
        from unnest(p_kinds, p_keys, p_payloads) as u (kind, logical_key, payload)
      on conflict on constraint work_units_once do nothing;
    get diagnostics v_added = row_count;
  end;
  return v_added;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.assets_having(p_ways jsonb, p_all text[], p_after timestamp with time zone, p_after_id text, p_most integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET work_mem TO '32MB'
AS $function$
declare
  v_way pg_catalog.record;
  v_found pg_catalog.text[] := '{}';
  v_some pg_catalog.text[];
begin
  for v_way in select * from pg_catalog.jsonb_to_recordset(p_ways) as way (query pg_catalog.text, "any" pg_catalog.text[]) loop
    -- By the index of words and marks and no other, so without the tenant. An empty condition would read the whole index.
    execute pg_catalog.format(
      'select pg_catalog.array_agg(asset_id) from (
         select asset_id from (select * from public.asset_search where active %s %s %s offset 0) held
          where tenant_id = $4 and ($5 is null or (changed_at, asset_id) < ($5, $6))
          order by changed_at desc, asset_id desc limit $7) newest',
      case when v_way.query <> '' then 'and words @@ $1::pg_catalog.tsquery' end,
      case when v_way."any" is not null then 'and marks && $2' end,
      case when p_all <> '{}' then 'and marks @> $3' end)
      into v_some
      using v_way.query, v_way."any", p_all, pg_catalog.current_setting('svc.tenant_id', true), p_after, p_after_id, p_most;
    v_found := v_found || v_some;
  end loop;
  return query
  select s.asset_id from public.asset_search s
   where s.tenant_id = pg_catalog.current_setting('svc.tenant_id', true) and s.asset_id = any(v_found)
   order by s.changed_at desc, s.asset_id desc limit p_most;
end
$function$
-- runs as svc_search

CREATE OR REPLACE FUNCTION public.assets_matching(p_term text, p_anywhere boolean, p_most integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_pattern pg_catalog.text := pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(p_term, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_tenant pg_catalog.text := pg_catalog.current_setting('svc.tenant_id', true);
begin
  if p_anywhere then
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active'
        and pg_catalog.lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')) like '%' || v_pattern
      limit p_most;
  else
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active' and pg_catalog.lower(a.name) like v_pattern
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~>=~ pg_catalog.left(p_term, 32)
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~<~ (pg_catalog.left(p_term, 32) || U&'\+10FFFF')
      limit p_most;
  end if;
end
$function$
-- runs as svc_search

CREATE OR REPLACE FUNCTION public.audit_append(p_events text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_tenant pg_catalog.text := pg_catalog.current_setting('svc.tenant_id');
  v_seq pg_catalog.int8;
  v_hash pg_catalog.text;
  v_records pg_catalog.text[] := '{}';
  v_hashes pg_catalog.text[] := '{}';
  v_record pg_catalog.text;
  v_event pg_catalog.text;
begin
  select seq, hash into v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  if not found then
    insert into public.audit_heads (tenant_id, seq, hash) values (v_tenant, 0, pg_catalog.repeat('0', 64))
      on conflict (tenant_id) do nothing;
    select seq, hash into strict v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  end if;
  foreach v_event in array p_events loop
    -- A foreign or malformed event could never be taken back.
    if v_event::pg_catalog.jsonb ->> 'tenantId' is distinct from v_tenant then
      raise exception 'an audit event of another tenant' using errcode = 'check_violation';
    end if;
    v_seq := v_seq + 1;
    v_record := '{"chain":{"prev":"' || v_hash || '","seq":' || v_seq || '},"event":' || v_event || '}';
    v_hash := pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(v_record, 'UTF8')), 'hex');
    v_records := v_records || v_record;
    v_hashes := v_hashes || v_hash;
  end loop;
  insert into public.audit_events (tenant_id, seq, record, hash)
    select v_tenant, v_seq - pg_catalog.cardinality(v_records) + t.n, t.record, t.hash
      from rows from (pg_catalog.unnest(v_records), pg_catalog.unnest(v_hashes)) with ordinality as t (record, hash, n);
  update public.audit_heads set seq = v_seq, hash = v_hash where tenant_id = v_tenant;
  return v_seq;
end
$function$
-- runs as svc_audit

CREATE OR REPLACE FUNCTION public.band_points(p_band text, p_confidence double precision)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN CASE p_band WHEN 'routed'::text THEN 1000 ELSE (CASE p_band WHEN 'high'::text THEN 100 ELSE 0 END + (round(((100)::double precision * COALESCE(p_confidence, (0)::double precision))))::integer) END
-- runs as its caller

CREATE OR REPLACE FUNCTION public.count_assets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_by public.tenant_counters;
begin
  if tg_op = 'INSERT' then
    for v_by in
      select tenant_id, null, count(*) filter (where content_state = 'not_fetched'),
             count(*) filter (where content_state = 'available'), count(*) filter (where content_state = 'partial'),
             count(*) filter (where content_state = 'unsupported'), count(*) filter (where content_state = 'failed'),
             count(*) filter (where content_state = 'inaccessible'), null, null, null
        from became where status = 'active' group by tenant_id
    loop
      perform public.add_to_counters(v_by);
    end loop;
    return null;
  end if;
  for v_by in
    select tenant_id, null, sum(case content_state when 'not_fetched' then amount end),
           sum(case content_state when 'available' then amount end), sum(case content_state when 'partial' then amount end),
           sum(case content_state when 'unsupported' then amount end), sum(case content_state when 'failed' then amount end),
           sum(case content_state when 'inaccessible' then amount end), null, null, null
      from (select tenant_id, content_state, 1 as amount from became where status = 'active'
            union all select tenant_id, content_state, -1 from was where status = 'active') moved
     group by tenant_id
  loop
    if 0 <> any (array[v_by.not_fetched, v_by.available, v_by.partial, v_by.unsupported, v_by.failed, v_by.inaccessible])
    then
      perform public.add_to_counters(v_by);
    end if;
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.count_campaign()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_was integer := case when old.status in ('completed', 'cancelled') then 1 else 0 end;
  v_is integer := case when new.status in ('completed', 'cancelled') then 1 else 0 end;
  v_by public.tenant_counters;
begin
  v_by.tenant_id := new.tenant_id;
  v_by.ended_units := v_is * new.units_total - v_was * old.units_total;
  v_by.ended_completed := v_is * new.units_completed - v_was * old.units_completed;
  v_by.ended_dead := v_is * new.units_dead - v_was * old.units_dead;
  if 0 <> any (array[v_by.ended_units, v_by.ended_completed, v_by.ended_dead]) then
    perform public.add_to_counters(v_by);
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.count_campaigns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_by public.tenant_counters;
begin
  for v_by in
    select tenant_id, null, null, null, null, null, null, null, sum(units_total), sum(units_completed), sum(units_dead)
      from became where status in ('completed', 'cancelled') group by tenant_id
  loop
    perform public.add_to_counters(v_by);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.count_placements()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_came public.asset_placements[] := '{}';
  v_went public.asset_placements[] := '{}';
begin
  if tg_op <> 'DELETE' then
    v_came := array(select b from became b where b.firmest);
  end if;
  if tg_op <> 'INSERT' then
    v_went := array(select w from was w where w.firmest);
  end if;
  -- Most statements of a placing meet no row.
  if cardinality(v_came) + cardinality(v_went) = 0 then
    return null;
  end if;
  insert into public.placement_changes (tenant_id, cell, domain_id, information_type_id, scope_id, provenance, label_state,
                                        risk_severity, day, assets, open_findings, pending_reviews)
  select m.tenant_id,
         public.landscape_cell(m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity),
         m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity, m.day,
         m.assets, m.open_findings, m.pending_reviews
    from (
      select p.tenant_id, coalesce(p.domain_id, '') as domain_id, coalesce(p.information_type_id, '') as type_id,
             p.scope_id, p.provenance, p.label_state, coalesce(p.risk_severity, '') as risk_severity,
             case when p.changed_since_first_sight then (p.changed_at at time zone 'UTC')::date end as day,
             sum(p.sign) as assets,
             sum(p.sign * p.open_findings) as open_findings, sum(p.sign * p.pending_reviews) as pending_reviews
        from (select 1 as sign, c.* from unnest(v_came) c union all select -1, w.* from unnest(v_went) w) p
       group by 1, 2, 3, 4, 5, 6, 7, 8
    ) m
   where (m.assets, m.open_findings, m.pending_reviews) <> (0, 0, 0);
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.end_acknowledgement()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if new.status = 'open' then
    new.status := old.status;
    return new;
  end if;
  new.acknowledged_by := null;
  new.acknowledged_at := null;
  new.acknowledge_note := null;
  new.acknowledged_decision_id := null;
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.fold_placements(p_tenant text, p_most integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  v_folded public.placement_changes[];
begin
  with due as (
    select change_id from public.placement_changes where tenant_id = p_tenant
     order by change_id limit p_most for update skip locked
  ), folded as (
    delete from public.placement_changes c using due
     where c.tenant_id = p_tenant and c.change_id = due.change_id returning c.*
  )
  select array_agg(f::public.placement_changes) into v_folded from folded f;
  insert into public.landscape_cells as c
  select f.tenant_id, f.cell, f.domain_id, f.information_type_id, f.scope_id, f.provenance, f.label_state, f.risk_severity,
         sum(f.assets), sum(f.open_findings), sum(f.pending_reviews)
    from unnest(v_folded) f
   group by 1, 2, 3, 4, 5, 6, 7, 8
  having (sum(f.assets), sum(f.open_findings), sum(f.pending_reviews)) <> (0, 0, 0)
   order by f.cell
  on conflict (tenant_id, cell) do update
    set assets = c.assets + excluded.assets, open_findings = c.open_findings + excluded.open_findings,
        pending_reviews = c.pending_reviews + excluded.pending_reviews;
  insert into public.domain_days as d
  select f.tenant_id, f.domain_id, f.day, sum(f.assets) from unnest(v_folded) f where f.domain_id <> '' and f.day is not null
   group by 1, 2, 3 having sum(f.assets) <> 0 order by 2, 3
  on conflict (tenant_id, domain_id, day) do update set assets = d.assets + excluded.assets;
  return coalesce(cardinality(v_folded), 0);
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.follow_asset()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  update public.candidates
     set asset_active = new.status = 'active', risk_severity = new.risk_severity
   where tenant_id = new.tenant_id and asset_id = new.asset_id
     and (asset_active, risk_severity) is distinct from (new.status = 'active', new.risk_severity);
  if (new.status, new.content_hash) is distinct from (old.status, old.content_hash) then
    insert into public.review_changes (tenant_id, asset_id, content_hash)
    select k.tenant_id, k.asset_id, old.content_hash from public.candidates k
     where k.tenant_id = new.tenant_id and k.asset_id = new.asset_id and k.status in ('pending', 'deferred') limit 1;
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.index_assets(p_tenant text, p_assets text[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_tag text := public.search_tag(p_tenant);
begin
  insert into public.asset_search as s (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at,
         array(
           select distinct v_tag || mark from (
             select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
              where p.tenant_id = a.tenant_id and p.asset_id = a.asset_id
             union all
             select unnest(array['label:' || a.label_state, 'risk:' || a.risk_severity])) marks
            where mark is not null order by 1),
         array_to_tsvector(
           array(select v_tag || word from unnest(public.search_words(concat_ws(' ', a.name, a.path, a.format))) as word)
           || coalesce((
                select search_lexemes from public.asset_features f where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
              ), array(
                select lexeme from public.asset_search k cross join unnest(k.words)
                 where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and left(lexeme, 1) in ('#', '~'))))
    from unnest(p_assets) as due (asset_id)
   cross join lateral (
     select * from public.assets where tenant_id = p_tenant and asset_id = due.asset_id offset 0) a
  on conflict (tenant_id, asset_id) do update
    set active = excluded.active, changed_at = excluded.changed_at, marks = excluded.marks, words = excluded.words
  where (s.active, s.changed_at, s.marks, s.words)
        is distinct from (excluded.active, excluded.changed_at, excluded.marks, excluded.words);
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.keep_ended_assignment()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  raise exception 'an ended assignment does not change' using errcode = 'restrict_violation';
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.keep_platform_admin()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if tg_table_name = 'principals' and not exists (
    select from principal_roles r
     where r.tenant_id = old.tenant_id and r.principal_id = old.principal_id and r.role = 'platform_admin'
  ) then
    return null;
  end if;
  -- One removal at a time in a tenant: of two admins who remove each other, the second one sees what the first one did.
  perform pg_advisory_xact_lock(hashtextextended('platform_admin ' || old.tenant_id, 0));
  if not exists (
    select from principals p
      join principal_roles r on r.tenant_id = p.tenant_id and r.principal_id = p.principal_id
      join tenants t on t.tenant_id = p.tenant_id
     where p.tenant_id = old.tenant_id and p.status = 'active' and p.kind = 'person' and r.role = 'platform_admin'
       -- Somebody who has never signed in lets nobody in. In development, nobody is bound to an identity.
       and (p.idp_subject is not null or t.idp_issuer is null)
  ) then
    raise exception 'the last platform admin of a tenant stays'
      using errcode = 'check_violation', constraint = 'platform_admin_kept', table = tg_table_name;
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.landscape_cell(p_domain text, p_type text, p_scope text, p_provenance text, p_label text, p_risk text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
RETURN (md5(((((((((((p_domain || ' '::text) || p_type) || ' '::text) || p_scope) || ' '::text) || p_provenance) || ' '::text) || p_label) || ' '::text) || p_risk)))::uuid
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_campaign_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- What follows decisions comes with every answer, and is worth an event where something of it died.
  if new.follows_decisions and new.status = 'completed' and not exists (
    select from public.dead_letters d where d.tenant_id = new.tenant_id and d.campaign_id = new.campaign_id)
  then
    return null;
  end if;
  insert into public.campaign_ends (tenant_id, campaign_id, status, units_completed, units_dead, units_cancelled, finished_at)
  values (new.tenant_id, new.campaign_id, new.status, new.units_completed, new.units_dead, new.units_cancelled,
          new.finished_at);
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_candidates()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.review_changes (tenant_id, asset_id)
    select distinct tenant_id, asset_id from became where status in ('pending', 'deferred');
  else
    insert into public.review_changes (tenant_id, asset_id)
    select distinct b.tenant_id, b.asset_id from became b join was w using (tenant_id, candidate_id)
     where (b.status in ('pending', 'deferred')) <> (w.status in ('pending', 'deferred'));
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_placing(p_tenant text, p_assets text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('svc.placing',
    concat_ws(' ', nullif(current_setting('svc.placing', true), ''), p_tenant || ' ' || array_to_string(p_assets, ' ' || p_tenant || ' ')),
    true);
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_revision()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  new.words_revision := (
    select d.words_revision + coalesce(t.words_revision, 0)
      from public.domains d
      left join public.information_types t
        on t.tenant_id = new.tenant_id and t.information_type_id = new.information_type_id
     where d.tenant_id = new.tenant_id and d.domain_id = new.domain_id);
  if tg_op = 'INSERT' or (new.status, new.decision_id) is distinct from (old.status, old.decision_id) then
    new.standing_revision := new.revision;
  end if;
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_sketches()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  insert into public.review_changes (tenant_id, asset_id, bands)
  select k.tenant_id, k.asset_id, old.bands from public.candidates k
   where k.tenant_id = new.tenant_id and k.asset_id = new.asset_id and k.status in ('pending', 'deferred') limit 1;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.note_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.words_revision := old.words_revision + 1;
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE PROCEDURE public.open_to_provisioning(IN p_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create policy provision on %s to svc_provision using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
  execute format('grant select, insert on %s to svc_provision', p_table);
end
$procedure$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_assets(p_tenant text, p_assets text[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_some text[];
begin
  for v_first in 1 .. cardinality(p_assets) by 500 loop
    v_some := p_assets[v_first : v_first + 499];
    with due as materialized (
      select * from public.placements_of(p_tenant, v_some)
    ), gone as (
      delete from public.asset_placements p
       where p.tenant_id = p_tenant and p.asset_id = any(v_some)
         and not exists (
           select 1 from due d
            where d.asset_id = p.asset_id and d.domain_id is not distinct from p.domain_id
              and d.information_type_id is not distinct from p.information_type_id)
    )
    insert into public.asset_placements as p
    select * from due
    on conflict on constraint asset_placements_once do update
      set provenance = excluded.provenance, firmest = excluded.firmest, label_state = excluded.label_state,
          risk_severity = excluded.risk_severity, open_findings = excluded.open_findings,
          pending_reviews = excluded.pending_reviews, changed_at = excluded.changed_at,
          candidate_id = excluded.candidate_id, confidence = excluded.confidence, status = excluded.status,
          decision_id = excluded.decision_id, changed_since_first_sight = excluded.changed_since_first_sight
    where (p.provenance, p.firmest, p.label_state, p.risk_severity, p.open_findings, p.pending_reviews, p.changed_at,
           p.candidate_id, p.confidence, p.status, p.decision_id, p.changed_since_first_sight)
          is distinct from (excluded.provenance, excluded.firmest, excluded.label_state, excluded.risk_severity,
                            excluded.open_findings, excluded.pending_reviews, excluded.changed_at,
                            excluded.candidate_id, excluded.confidence, excluded.status, excluded.decision_id,
                            excluded.changed_since_first_sight);
  end loop;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform public.note_placing(new.tenant_id, array[new.asset_id]);
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_inserted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_changed record;
begin
  for v_changed in select tenant_id, array_agg(distinct asset_id) as assets from became group by tenant_id loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_noted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_noted text := current_setting('svc.placing', true);
  v_due record;
begin
  if coalesce(v_noted, '') = '' then
    return null;
  end if;
  perform set_config('svc.placing', '', true);
  for v_due in
    select tenant_id, array_agg(distinct asset_id) as assets
      from (
        select word as tenant_id, lead(word) over (order by nth) as asset_id, nth
          from string_to_table(v_noted, ' ') with ordinality as each (word, nth)
      ) pairs
     where nth % 2 = 1
     group by tenant_id
  loop
    perform public.place_assets(v_due.tenant_id, v_due.assets);
    perform public.index_assets(v_due.tenant_id, v_due.assets);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_updated_assets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(b.asset_id) as assets
      from became b join was w using (tenant_id, asset_id)
     where (b.status, b.label_state, b.risk_severity, b.changed_at, b.name, b.path, b.format)
           is distinct from (w.status, w.label_state, w.risk_severity, w.changed_at, w.name, w.path, w.format)
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_updated_candidates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(distinct b.asset_id) as assets
      from became b join was w using (tenant_id, candidate_id)
     where (b.status, b.decision_id, b.band, b.confidence) is distinct from (w.status, w.decision_id, w.band, w.confidence)
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.place_updated_findings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(distinct b.asset_id) as assets
      from became b join was w using (tenant_id, finding_id)
     -- One by one, also under a plan that was made while there were no assets.
     cross join lateral (
       select status from public.assets where tenant_id = b.tenant_id and asset_id = b.asset_id offset 0) a
     where (b.status = 'resolved') <> (w.status = 'resolved') and a.status = 'active'
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.placements_of(p_tenant text, p_assets text[])
 RETURNS SETOF public.asset_placements
 LANGUAGE sql
 STABLE
AS $function$
  select a.tenant_id, a.asset_id, t.domain_id, t.information_type_id, a.scope_id,
         coalesce(t.provenance, 'unclassified'), coalesce(t.firmest, true), a.label_state, a.risk_severity,
         case when coalesce(t.firmest, true) then
           (select count(*)::smallint from public.findings f
             where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved')
         else 0 end,
         case when t.firmest then t.pending_reviews else 0 end, a.changed_at, t.candidate_id, t.confidence,
         t.status, t.decision_id,
         (select max(v.version) > 1 from public.asset_versions v
           where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) is true
    from unnest(p_assets) as due (asset_id)
   cross join lateral (
     select * from public.assets where tenant_id = p_tenant and asset_id = due.asset_id offset 0) a
    left join lateral (
      select r.domain_id, r.information_type_id, r.provenance, r.pending_reviews, r.candidate_id, r.confidence,
             r.status, r.decision_id,
             row_number() over (partition by r.domain_id order by r.strength desc, r.confidence desc nulls last, r.candidate_id) = 1
               as firmest
        from (
          -- Two candidates may say the same: one that was corrected to a type, and that of the type.
          select distinct on (k.domain_id, y.information_type_id)
                 k.domain_id, y.information_type_id, k.confidence, k.candidate_id, k.status, k.decision_id,
                 (k.status = 'confirmed')::int as strength,
                 case when k.status = 'confirmed' then 'confirmed' when k.band = 'routed' then 'routed' else 'inferred' end
                   as provenance,
                 (count(*) filter (where k.status = 'pending') over (partition by k.domain_id) > 0)::int::smallint as pending_reviews
            from public.candidates k
            left join public.decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
            left join public.information_types y
              on y.tenant_id = k.tenant_id and y.domain_id = k.domain_id
             and y.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
           where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and k.status in ('pending', 'deferred', 'confirmed')
           order by k.domain_id, y.information_type_id, (k.status = 'confirmed') desc, k.confidence desc nulls last,
                    k.candidate_id
        ) r
    ) t on true
   where a.status = 'active'
$function$
-- runs as its caller

CREATE OR REPLACE PROCEDURE public.protect_tenant_table(IN p_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy tenant on %s to svc_app using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
end
$procedure$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.put_finding_forward()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  new.status := 'open';
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.question_revision(p_tenant text, p_asset text, p_domain text)
 RETURNS TABLE(revision integer)
 LANGUAGE sql
 STABLE
AS $function$
  select max(k.revision)
         + sum(d.words_revision + coalesce(t.words_revision, 0) - coalesce(k.words_revision, 0))::integer
    from (select * from public.candidates where tenant_id = p_tenant and asset_id = p_asset offset 0) k
    cross join lateral (
      select * from public.domains where tenant_id = p_tenant and domain_id = p_domain offset 0) d
    left join lateral (
      select * from public.information_types
       where tenant_id = p_tenant and information_type_id = k.information_type_id offset 0) t on true
   where k.domain_id = p_domain
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.question_value(p_representative boolean, p_band text, p_confidence double precision, p_severity text, p_count integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN ((public.band_points(p_band, p_confidence) + public.risk_points(p_severity)) + public.related_points(p_representative, p_band, p_confidence, p_count))
-- runs as its caller

CREATE OR REPLACE FUNCTION public.rebuild_placements(p_tenant text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_assets text[];
  v_after text := '';
begin
  alter table public.asset_placements disable trigger user;
  delete from public.asset_placements where tenant_id = p_tenant;
  delete from public.landscape_cells where tenant_id = p_tenant;
  delete from public.domain_days where tenant_id = p_tenant;
  delete from public.placement_changes where tenant_id = p_tenant;
  loop
    v_assets := array(select asset_id from public.assets where tenant_id = p_tenant and asset_id > v_after
                       order by asset_id limit 20000);
    exit when v_assets = '{}';
    insert into public.asset_placements select * from public.placements_of(p_tenant, v_assets);
    v_after := v_assets[cardinality(v_assets)];
  end loop;
  alter table public.asset_placements enable trigger user;
  insert into public.landscape_cells
  select m.tenant_id,
         public.landscape_cell(m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity),
         m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity, m.assets, m.open_findings,
         m.pending_reviews
    from (
      select p.tenant_id, coalesce(p.domain_id, '') as domain_id, coalesce(p.information_type_id, '') as type_id,
             p.scope_id, p.provenance, p.label_state, coalesce(p.risk_severity, '') as risk_severity, count(*) as assets,
             sum(p.open_findings) as open_findings, sum(p.pending_reviews) as pending_reviews
        from public.asset_placements p where p.tenant_id = p_tenant and p.firmest
       group by 1, 2, 3, 4, 5, 6, 7
    ) m;
  insert into public.domain_days
  select p.tenant_id, p.domain_id, (p.changed_at at time zone 'UTC')::date, count(*) from public.asset_placements p
   where p.tenant_id = p_tenant and p.firmest and p.domain_id is not null and p.changed_since_first_sight group by 1, 2, 3;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.rebuild_search(p_tenant text, p_each integer DEFAULT 4096)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_assets text[];
  v_after text := '';
begin
  loop
    v_assets := array(select asset_id from public.assets where tenant_id = p_tenant and asset_id > v_after
                       order by asset_id limit p_each);
    exit when v_assets = '{}';
    perform public.index_assets(p_tenant, v_assets);
    v_after := v_assets[cardinality(v_assets)];
  end loop;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.refuse_incomplete_snapshot()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if exists (
    select from public.dataset_snapshots s
     where (s.tenant_id, s.snapshot_id) in (select a.tenant_id, a.snapshot_id from added a)
       and s.training_positives + s.training_counterexamples + s.held_out_positives + s.held_out_counterexamples
           <> (select count(*) from public.dataset_snapshot_items i
                where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id)) then
    raise exception 'the items of a snapshot are fixed' using errcode = 'restrict_violation';
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.refuse_other_preview()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  raise exception 'an action that was decided on keeps its preview'
    using errcode = 'check_violation', constraint = 'actions_preview_decided';
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.refuse_self_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if exists (
    select from public.action_transitions t
     where t.tenant_id = new.tenant_id and t.action_id = new.action_id and t.principal_id = new.decided_by
       and t.trigger in ('drafted', 'blocked', 'submitted', 'repreviewed'))
  then
    raise exception 'who asks for an action does not decide on it'
      using errcode = 'check_violation', constraint = 'actions_separation';
  end if;
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.refuse_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_from text := to_jsonb(old) ->> tg_argv[0];
  v_to text := to_jsonb(new) ->> tg_argv[0];
begin
  if current_user in ('svc_app', 'svc_engine') and v_from is not null and v_from || '>' || v_to <> all (string_to_array(tg_argv[1], ' ')) then
    raise exception '% of % may not go from % to %', tg_argv[0], tg_table_name, v_from, v_to
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.related_points(p_representative boolean, p_band text, p_confidence double precision, p_count integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN (round(((((200)::double precision * ln(((1)::double precision + (p_count)::double precision))) / ln((201)::double precision)) * CASE WHEN ((p_band = 'routed'::text) OR p_representative) THEN (1)::double precision ELSE LEAST((1)::double precision, GREATEST((0.1)::double precision, ((0.1)::double precision + (((0.9)::double precision * (COALESCE(p_confidence, (0)::double precision) - (0.4)::double precision)) / (0.4)::double precision)))) END)))::integer
-- runs as its caller

CREATE OR REPLACE FUNCTION public.risk_points(p_severity text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN CASE p_severity WHEN 'critical'::text THEN 300 WHEN 'high'::text THEN 200 WHEN 'medium'::text THEN 100 WHEN 'low'::text THEN 50 ELSE 0 END
-- runs as its caller

CREATE OR REPLACE FUNCTION public.search_tag(p_tenant text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
AS $function$
  select left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 4)
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.search_words(p_text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
AS $function$
  select coalesce(array_agg(distinct substr(word, first, 64)), '{}')
    from regexp_split_to_table(
      translate(replace(replace(replace(lower(regexp_replace(
        normalize(regexp_replace(left(p_text, 4000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g'), nfkd),
        '['
        '\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f'
        '\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3'
        '\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1'
        '\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7'
        '\u09e2\u09e3\u09fe-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0ae2\u0ae3'
        '\u0afa-\u0b03\u0b3c\u0b3e-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56'
        '\u0c62\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0ce2\u0ce3\u0cf3-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57'
        '\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc'
        '\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u0fc6'
        '\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f'
        '\u109a-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752\u1753\u1772\u1773\u17b4-\u17d3\u17dd'
        '\u180b-\u180d\u180f\u1885\u1886\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b04\u1b34-\u1b44'
        '\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4'
        '\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a'
        '\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880\ua881'
        '\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36'
        '\uaa43\uaa4c\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf\uaac1\uaaeb-\uaaef\uaaf5\uaaf6'
        '\uabe3-\uabea\uabec\uabed\ufb1e\ufe00-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a01-\U00010a0f'
        '\U00010a38-\U00010a3f\U00010ae5\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab\U00010eac'
        '\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046'
        '\U00011070\U00011073\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102'
        '\U00011127-\U00011134\U00011145\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0'
        '\U000111c9-\U000111cc\U000111ce\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea'
        '\U00011300-\U00011303\U0001133b\U0001133c\U0001133e-\U0001134d\U00011357\U00011362-\U00011374'
        '\U000113b8-\U000113d0\U000113d2\U000113e1\U000113e2\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3'
        '\U000115af-\U000115c0\U000115dc\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b'
        '\U0001182c-\U0001183a\U00011930-\U0001193e\U00011940\U00011942\U00011943\U000119d1-\U000119e0\U000119e4'
        '\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b'
        '\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c3f\U00011c92-\U00011cb6\U00011d31-\U00011d45'
        '\U00011d47\U00011d8a-\U00011d97\U00011ef3-\U00011ef6\U00011f00\U00011f01\U00011f03\U00011f34-\U00011f42'
        '\U00011f5a\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36'
        '\U00016f4f\U00016f51-\U00016f92\U00016fe4-\U00016ff1\U0001bc9d\U0001bc9e\U0001cf00-\U0001cf46'
        '\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad'
        '\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001daaf'
        '\U0001e000-\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef'
        '\U0001e5ee\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6'
        '\U0001e944-\U0001e94a\U000e0100-\U000e01ef'
        ']', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'łøđ', 'lod'),
      '['
        '\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02eb\u02ed'
        '\u02ef-\u02ff\u0375\u03f6\u0482\u055a-\u055f\u0589-\u05c6\u05f3-\u061f\u066a-\u066d\u06d4\u06dd\u06de'
        '\u06e9\u06fd\u06fe\u0700-\u070f\u07f6-\u07f9\u07fe\u07ff\u0830-\u083e\u085e\u0888\u0890\u0891\u08e2'
        '\u0964\u0965\u0970\u09f2\u09f3\u09fa\u09fb\u09fd\u0a76\u0af0\u0af1\u0b70\u0bf3-\u0bfa\u0c77\u0c7f\u0c84'
        '\u0d4f\u0d79\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f1f\u0f34-\u0f3d\u0f85\u0fbe-\u0fda\u104a-\u104f'
        '\u109e\u109f\u10fb\u1360-\u1368\u1390-\u1399\u1400\u166d\u166e\u1680\u169b\u169c\u16eb-\u16ed\u1735\u1736'
        '\u17d4-\u17d6\u17d8-\u17db\u1800-\u180e\u1940-\u1945\u19de-\u19ff\u1a1e\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad'
        '\u1b4e\u1b4f\u1b5a-\u1b7f\u1bfc-\u1bff\u1c3b-\u1c3f\u1c7e\u1c7f\u1cc0-\u1cd3\u200b-\u212e\u213a-\u214d'
        '\u214f\u218a-\u244a\u2500-\u2775\u2794-\u2bff\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe\u2cff\u2d70\u2e00-\u2e2e'
        '\u2e30-\u3004\u3008-\u3020\u3030\u3037\u303d-\u303f\u30a0\u30fb\u3190\u3191\u31c0-\u31ef\u327f'
        '\u4dc0-\u4dff\ua490-\ua4c6\ua4fe\ua4ff\ua60d-\ua60f\ua673-\ua67e\ua6f2-\ua716\ua720\ua721\ua789\ua78a'
        '\ua828-\ua82b\ua836-\ua839\ua874-\ua877\ua8ce\ua8cf\ua8f8-\ua8fa\ua8fc\ua92e\ua92f\ua95f\ua9c1-\ua9cd'
        '\ua9de\ua9df\uaa5c-\uaa5f\uaa77-\uaa79\uaade\uaadf\uaaf0\uaaf1\uab5b\uab6a\uab6b\uabeb\ue000-\uf8ff'
        '\ufbb2-\ufe46\ufeff-\ufffd\U00010100-\U00010102\U00010137-\U0001013f\U00010179-\U00010189'
        '\U0001018c-\U000101fc\U0001039f\U000103d0\U0001056f\U00010857\U00010877\U00010878\U0001091f\U0001093f'
        '\U00010a50-\U00010a58\U00010a7f\U00010ac8\U00010af0-\U00010af6\U00010b39-\U00010b3f\U00010b99-\U00010b9c'
        '\U00010d6e\U00010d8e\U00010d8f\U00010ead\U00010ed0-\U00010ed8\U00010f55-\U00010f59\U00010f86-\U00010f89'
        '\U00011047-\U0001104d\U000110bb-\U000110cd\U00011140-\U00011143\U00011174\U00011175\U000111c5-\U000111cd'
        '\U000111db\U000111dd-\U000111df\U00011238-\U0001123d\U000112a9\U000113d4-\U000113d8\U0001144b-\U0001144f'
        '\U0001145a-\U0001145d\U000114c6\U000115c1-\U000115d7\U00011641-\U00011643\U00011660-\U0001166c\U000116b9'
        '\U0001173c-\U0001173f\U0001183b\U00011944-\U00011946\U000119e2\U00011a3f-\U00011a46\U00011a9a-\U00011a9c'
        '\U00011a9e-\U00011aa2\U00011b00-\U00011b09\U00011be1\U00011c41-\U00011c45\U00011c70\U00011c71'
        '\U00011ef7\U00011ef8\U00011f43-\U00011f4f\U00011fd5-\U00011fff\U00012470-\U00012474\U00012ff1\U00012ff2'
        '\U00013430-\U0001343f\U00016a6e\U00016a6f\U00016af5\U00016b37-\U00016b3f\U00016b44\U00016b45'
        '\U00016d6d-\U00016d6f\U00016e97-\U00016e9a\U00016fe2\U0001bc9c-\U0001d245\U0001d300-\U0001d356'
        '\U0001d800-\U0001da8b\U0001e14f\U0001e2ff\U0001e5ff\U0001e95e\U0001e95f\U0001ecac\U0001ecb0\U0001ed2e'
        '\U0001eef0-\U0001f0f5\U0001f10d-\U0001fbfa\U000e0001-\U0010fffd'
      ']+') as word
   cross join lateral generate_series(1, length(word), 64) as first
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.session_principal(p_session_hash bytea, p_now timestamp with time zone, p_idle interval)
 RETURNS TABLE(session_id text, auth_mode text, csrf_token text, tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  s public.sessions;
begin
  select * into s from public.sessions
   where session_hash = p_session_hash and revoked_at is null
     and expires_at > p_now and last_seen_at > p_now - p_idle;
  if not found then
    return;
  end if;
  if s.last_seen_at < p_now - least('1 minute'::pg_catalog.interval, p_idle / 4) then
    update public.sessions set last_seen_at = p_now where session_hash = p_session_hash and last_seen_at < p_now;
  end if;
  return query
    select s.session_id, s.auth_mode, s.csrf_token, p.* from public.active_principal(s.tenant_id, s.principal_id, '-infinity') p;
end
$function$
-- runs as svc_auth

CREATE OR REPLACE FUNCTION public.set_candidate_scope()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  select a.scope_id, a.status = 'active', a.risk_severity into new.scope_id, new.asset_active, new.risk_severity
    from public.assets a where a.tenant_id = new.tenant_id and a.asset_id = new.asset_id;
  return new;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.settle_deleted_asset()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  -- The previous release leaves `deleted_at` of an earlier deletion as it is.
  v_at timestamptz := coalesce(nullif(new.deleted_at, old.deleted_at), now());
begin
  update public.findings
     set status = 'resolved', resolved_at = greatest(v_at, changed_at), changed_at = greatest(v_at, changed_at),
         revision = revision + 1
   where tenant_id = new.tenant_id and asset_id = new.asset_id and status <> 'resolved';
  return null;
end
$function$
-- runs as its caller

CREATE OR REPLACE FUNCTION public.tenant_of_issuer(p_issuer text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select t.tenant_id from public.tenants t where t.idp_issuer = p_issuer
$function$
-- runs as svc_auth

CREATE OR REPLACE FUNCTION public.token_principal(p_issuer text, p_subject text, p_claimed_since timestamp with time zone)
 RETURNS TABLE(tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return query
    select a.* from public.principals p, public.active_principal(p.tenant_id, p.principal_id, p_claimed_since) a
     where p.idp_issuer = p_issuer and p.idp_subject = p_subject;
end
$function$
-- runs as svc_auth

grant delete on table public.change_notifications to svc_engine;
grant delete, insert on table public.sessions to svc_app;
grant delete, insert, select on table public.ai_reservations to svc_app;
grant delete, insert, select on table public.analyst_plans to svc_app;
grant delete, insert, select on table public.analyst_queries to svc_app;
grant delete, insert, select on table public.asset_contents to svc_app;
grant delete, insert, select on table public.campaign_ends to svc_app;
grant delete, insert, select on table public.campaigns to svc_app;
grant delete, insert, select on table public.change_notifications to svc_app;
grant delete, insert, select on table public.decision_excerpts to svc_app;
grant delete, insert, select on table public.delta_listings to svc_app;
grant delete, insert, select on table public.placement_changes to svc_app;
grant delete, insert, select on table public.principal_roles to svc_app;
grant delete, insert, select on table public.principal_roles to svc_provision;
grant delete, insert, select on table public.review_changes to svc_app;
grant delete, insert, select on table public.scan_rules to svc_app;
grant delete, insert, select on table public.sketch_bands to svc_app;
grant delete, insert, select on table public.telemetry_sent to svc_app;
grant delete, insert, select on table public.trend_days to svc_app;
grant delete, insert, select on table public.vector_generations to svc_app;
grant delete, insert, select on table public.work_units to svc_app;
grant delete, insert, select, update on table public.asset_features to svc_app;
grant delete, insert, select, update on table public.asset_placements to svc_app;
grant delete, insert, select, update on table public.asset_scorings to svc_app;
grant delete, insert, select, update on table public.asset_sketches to svc_app;
grant delete, insert, select, update on table public.asset_suppressions to svc_app;
grant delete, insert, select, update on table public.asset_vectors to svc_app;
grant delete, insert, select, update on table public.message_attachments to svc_app;
grant delete, insert, select, update on table public.message_containers to svc_app;
grant delete, insert, select, update on table public.message_feeds to svc_app;
grant delete, insert, select, update on table public.message_findings to svc_app;
grant delete, insert, select, update on table public.message_syncs to svc_app;
grant delete, insert, select, update on table public.messages to svc_app;
grant delete, insert, select, update on table public.retention_counts to svc_app;
grant delete, insert, select, update on table public.scanners to svc_engine;
grant delete, insert, select, update on table public.schedule_times to svc_app;
grant delete, insert, select, update on table public.sensitivity_labels to svc_app;
grant delete, insert, select, update on table public.source_folders to svc_app;
grant delete, insert, select, update on table public.source_usage to svc_app;
grant delete, select on table public.campaign_left_out to svc_app;
grant delete, select on table public.campaign_stage_counts to svc_app;
grant delete, select on table public.dead_letters to svc_app;
grant execute on routine public.active_principal(text,text,timestamp with time zone) to svc_app;
grant execute on routine public.active_principal(text,text,timestamp with time zone) to svc_auth;
grant execute on routine public.add_to_counters(public.tenant_counters) to public;
grant execute on routine public.add_units(text,text[],text[],text[],timestamp with time zone) to svc_app;
grant execute on routine public.assets_having(jsonb,text[],timestamp with time zone,text,integer) to svc_app;
grant execute on routine public.assets_matching(text,boolean,integer) to svc_app;
grant execute on routine public.audit_append(text[]) to svc_app;
grant execute on routine public.audit_append(text[]) to svc_provision;
grant execute on routine public.band_points(text,double precision) to public;
grant execute on routine public.count_assets() to public;
grant execute on routine public.count_campaign() to public;
grant execute on routine public.count_campaigns() to public;
grant execute on routine public.count_placements() to public;
grant execute on routine public.end_acknowledgement() to public;
grant execute on routine public.fold_placements(text,integer) to public;
grant execute on routine public.follow_asset() to public;
grant execute on routine public.index_assets(text,text[]) to public;
grant execute on routine public.keep_ended_assignment() to public;
grant execute on routine public.keep_platform_admin() to public;
grant execute on routine public.landscape_cell(text,text,text,text,text,text) to public;
grant execute on routine public.note_campaign_end() to public;
grant execute on routine public.note_candidates() to public;
grant execute on routine public.note_placing(text,text[]) to public;
grant execute on routine public.note_revision() to public;
grant execute on routine public.note_sketches() to public;
grant execute on routine public.note_words() to public;
grant execute on routine public.open_to_provisioning(regclass) to public;
grant execute on routine public.place_assets(text,text[]) to public;
grant execute on routine public.place_changed() to public;
grant execute on routine public.place_inserted() to public;
grant execute on routine public.place_noted() to public;
grant execute on routine public.place_updated_assets() to public;
grant execute on routine public.place_updated_candidates() to public;
grant execute on routine public.place_updated_findings() to public;
grant execute on routine public.placements_of(text,text[]) to public;
grant execute on routine public.protect_tenant_table(regclass) to public;
grant execute on routine public.put_finding_forward() to public;
grant execute on routine public.question_revision(text,text,text) to public;
grant execute on routine public.question_value(boolean,text,double precision,text,integer) to public;
grant execute on routine public.rebuild_placements(text) to public;
grant execute on routine public.refuse_change() to public;
grant execute on routine public.refuse_incomplete_snapshot() to public;
grant execute on routine public.refuse_other_preview() to public;
grant execute on routine public.refuse_self_decision() to public;
grant execute on routine public.refuse_transition() to public;
grant execute on routine public.related_points(boolean,text,double precision,integer) to public;
grant execute on routine public.risk_points(text) to public;
grant execute on routine public.search_tag(text) to public;
grant execute on routine public.search_words(text) to public;
grant execute on routine public.session_principal(bytea,timestamp with time zone,interval) to public;
grant execute on routine public.set_candidate_scope() to public;
grant execute on routine public.settle_deleted_asset() to public;
grant execute on routine public.tenant_of_issuer(text) to public;
grant execute on routine public.token_principal(text,text,timestamp with time zone) to public;
grant insert on column public.actions.action_id to svc_app;
grant insert on column public.actions.created_at to svc_app;
grant insert on column public.actions.desired_label_guid to svc_app;
grant insert on column public.actions.finding_id to svc_app;
grant insert on column public.actions.idempotency_key to svc_app;
grant insert on column public.actions.justification to svc_app;
grant insert on column public.actions.kind to svc_app;
grant insert on column public.actions.requested_by to svc_app;
grant insert on column public.actions.target_asset_id to svc_app;
grant insert on column public.actions.task_note to svc_app;
grant insert on column public.actions.task_title to svc_app;
grant insert on column public.actions.tenant_id to svc_app;
grant insert on column public.dataset_candidates.asset_id to svc_app;
grant insert on column public.dataset_candidates.candidate_id to svc_app;
grant insert on column public.dataset_candidates.confidence to svc_app;
grant insert on column public.dataset_candidates.created_at to svc_app;
grant insert on column public.dataset_candidates.dataset_candidate_id to svc_app;
grant insert on column public.dataset_candidates.decision_id to svc_app;
grant insert on column public.dataset_candidates.domain_id to svc_app;
grant insert on column public.dataset_candidates.ensemble_version to svc_app;
grant insert on column public.dataset_candidates.inference_id to svc_app;
grant insert on column public.dataset_candidates.information_type_id to svc_app;
grant insert on column public.dataset_candidates.label to svc_app;
grant insert on column public.dataset_candidates.tenant_id to svc_app;
grant insert on column public.model_releases.config_patch to svc_app;
grant insert on column public.model_releases.created_at to svc_app;
grant insert on column public.model_releases.proposed_by to svc_app;
grant insert on column public.model_releases.rationale to svc_app;
grant insert on column public.model_releases.release_id to svc_app;
grant insert on column public.model_releases.snapshot_id to svc_app;
grant insert on column public.model_releases.tenant_id to svc_app;
grant insert on column public.model_releases.weights to svc_app;
grant insert on column public.owner_assignments.assignment_id to svc_app;
grant insert on column public.owner_assignments.created_at to svc_app;
grant insert on column public.owner_assignments.domain_id to svc_app;
grant insert on column public.owner_assignments.kind to svc_app;
grant insert on column public.owner_assignments.principal_id to svc_app;
grant insert on column public.owner_assignments.tenant_id to svc_app;
grant insert on column public.tenant_counters.tenant_id to svc_app;
grant insert on column public.tenant_counters.tenant_id to svc_engine;
grant insert on table public.audit_events to svc_audit;
grant insert on table public.campaign_ends to svc_engine;
grant insert, select on table public.action_domains to svc_app;
grant insert, select on table public.action_transitions to svc_app;
grant insert, select on table public.analyst_plan_domains to svc_app;
grant insert, select on table public.assertions to svc_app;
grant insert, select on table public.asset_versions to svc_app;
grant insert, select on table public.audit_checkpoints to svc_signer;
grant insert, select on table public.change_subscriptions to svc_app;
grant insert, select on table public.custom_detector_versions to svc_app;
grant insert, select on table public.dataset_snapshot_items to svc_app;
grant insert, select on table public.dataset_snapshots to svc_app;
grant insert, select on table public.dead_letters to svc_engine;
grant insert, select on table public.decisions to svc_app;
grant insert, select on table public.domain_days to svc_app;
grant insert, select on table public.domains to svc_app;
grant insert, select on table public.domains to svc_provision;
grant insert, select on table public.ensembles to svc_app;
grant insert, select on table public.ensembles to svc_provision;
grant insert, select on table public.fingerprint_keys to svc_app;
grant insert, select on table public.inferences to svc_app;
grant insert, select on table public.information_types to svc_app;
grant insert, select on table public.information_types to svc_provision;
grant insert, select on table public.landscape_cells to svc_app;
grant insert, select on table public.not_found_counts to svc_app;
grant insert, select on table public.organization_profiles to svc_app;
grant insert, select on table public.organization_profiles to svc_provision;
grant insert, select on table public.owner_assignments to svc_provision;
grant insert, select on table public.policy_document_versions to svc_app;
grant insert, select on table public.policy_documents to svc_app;
grant insert, select on table public.principals to svc_app;
grant insert, select on table public.principals to svc_provision;
grant insert, select on table public.regulatory_mappings to svc_app;
grant insert, select on table public.release_transitions to svc_app;
grant insert, select on table public.sign_in_codes to svc_app;
grant insert, select on table public.sign_in_codes to svc_provision;
grant insert, select on table public.suppressions to svc_app;
grant insert, select on table public.tasks to svc_app;
grant insert, select on table public.tenants to svc_provision;
grant insert, select, update on table public.ai_usage to svc_app;
grant insert, select, update on table public.asset_risks to svc_app;
grant insert, select, update on table public.asset_search to svc_app;
grant insert, select, update on table public.assets to svc_app;
grant insert, select, update on table public.audit_heads to svc_audit;
grant insert, select, update on table public.call_budgets to svc_engine;
grant insert, select, update on table public.campaign_left_out to svc_engine;
grant insert, select, update on table public.campaign_stage_counts to svc_engine;
grant insert, select, update on table public.candidates to svc_app;
grant insert, select, update on table public.connector_instances to svc_app;
grant insert, select, update on table public.custom_detectors to svc_app;
grant insert, select, update on table public.findings to svc_app;
grant insert, select, update on table public.fixture_items to svc_app;
grant insert, select, update on table public.fixture_items to svc_provision;
grant insert, select, update on table public.fixture_scopes to svc_app;
grant insert, select, update on table public.fixture_scopes to svc_provision;
grant insert, select, update on table public.licenses to svc_app;
grant insert, select, update on table public.representative_walks to svc_app;
grant insert, select, update on table public.schedule_runs to svc_app;
grant insert, select, update on table public.schedules to svc_app;
grant insert, select, update on table public.scopes to svc_app;
grant insert, select, update on table public.suppression_sets to svc_app;
grant insert, update on column public.actions.blocked_reason to svc_app;
grant insert, update on column public.actions.mode to svc_app;
grant insert, update on column public.actions.preview to svc_app;
grant insert, update on column public.actions.source_version to svc_app;
grant insert, update on column public.actions.status to svc_app;
grant insert, update on column public.actions.updated_at to svc_app;
grant insert, update on column public.model_releases.compared_version to svc_app;
grant insert, update on column public.model_releases.learned to svc_app;
grant insert, update on column public.model_releases.thresholds to svc_app;
grant insert, update on column public.model_releases.updated_at to svc_app;
grant insert, update on column public.owner_assignments.attestation_days to svc_app;
grant select on column public.actions.action_id to svc_engine;
grant select on column public.actions.due_at to svc_engine;
grant select on column public.actions.tenant_id to svc_engine;
grant select on column public.assets.asset_id to svc_search;
grant select on column public.assets.format to svc_search;
grant select on column public.assets.name to svc_search;
grant select on column public.assets.path to svc_search;
grant select on column public.assets.status to svc_search;
grant select on column public.assets.tenant_id to svc_search;
grant select on column public.audit_checkpoints.key_id to svc_engine;
grant select on column public.audit_checkpoints.number to svc_engine;
grant select on column public.audit_checkpoints.seq to svc_engine;
grant select on column public.audit_checkpoints.tenant_id to svc_engine;
grant select on column public.audit_heads.seq to svc_engine;
grant select on column public.audit_heads.tenant_id to svc_engine;
grant select on column public.campaign_ends.tenant_id to svc_engine;
grant select on column public.change_notifications.notification_id to svc_engine;
grant select on column public.change_notifications.received_at to svc_engine;
grant select on column public.change_notifications.tenant_id to svc_engine;
grant select on column public.change_subscriptions.busy_until to svc_engine;
grant select on column public.change_subscriptions.claim to svc_engine;
grant select on column public.change_subscriptions.expires_at to svc_engine;
grant select on column public.change_subscriptions.external_id to svc_engine;
grant select on column public.change_subscriptions.forced to svc_engine;
grant select on column public.change_subscriptions.hinted_at to svc_engine;
grant select on column public.change_subscriptions.scope_id to svc_engine;
grant select on column public.change_subscriptions.status to svc_engine;
grant select on column public.change_subscriptions.subscription_id to svc_engine;
grant select on column public.change_subscriptions.tenant_id to svc_engine;
grant select on column public.licenses.tenant_id to svc_engine;
grant select on column public.owner_assignments.attestation_due_at to svc_engine;
grant select on column public.owner_assignments.ended_at to svc_engine;
grant select on column public.owner_assignments.overdue_noted_at to svc_engine;
grant select on column public.owner_assignments.tenant_id to svc_engine;
grant select on column public.placement_changes.tenant_id to svc_engine;
grant select on column public.scanners.heartbeat_at to svc_app;
grant select on column public.scanners.scanner_id to svc_app;
grant select on column public.schedule_times.kind to svc_engine;
grant select on column public.schedule_times.target to svc_engine;
grant select on column public.schedule_times.tenant_id to svc_engine;
grant select on column public.schedules.tenant_id to svc_engine;
grant select on column public.schema_migrations.checksum to svc_engine;
grant select on column public.schema_migrations.name to svc_engine;
grant select on column public.sessions.auth_mode to svc_app;
grant select on column public.sessions.client to svc_app;
grant select on column public.sessions.created_at to svc_app;
grant select on column public.sessions.expires_at to svc_app;
grant select on column public.sessions.last_seen_at to svc_app;
grant select on column public.sessions.principal_id to svc_app;
grant select on column public.sessions.session_hash to svc_app;
grant select on column public.sessions.session_id to svc_app;
grant select on column public.sessions.tenant_id to svc_app;
grant select on column public.suppressions.expires_at to svc_engine;
grant select on column public.suppressions.status to svc_engine;
grant select on column public.suppressions.tenant_id to svc_engine;
grant select on column public.tenants.idp_issuer to svc_auth;
grant select on column public.tenants.tenant_id to svc_auth;
grant select on table public.actions to svc_app;
grant select on table public.asset_search to svc_search;
grant select on table public.audit_checkpoints to svc_app;
grant select on table public.audit_events to svc_app;
grant select on table public.audit_events to svc_signer;
grant select on table public.audit_heads to svc_app;
grant select on table public.audit_heads to svc_signer;
grant select on table public.campaigns to svc_engine;
grant select on table public.dataset_candidates to svc_app;
grant select on table public.message_containers to svc_engine;
grant select on table public.message_syncs to svc_engine;
grant select on table public.model_releases to svc_app;
grant select on table public.owner_assignments to svc_app;
grant select on table public.owner_assignments to svc_auth;
grant select on table public.principal_roles to svc_auth;
grant select on table public.principal_roles to svc_engine;
grant select on table public.principals to svc_auth;
grant select on table public.principals to svc_engine;
grant select on table public.scopes to svc_engine;
grant select on table public.sessions to svc_auth;
grant select on table public.tenant_counters to svc_app;
grant select on table public.tenant_counters to svc_engine;
grant select on table public.tenants to svc_app;
grant select on table public.work_units to svc_engine;
grant select, update on column public.scanners.draining to svc_app;
grant select, update on column public.sessions.revoked_at to svc_app;
grant update on column public.actions.accepted_at to svc_app;
grant update on column public.actions.attempt to svc_app;
grant update on column public.actions.correlation_id to svc_app;
grant update on column public.actions.decided_by to svc_app;
grant update on column public.actions.due_at to svc_app;
grant update on column public.actions.monitor to svc_app;
grant update on column public.actions.outcome_reason to svc_app;
grant update on column public.actions.revision to svc_app;
grant update on column public.actions.verification to svc_app;
grant update on column public.campaigns.bytes_read to svc_engine;
grant update on column public.campaigns.cancelling to svc_app;
grant update on column public.campaigns.cancelling to svc_engine;
grant update on column public.campaigns.ceiling_until to svc_app;
grant update on column public.campaigns.finished_at to svc_app;
grant update on column public.campaigns.finished_at to svc_engine;
grant update on column public.campaigns.listing_units_dead to svc_app;
grant update on column public.campaigns.listing_units_dead to svc_engine;
grant update on column public.campaigns.paced_done to svc_app;
grant update on column public.campaigns.paced_from to svc_app;
grant update on column public.campaigns.quiet_from to svc_app;
grant update on column public.campaigns.quiet_until to svc_app;
grant update on column public.campaigns.second_opinions to svc_app;
grant update on column public.campaigns.source_calls to svc_engine;
grant update on column public.campaigns.started_at to svc_engine;
grant update on column public.campaigns.status to svc_app;
grant update on column public.campaigns.status to svc_engine;
grant update on column public.campaigns.units_cancelled to svc_engine;
grant update on column public.campaigns.units_completed to svc_engine;
grant update on column public.campaigns.units_dead to svc_app;
grant update on column public.campaigns.units_dead to svc_engine;
grant update on column public.campaigns.units_total to svc_app;
grant update on column public.change_subscriptions.busy_until to svc_app;
grant update on column public.change_subscriptions.claim to svc_app;
grant update on column public.change_subscriptions.expires_at to svc_app;
grant update on column public.change_subscriptions.external_id to svc_app;
grant update on column public.change_subscriptions.failures to svc_app;
grant update on column public.change_subscriptions.hinted_at to svc_app;
grant update on column public.change_subscriptions.last_error to svc_app;
grant update on column public.change_subscriptions.mode to svc_app;
grant update on column public.change_subscriptions.renewed_at to svc_app;
grant update on column public.change_subscriptions.secret_id to svc_app;
grant update on column public.change_subscriptions.status to svc_app;
grant update on column public.dataset_candidates.curated_at to svc_app;
grant update on column public.dataset_candidates.curated_by to svc_app;
grant update on column public.dataset_candidates.revised_at to svc_app;
grant update on column public.dataset_candidates.status to svc_app;
grant update on column public.dead_letters.retried_at to svc_app;
grant update on column public.domain_days.assets to svc_app;
grant update on column public.domains.approved_at to svc_app;
grant update on column public.domains.approved_by to svc_app;
grant update on column public.domains.description to svc_app;
grant update on column public.domains.exclusion to svc_app;
grant update on column public.domains.inclusion to svc_app;
grant update on column public.domains.name to svc_app;
grant update on column public.domains.revision to svc_app;
grant update on column public.domains.status to svc_app;
grant update on column public.domains.updated_at to svc_app;
grant update on column public.ensembles.active to svc_app;
grant update on column public.information_types.approved_at to svc_app;
grant update on column public.information_types.approved_by to svc_app;
grant update on column public.information_types.definition to svc_app;
grant update on column public.information_types.expected_location_note to svc_app;
grant update on column public.information_types.indicators to svc_app;
grant update on column public.information_types.name to svc_app;
grant update on column public.information_types.revision to svc_app;
grant update on column public.information_types.sensitivity to svc_app;
grant update on column public.information_types.sensitivity_rationale to svc_app;
grant update on column public.information_types.status to svc_app;
grant update on column public.information_types.updated_at to svc_app;
grant update on column public.landscape_cells.assets to svc_app;
grant update on column public.landscape_cells.open_findings to svc_app;
grant update on column public.landscape_cells.pending_reviews to svc_app;
grant update on column public.model_releases.campaign_id to svc_app;
grant update on column public.model_releases.decided_by to svc_app;
grant update on column public.model_releases.evaluated_at to svc_app;
grant update on column public.model_releases.evaluation to svc_app;
grant update on column public.model_releases.former_release_id to svc_app;
grant update on column public.model_releases.former_version to svc_app;
grant update on column public.model_releases.promoted_version to svc_app;
grant update on column public.model_releases.revision to svc_app;
grant update on column public.model_releases.status to svc_app;
grant update on column public.not_found_counts.count to svc_app;
grant update on column public.not_found_counts.window_start to svc_app;
grant update on column public.organization_profiles.description to svc_app;
grant update on column public.organization_profiles.geographies to svc_app;
grant update on column public.organization_profiles.industries to svc_app;
grant update on column public.organization_profiles.name to svc_app;
grant update on column public.organization_profiles.updated_at to svc_app;
grant update on column public.organization_profiles.updated_by to svc_app;
grant update on column public.owner_assignments.attested_at to svc_app;
grant update on column public.owner_assignments.ended_at to svc_app;
grant update on column public.owner_assignments.overdue_noted_at to svc_app;
grant update on column public.placement_changes.change_id to svc_app;
grant update on column public.policy_documents.title to svc_app;
grant update on column public.policy_documents.updated_at to svc_app;
grant update on column public.policy_documents.version to svc_app;
grant update on column public.principals.department to svc_app;
grant update on column public.principals.directory_id to svc_app;
grant update on column public.principals.display_name to svc_app;
grant update on column public.principals.email to svc_app;
grant update on column public.principals.idp_issuer to svc_app;
grant update on column public.principals.idp_issuer to svc_provision;
grant update on column public.principals.idp_subject to svc_app;
grant update on column public.principals.idp_subject to svc_provision;
grant update on column public.principals.last_sign_in_at to svc_app;
grant update on column public.principals.status to svc_app;
grant update on column public.principals.title to svc_app;
grant update on column public.regulatory_mappings.decided_at to svc_app;
grant update on column public.regulatory_mappings.decided_by to svc_app;
grant update on column public.regulatory_mappings.revision to svc_app;
grant update on column public.regulatory_mappings.status to svc_app;
grant update on column public.regulatory_mappings.updated_at to svc_app;
grant update on column public.scan_rules."position" to svc_app;
grant update on column public.sessions.last_seen_at to svc_auth;
grant update on column public.sign_in_codes.used_at to svc_app;
grant update on column public.sign_in_codes.used_at to svc_provision;
grant update on column public.sign_in_codes.used_by to svc_app;
grant update on column public.sketch_bands.decided to svc_app;
grant update on column public.suppressions.decided_at to svc_app;
grant update on column public.suppressions.decided_by to svc_app;
grant update on column public.suppressions.ended_at to svc_app;
grant update on column public.suppressions.ended_by to svc_app;
grant update on column public.suppressions.from_version to svc_app;
grant update on column public.suppressions.status to svc_app;
grant update on column public.suppressions.until_version to svc_app;
grant update on column public.tasks.revision to svc_app;
grant update on column public.tasks.status to svc_app;
grant update on column public.tasks.updated_at to svc_app;
grant update on column public.tasks.updated_by to svc_app;
grant update on column public.telemetry_sent.outcome to svc_app;
grant update on column public.tenant_counters.available to svc_app;
grant update on column public.tenant_counters.available to svc_engine;
grant update on column public.tenant_counters.ended_completed to svc_app;
grant update on column public.tenant_counters.ended_completed to svc_engine;
grant update on column public.tenant_counters.ended_dead to svc_app;
grant update on column public.tenant_counters.ended_dead to svc_engine;
grant update on column public.tenant_counters.ended_units to svc_app;
grant update on column public.tenant_counters.ended_units to svc_engine;
grant update on column public.tenant_counters.failed to svc_app;
grant update on column public.tenant_counters.failed to svc_engine;
grant update on column public.tenant_counters.inaccessible to svc_app;
grant update on column public.tenant_counters.inaccessible to svc_engine;
grant update on column public.tenant_counters.not_fetched to svc_app;
grant update on column public.tenant_counters.not_fetched to svc_engine;
grant update on column public.tenant_counters.partial to svc_app;
grant update on column public.tenant_counters.partial to svc_engine;
grant update on column public.tenant_counters.unsupported to svc_app;
grant update on column public.tenant_counters.unsupported to svc_engine;
grant update on column public.tenants.config_version to svc_app;
grant update on column public.tenants.data_handling_profile to svc_app;
grant update on column public.tenants.idp_issuer to svc_provision;
grant update on column public.tenants.telemetry_deployment to svc_app;
grant update on column public.tenants.telemetry_opted_out_at to svc_app;
grant update on column public.trend_days.answered_questions to svc_app;
grant update on column public.trend_days.assets to svc_app;
grant update on column public.trend_days.content_read to svc_app;
grant update on column public.trend_days.exposed to svc_app;
grant update on column public.trend_days.label_unknown to svc_app;
grant update on column public.trend_days.labeled to svc_app;
grant update on column public.trend_days.measured_at to svc_app;
grant update on column public.trend_days.open_findings to svc_app;
grant update on column public.trend_days.open_findings_by_severity to svc_app;
grant update on column public.trend_days.open_questions to svc_app;
grant update on column public.trend_days.scopes to svc_app;
grant update on column public.trend_days.scopes_scanned to svc_app;
grant update on column public.trend_days.sensitive to svc_app;
grant update on column public.vector_generations.sorted to svc_app;
grant update on column public.work_units.attempt to svc_app;
grant update on column public.work_units.attempt to svc_engine;
grant update on column public.work_units.lease_expires_at to svc_engine;
grant update on column public.work_units.lease_owner to svc_engine;
grant update on column public.work_units.payload to svc_app;
grant update on column public.work_units.run_after to svc_app;
grant update on column public.work_units.run_after to svc_engine;
grant update on column public.work_units.settled_at to svc_app;
grant update on column public.work_units.settled_at to svc_engine;
grant update on column public.work_units.status to svc_app;
grant update on column public.work_units.status to svc_engine;
grant usage on schema public to public;

role svc_app nologin;
role svc_audit nologin;
role svc_auth nologin;
role svc_engine nologin;
role svc_provision nologin;
role svc_search nologin;
role svc_signer nologin;
