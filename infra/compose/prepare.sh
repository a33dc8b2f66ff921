#!/bin/sh
# Makes .env and the secrets of a compose deployment, once: what exists stays as it is.
#   prepare.sh                 for production: set the identity provider in .env afterwards
#   prepare.sh --development   to try it: the development tenant, and people who sign in without a password
set -eu
cd "$(dirname "$0")"

case "${1:-}" in
  '' | --development) ;;
  *)
    echo "Usage: prepare.sh [--development]" >&2
    exit 2
    ;;
esac

if [ ! -e .env ]; then
  cp .env.example .env
  if [ "${1:-}" = --development ]; then
    {
      echo
      echo '# Written by prepare.sh --development'
      echo 'COMPOSE_PROFILES=development'
      echo 'SVC_ENV=development'
      echo 'SVC_AUTH_MODE=dev'
      echo 'SVC_CONNECTOR_MODE=mock'
      echo 'IMAGE_TARGET=development'
      echo 'HOST_IMAGE=data-governance-service-host-development'
      echo 'WORKER_IMAGE=data-governance-service-worker-development'
    } >>.env
  fi
fi

# Others on this machine cannot enter the folder. The files are readable, because containers run as another user.
mkdir -p secrets no-shares
chmod 700 secrets
umask 022

random() { openssl rand -hex "$1"; }
# keep NAME VALUE: writes a secret unless it exists
keep() { [ -e "secrets/$1" ] || printf '%s' "$2" >"secrets/$1"; }

keep postgres-password "$(random 24)"
keep owner-password "$(random 24)"
keep runtime-password "$(random 24)"
keep session-secret "$(random 32)"
keep storage-key "$(openssl rand -base64 64 | tr -d '\n')"
[ -e secrets/audit-signing-key ] || openssl genpkey -algorithm ed25519 >secrets/audit-signing-key

# Made of others: written again, so that a changed password takes effect. The file before cannot be written to.
# write NAME VALUE
write() {
  rm -f "secrets/$1"
  printf '%s' "$2" >"secrets/$1"
}
server=postgres:5432/governance
account=governance
key=$(cat secrets/storage-key)
write migration-database-url "postgres://svc_owner:$(cat secrets/owner-password)@$server"
write database-url "postgres://svc_runtime:$(cat secrets/runtime-password)@$server"
write azurite-accounts "$account:$key"
write storage "DefaultEndpointsProtocol=http;AccountName=$account;AccountKey=$key;BlobEndpoint=http://azurite:10000/$account;QueueEndpoint=http://azurite:10001/$account;TableEndpoint=http://azurite:10002/$account"
chmod 444 secrets/*

# Yours to write: the provider makes it.
[ -e secrets/idp-client-secret ] || : >secrets/idp-client-secret
chmod 644 secrets/idp-client-secret
echo "Ready: docker compose -f $(pwd)/compose.yaml up --build --detach --wait"
