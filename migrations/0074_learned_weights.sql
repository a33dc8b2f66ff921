-- Weights that are learned from labels, in releases and in versions of the model. Additive.

-- { "labels", "factors", "shift", "types" }. Null: the weights are the hand-set ones.
alter table ensembles add column learned jsonb;
alter table ensembles add constraint ensembles_learned check (
  learned is null or (
    jsonb_typeof(learned) = 'object' and octet_length(learned::text) <= 1048576
    and jsonb_path_exists(learned, '$.factors.*.factor') and jsonb_path_exists(learned, '$.shift')
    and not jsonb_path_exists(learned, '$.factors.*.factor ? (@.type() != "number" || @ < 0 || @ > 3)')
    and not jsonb_path_exists(learned, '$.shift ? (@.type() != "number" || @ < -2 || @ > 2)')
    and not jsonb_path_exists(learned, '$.types.*.offset ? (@.type() != "number" || @ < -2 || @ > 2)'))) not valid;
alter table ensembles validate constraint ensembles_learned;

alter table model_releases
  -- What it does with the weights in force.
  add column weights text not null default 'keep' constraint model_releases_weights
    check (weights in ('keep', 'learn', 'hand_set')),
  -- The learned weights that its promotion puts in force. Null: the hand-set ones, or not fitted yet.
  add column learned jsonb,
  add constraint model_releases_learns check (
    weights <> 'learn' or (snapshot_id is not null and (learned is not null or evaluation is null)));
grant insert (weights, learned), update (learned) on model_releases to svc_app;
