#!/bin/sh
# Starts bin/ardf beside this file, or says in a line what this system lacks for it.
refuse() {
  echo "ardf: $*" >&2
  exit 69
}
here=$(dirname "$(readlink -f "$0")")
[ "$(uname -s) $(uname -m)" = "Linux @MACHINE@" ] \
  || refuse "this is the program for Linux on @MACHINE@, not for $(uname -s) on $(uname -m): get that one, or build it (README.md)"
[ -e @LOADER@ ] \
  || refuse "this system has no GNU C library (glibc) at @LOADER@, and @GLIBC@ or newer is needed: use the container image, or build it"
if command -v getconf >/dev/null; then
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) \
    || refuse "this system has no GNU C library (glibc), of which @GLIBC@ or newer is needed: use the container image, or build it"
  have=${libc#glibc }
  need=@GLIBC@
  if [ "${have%%.*}" -lt "${need%%.*}" ] || { [ "${have%%.*}" -eq "${need%%.*}" ] && [ "${have#*.}" -lt "${need#*.}" ]; }; then
    refuse "this system's GNU C library (glibc) is $have, and $need or newer is needed: use the container image, or a newer system"
  fi
fi
exec "$here/bin/ardf" "$@"
