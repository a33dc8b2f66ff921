-- What calls of the AI provider take, by day, task and model. One row counts all calls; no prompt and no answer is kept.
create table ai_usage (
  tenant_id text not null references tenants,
  -- In UTC.
  day date not null,
  task text not null constraint ai_usage_task check (task ~ '^[a-z_]{1,32}$'),
  model text not null constraint ai_usage_model check (char_length(model) between 1 and 256),
  calls bigint not null,
  -- Calls whose tokens are an estimate, because the service did not report them.
  estimated_calls bigint not null,
  -- Calls of which no price was known. `cost` is that of the others.
  unpriced_calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  -- In the currency of the configured prices.
  cost numeric(24, 9) not null,
  primary key (tenant_id, day, task, model),
  constraint ai_usage_counts check (
    calls > 0 and estimated_calls between 0 and calls and unpriced_calls between 0 and calls
    and input_tokens >= 0 and output_tokens >= 0 and cost >= 0 and (cost = 0 or unpriced_calls < calls))
);
call protect_tenant_table('ai_usage');
grant select, insert, update on ai_usage to svc_app;

-- What calls under way may cost. A call that ends deletes its row; that of a process that died expires.
create table ai_reservations (
  tenant_id text not null references tenants,
  reservation_id text not null,
  cost numeric(24, 9) not null constraint ai_reservations_cost check (cost >= 0),
  expires_at timestamptz not null,
  primary key (tenant_id, reservation_id)
);
call protect_tenant_table('ai_reservations');
grant select, insert, delete on ai_reservations to svc_app;
