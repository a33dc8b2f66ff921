-- Whether a question represents a group of assets about which nobody has been asked. Additive, and no row is written again. The
-- release before neither reads nor writes it: to it such a question is one of the model (`inferred`). A file of its own, so
-- that nobody waits for the index of 0098 to read a question.
alter table candidates add column representative boolean not null default false;
