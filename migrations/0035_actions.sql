-- Actions: what somebody asks to be done about an asset, who decided on it, what came of it; and the tasks they make.

create table actions (
  tenant_id text not null references tenants,
  action_id text not null,
  kind text not null constraint actions_kind
    check (kind in ('internal_task', 'sensitivity_label_set', 'sensitivity_label_remove')),
  target_asset_id text not null,
  finding_id text,
  justification text not null constraint actions_justification check (length(justification) >= 10),
  desired_label_guid text,
  task_title text,
  task_note text,
  status text not null constraint actions_status check (status in (
    'draft', 'blocked', 'awaiting_approval', 'approved', 'executing', 'verified', 'failed', 'rejected', 'cancelled',
    'drifted')),
  -- Why it cannot be submitted.
  blocked_reason text,
  -- Why it failed or drifted.
  outcome_reason text,
  -- Of the write path; null where nothing is written to a source.
  mode text constraint actions_mode check (mode in ('mock', 'live')),
  -- { "readAt", "readFrom", "currentState", "desiredState", "changes" }
  preview jsonb not null,
  -- The version of the item that the preview saw: what is written is written on this one or not at all.
  source_version text,
  -- { "checkedAt", "observedState", "holds", "wrote" }
  verification jsonb,
  requested_by text not null,
  -- Whoever approved or rejected it as it stands now; null again with a new preview.
  decided_by text,
  -- Of the request that approved it: what a sweep goes on with bears it too.
  correlation_id text,
  -- Of the present preview: raised by every claim.
  attempt smallint not null default 0,
  -- While it is approved or executing: before this nobody claims it.
  due_at timestamptz,
  -- Raised by every transition. What an attempt comes to is taken while the revision is that of its claim.
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, action_id),
  foreign key (tenant_id, target_asset_id) references assets,
  foreign key (tenant_id, finding_id) references findings,
  foreign key (tenant_id, requested_by) references principals,
  foreign key (tenant_id, decided_by) references principals,
  constraint actions_label check ((kind = 'sensitivity_label_set') = (desired_label_guid is not null)),
  constraint actions_task check ((kind = 'internal_task') = (task_title is not null)),
  constraint actions_blocked check ((status = 'blocked') = (blocked_reason is not null)),
  constraint actions_due check ((status in ('approved', 'executing')) = (due_at is not null)),
  -- Nothing is executed that nobody approved.
  constraint actions_decided check (
    status not in ('approved', 'executing', 'verified', 'failed', 'drifted', 'rejected') or decided_by is not null),
  constraint actions_not_by_requester check (decided_by <> requested_by)
);
create index actions_recent on actions (tenant_id, created_at desc, action_id desc);
create index actions_pending on actions (tenant_id, created_at, action_id) where status = 'awaiting_approval';
create index actions_due on actions (due_at) where due_at is not null;

-- The domains through which the requester saw the asset: whose owners the action concerns, whatever becomes of the asset.
create table action_domains (
  tenant_id text not null,
  action_id text not null,
  domain_id text not null,
  primary key (tenant_id, action_id, domain_id),
  foreign key (tenant_id, action_id) references actions,
  foreign key (tenant_id, domain_id) references domains
);
create index action_domains_domain on action_domains (tenant_id, domain_id);

-- Every transition of an action, in order. Append-only.
create table action_transitions (
  tenant_id text not null,
  action_id text not null,
  -- The action's revision after it.
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  -- Null for what the service did by itself.
  principal_id text,
  -- Why, as a word of a closed set.
  reason text,
  -- Why, in the words of whoever decided.
  note text,
  created_at timestamptz not null,
  primary key (tenant_id, action_id, revision),
  foreign key (tenant_id, action_id) references actions,
  foreign key (tenant_id, principal_id) references principals
);

-- What an `internal_task` makes; title and note are the action's.
create table tasks (
  tenant_id text not null,
  task_id text not null,
  action_id text not null,
  status text not null constraint tasks_status check (status in ('open', 'in_progress', 'done', 'cancelled')),
  -- Who moved it last; null while nobody has.
  updated_by text,
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, task_id),
  constraint tasks_once unique (tenant_id, action_id),
  foreign key (tenant_id, action_id) references actions,
  foreign key (tenant_id, updated_by) references principals
);
create index tasks_recent on tasks (tenant_id, created_at desc, task_id desc);

-- Separation of duties, whatever roles a person has: who drafted, submitted or previewed an action, in any round of it,
-- never decides on it. Submissions and decisions lock the action's row, so neither can slip past the other.
create function refuse_self_decision() returns trigger language plpgsql set search_path = pg_catalog, public as $$
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
$$;
create trigger actions_separation before update on actions
  for each row when (new.decided_by is not null) execute function refuse_self_decision();

-- What was decided on is what was previewed: neither is exchanged under the other.
create function refuse_other_preview() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  raise exception 'an action that was decided on keeps its preview'
    using errcode = 'check_violation', constraint = 'actions_preview_decided';
end
$$;
create trigger actions_preview_decided before update on actions
  for each row when (old.decided_by is not null and new.decided_by is not null
                     and (old.preview, old.source_version, old.mode)
                         is distinct from (new.preview, new.source_version, new.mode))
  execute function refuse_other_preview();

call protect_tenant_table('actions');
call protect_tenant_table('action_domains');
call protect_tenant_table('action_transitions');
call protect_tenant_table('tasks');

-- Who asked, and for what, is never rewritten; nothing begins decided.
grant select,
  insert (tenant_id, action_id, kind, target_asset_id, finding_id, justification, desired_label_guid, task_title,
          task_note, status, blocked_reason, mode, preview, source_version, requested_by, created_at, updated_at),
  update (status, blocked_reason, outcome_reason, mode, preview, source_version, verification, decided_by,
          correlation_id, attempt, due_at, revision, updated_at)
  on actions to svc_app;
grant select, insert on action_domains, action_transitions to svc_app;
grant select, insert, update (status, updated_by, revision, updated_at) on tasks to svc_app;

-- The sweep finds what is due in whichever tenant, and goes on as the tenant.
create policy engine on actions for select to svc_engine using (true);
grant select (tenant_id, action_id, due_at) on actions to svc_engine;
