#!/usr/bin/env bash
# Grants an identity the least rights to scan containers and shares of one storage account: docs/permissions.md.
# It makes a custom role without any right to write, and assigns it for each container and share alone. Run it again to
# add others; nothing is taken away.
set -euo pipefail

usage() {
  echo "usage: $0 --account-id RESOURCE_ID --principal OBJECT_ID [--container NAME]... [--share NAME]..." >&2
  exit 64
}

account='' principal='' containers=() shares=()
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --account-id) account=$2 ;;
    --principal) principal=$2 ;;
    --container) containers+=("$2") ;;
    --share) shares+=("$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $account =~ ^/subscriptions/([^/]+)/resourceGroups/[^/]+/providers/Microsoft\.Storage/storageAccounts/[a-z0-9]+$ ]] || usage
subscription=${BASH_REMATCH[1]}
[ -n "$principal" ] && [ $((${#containers[@]} + ${#shares[@]})) -gt 0 ] || usage

# Role names are unique in a directory, and a role may be assigned in the subscriptions that it names.
ensure_role() { # name, actions, data actions
  local name="$1 ($subscription)"
  if [ -z "$(az role definition list --subscription "$subscription" --name "$name" --query '[].name' --output tsv)" ]; then
    az role definition create --subscription "$subscription" --output none --role-definition "{
      \"Name\": \"$name\", \"Description\": \"Reads for data governance. It cannot write.\",
      \"Actions\": [$2], \"DataActions\": [$3], \"AssignableScopes\": [\"/subscriptions/$subscription\"]}"
  fi
  role=$name
}
assign() { # scope
  az role assignment create --output none --role "$role" --scope "$1" \
    --assignee-object-id "$principal" --assignee-principal-type ServicePrincipal
}

storage=Microsoft.Storage/storageAccounts
ensure_role 'Governance storage account settings' "\"$storage/read\"" ''
assign "$account"

if [ ${#containers[@]} -gt 0 ]; then
  blobs=$storage/blobServices/containers
  ensure_role 'Governance container reader' "\"$blobs/read\", \"$blobs/getAcl/action\"" \
    "\"$blobs/blobs/read\", \"$blobs/blobs/tags/read\""
  for name in "${containers[@]}"; do assign "$account/blobServices/default/containers/$name"; done
fi

if [ ${#shares[@]} -gt 0 ]; then
  files=$storage/fileServices
  ensure_role 'Governance share reader' "\"$files/shares/read\"" \
    "\"$files/fileShares/files/read\", \"$files/readFileBackupSemantics/action\""
  for name in "${shares[@]}"; do assign "$account/fileServices/default/fileshares/$name"; done
fi
