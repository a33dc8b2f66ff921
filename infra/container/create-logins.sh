#!/bin/sh
# Creates the two logins of the service, or resets their passwords, and the database: run once, before the migrations.
# It runs in the Postgres image: as a script of its first start (compose), or against a server (PGHOST, PGUSER, and
# PGPASSWORD or PGPASSWORD_FILE). The passwords are in the files that OWNER_PASSWORD_FILE and RUNTIME_PASSWORD_FILE name,
# or in OWNER_PASSWORD and RUNTIME_PASSWORD.
set -eu

read_secret() {
  eval "file=\${$1_FILE:-}"
  if [ -n "$file" ]; then cat "$file"; else eval "printf '%s' \"\${$1}\""; fi
}

if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$PGPASSWORD_FILE")
  export PGPASSWORD
fi
OWNER_PASSWORD=$(read_secret OWNER_PASSWORD)
RUNTIME_PASSWORD=$(read_secret RUNTIME_PASSWORD)
export OWNER_PASSWORD RUNTIME_PASSWORD

# The passwords reach psql by the environment: arguments can be read by other processes.
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname="${PGDATABASE:-postgres}" <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv runtime_password RUNTIME_PASSWORD
set password_encryption = 'scram-sha-256';
select format('create role %I login', name)
  from (values ('svc_owner'), ('svc_runtime')) as wanted (name)
 where not exists (select from pg_roles where rolname = name)
\gexec
alter role svc_owner with login nocreatedb createrole password :'owner_password';
alter role svc_runtime with login nocreatedb nocreaterole password :'runtime_password';
-- An administrator who is no superuser may hand a database only to a role that it belongs to.
grant svc_owner to current_user;
select 'create database governance owner svc_owner template template0'
 where not exists (select from pg_database where datname = 'governance')
\gexec
SQL
