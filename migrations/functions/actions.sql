-- Refuses another preview for an action that was decided on.
create or replace function refuse_other_preview()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  raise exception 'an action that was decided on keeps its preview'
    using errcode = 'check_violation', constraint = 'actions_preview_decided';
end
$$;

create or replace trigger actions_preview_decided before update on actions
  for each row when (old.decided_by is not null and new.decided_by is not null
                     and (old.preview, old.source_version, old.mode)
                         is distinct from (new.preview, new.source_version, new.mode))
  execute function refuse_other_preview();

-- Separation of duties: a person who drafted, submitted or previewed an action, in any round of it, does not decide on it,
-- whatever roles they have. Submissions and decisions lock the action's row, so neither can slip past the other.
create or replace function refuse_self_decision()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
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

create or replace trigger actions_separation before update on actions
  for each row when (new.decided_by is not null)
  execute function refuse_self_decision();
