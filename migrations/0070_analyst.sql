-- Questions that people asked the analyst, and plans that they saved.

-- A person's own questions. Only the newest of each person are kept.
create table analyst_queries (
  tenant_id text not null,
  query_id text not null,
  principal_id text not null,
  question text not null constraint analyst_queries_question check (char_length(question) between 1 and 2000),
  planner text not null constraint analyst_queries_planner check (planner in ('deterministic', 'ai')),
  -- Whether the question was understood `whole`, `partly` or not at all (`none`).
  state text not null constraint analyst_queries_state check (state in ('whole', 'partly', 'none')),
  -- The plan that was run; null if none was.
  plan jsonb,
  result_count integer,
  asked_at timestamptz not null,
  primary key (tenant_id, query_id),
  foreign key (tenant_id, principal_id) references principals,
  constraint analyst_queries_run check ((plan is null) = (state <> 'whole'))
);
create index analyst_queries_of_person on analyst_queries (tenant_id, principal_id, asked_at desc, query_id desc);
call protect_tenant_table('analyst_queries');
grant select, insert, delete on analyst_queries to svc_app;

create table analyst_plans (
  tenant_id text not null,
  plan_id text not null,
  created_by text not null,
  name text not null constraint analyst_plans_name check (char_length(name) between 1 and 120),
  plan jsonb not null,
  -- Whether others may see it who may see at least what its author saw.
  shared boolean not null,
  -- The author saw all of the tenant. Otherwise `analyst_plan_domains` says which domains.
  tenant_wide boolean not null,
  created_at timestamptz not null,
  primary key (tenant_id, plan_id),
  foreign key (tenant_id, created_by) references principals
);
create unique index analyst_plans_name on analyst_plans (tenant_id, created_by, lower(name));
create index analyst_plans_shared on analyst_plans (tenant_id, lower(name)) where shared;
call protect_tenant_table('analyst_plans');
grant select, insert, delete on analyst_plans to svc_app;

-- The domains that the author of a plan saw: its name and values may tell of them.
create table analyst_plan_domains (
  tenant_id text not null,
  plan_id text not null,
  domain_id text not null,
  primary key (tenant_id, plan_id, domain_id),
  foreign key (tenant_id, plan_id) references analyst_plans on delete cascade,
  foreign key (tenant_id, domain_id) references domains
);
call protect_tenant_table('analyst_plan_domains');
grant select, insert on analyst_plan_domains to svc_app;
