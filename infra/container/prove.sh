#!/bin/sh
# Proves both images and the compose file without an engine and without a registry of images: builds them with buildah on
# stand-ins for their bases, runs them with crun as compose.yaml says, and tells for each claim what it saw. It is
# not part of `npm test`. docs/deployment.md says what it proves. It needs root on Linux and 10 GB, and takes
# minutes; after an hour and a half it gives up.
#   PROVE_DEBIAN=FOLDER   a Debian 12 that debootstrap made before, in the place of a new one
#   STORAGE_DRIVER=vfs    where the kernel has no overlays for buildah
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
node=$root/node_modules/node/bin/node
code=$root/infra/container/prove

fail() {
  echo "$1" >&2
  exit 2
}
[ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] || fail 'The proof needs root on Linux: it mounts file systems.'
missing=
for tool in buildah debootstrap crun git openssl npm unshare ip timeout; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
[ -z "$missing" ] || fail "Missing:$missing. Debian: apt-get install --no-install-recommends buildah debootstrap crun git openssl iproute2 npm"
[ -x "$node" ] || fail 'Missing: the packages of the checkout. Run npm ci first.'

work=$(mktemp -d /var/tmp/prove.XXXXXX)
proof=
cleanup() {
  # The first process of the namespace takes all others with it, and the mounts end with the last one.
  [ -z "$proof" ] || kill -KILL "$proof" 2>/dev/null || true
  [ -z "$proof" ] || wait "$proof" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Processes and mounts of their own for everything. The second half has a network of its own as well, with nothing in it
# but what the proof starts.
unshare --mount --pid --fork --kill-child --mount-proc sh -eu -c '
  # crun knows either generation of control groups, but not both at once. The proof uses neither.
  [ ! -d /sys/fs/cgroup/unified ] || mount -t tmpfs none /sys/fs/cgroup/unified
  status=0
  timeout --kill-after=10 3600 "$1" "$2/build-images.ts" "$3" || status=1
  [ ! -e "$3/images.json" ] || unshare --net sh -eu -c "
    ip link set lo up
    exec timeout --kill-after=10 1800 \"\$@\"" sh "$1" "$2/deploy.ts" "$3" || status=1
  exit "$status"
' sh "$node" "$code" "$work" &
proof=$!
status=0
wait "$proof" || status=$?
proof=
[ "$status" = 0 ] && echo 'All claims hold.' || echo 'A claim fails, or the proof could not go on.' >&2
exit "$status"
