/** Bounds of a transaction, in milliseconds, and names that nobody but the system defines. */
export const BOUNDS = `
select set_config('statement_timeout', $1::text, true), set_config('lock_timeout', $2::text, true),
       set_config('idle_in_transaction_session_timeout', $3::text, true), set_config('search_path', 'pg_catalog', true),
       set_config('row_security', $4::text, true)`;
export const BEGIN = 'begin transaction isolation level read committed read only';
export const COMMIT = 'commit';
export const ROLLBACK = 'rollback';
