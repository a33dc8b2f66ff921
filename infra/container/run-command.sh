#!/bin/sh
# Runs a command of the service by its name, in the application folder.
set -eu
case "${1:-}" in
  worker | migrate | tenant | doctor | audit-verify | audit-resume) ;;
  *)
    echo "Name a command: worker, migrate, tenant, doctor, audit-verify or audit-resume." >&2
    exit 2
    ;;
esac
file="dist/core/commands/$1.js"
shift
exec node "$file" "$@"
