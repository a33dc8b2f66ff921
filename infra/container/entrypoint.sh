#!/bin/sh
# Runs its arguments. The Functions host itself reads AzureWebJobsStorage and knows no files: a mounted secret that
# AzureWebJobsStorage_FILE names is put into the variable here. The service reads its other secrets from files itself.
set -eu
if [ -n "${AzureWebJobsStorage_FILE:-}" ]; then
  AzureWebJobsStorage=$(cat "$AzureWebJobsStorage_FILE")
  export AzureWebJobsStorage
  unset AzureWebJobsStorage_FILE
fi
exec "$@"
