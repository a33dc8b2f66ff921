/**
 * Bounds of a transaction, in milliseconds, and names that nobody but the system defines. Until then the login may have
 * a path with functions of others before those of the system.
 */
export const BOUNDS = `
select pg_catalog.set_config('statement_timeout', $1::pg_catalog.text, true), pg_catalog.set_config('lock_timeout', $2::pg_catalog.text, true),
       pg_catalog.set_config('idle_in_transaction_session_timeout', $3::pg_catalog.text, true), pg_catalog.set_config('search_path', 'pg_catalog', true),
       pg_catalog.set_config('row_security', $4::pg_catalog.text, true)`;
export const BEGIN = 'begin transaction isolation level read committed read only';
export const COMMIT = 'commit';
export const ROLLBACK = 'rollback';
