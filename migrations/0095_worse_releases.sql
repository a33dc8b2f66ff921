-- Whether a promotion was of a release that was worse than what was in force, which needs a reason. Additive: the release
-- before leaves the column null.

alter table release_transitions
  add column is_worse boolean,
  add constraint release_transitions_reasoned check (
    is_worse is null or trigger = 'promote' and (not is_worse or note <> '')) not valid;
alter table release_transitions validate constraint release_transitions_reasoned;
