-- How many calls may run at once against a tenant of a source, shared by all processes of the deployment.

-- No tenant owns it: what a source allows is allowed to the deployment. `state` is BudgetState in
-- core/integrations/budget-state.ts; it holds figures and ids of processes alone.
create table call_budgets (
  budget text primary key constraint call_budgets_budget_length check (char_length(budget) <= 2100),
  state jsonb not null constraint call_budgets_state_size check (pg_column_size(state) <= 65536)
);

grant select, insert, update on call_budgets to svc_engine;
