#!/bin/sh
# Stands in for the Functions host: it starts the language worker with the arguments of the same setting.
# shellcheck disable=SC2086 # The setting holds several arguments.
exec node ${languageWorkers__node__arguments:-} /azure-functions-host/infra/container/prove/serve-app.ts
