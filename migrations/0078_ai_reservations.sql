-- What a reserved call is, so that one that is never settled counts as spent. The release before writes none of it, and
-- its reservations expire as before. Additive.
alter table ai_reservations add column task text constraint ai_reservations_task check (task ~ '^[a-z_]{1,32}$');
alter table ai_reservations add column model text constraint ai_reservations_model
  check (char_length(model) between 1 and 256);
alter table ai_reservations add column input_tokens bigint constraint ai_reservations_input check (input_tokens >= 0);
alter table ai_reservations add column output_tokens bigint constraint ai_reservations_output check (output_tokens >= 0);
-- Null: the model has no price.
alter table ai_reservations alter column cost drop not null;
