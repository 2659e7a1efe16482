# `npm start`: runs the Node that `npm install` brought, or else the machine's own, with less room for young objects
# where memory is little (`base/capacity.ts`). Where neither can run, it says why in a sentence. (`node.sh` says why npm's
# own link to that Node isn't used.)
isSmall='Math.min(process.constrainedMemory?.() || Infinity, os.totalmem()) < 2 ** 28'
bundled=$(ls -d node_modules/node-*/bin/node 2>/dev/null | head -n 1)
own=${npm_node_execpath:-node}
# the memory of a thread goes back to the system when the thread ends; V8 before 14 doesn't know the option
releaseOfThreads=--no-memory-pool-share-memory-on-teardown
export MALLOC_ARENA_MAX=1

fail() {
  echo "orderly: $1" >&2
  exit 78
}

# Node's own errors begin with a place in its sources.
firstLine() {
  printf '%s\n' "$1" | grep -m 1 'Error: ' || printf '%s\n' "$1" | grep -m 1 .
}

# `begin IS_SMALL NODE FLAGS`
begin() {
  flags=--max-semi-space-size=8
  if [ "$1" = true ]; then
    # V8 compiles one function at a time: what several compilers take at once isn't given back
    flags='--max-semi-space-size=1 --optimize-for-size --no-concurrent-recompilation --expose-gc'
    export MALLOC_MMAP_THRESHOLD_=1048576 # the memory of a password's hash goes back to the system
  fi
  node=$2
  shift 2
  exec "$node" $flags "$@"
}

if [ -n "$bundled" ]; then
  if answer=$("$bundled" -p "$isSmall" 2>&1); then
    begin "$answer" "$bundled" --disable-sigusr1 $releaseOfThreads src/start.js "$@"
  fi
  case $answer in
    *libatomic*) fail 'Node needs libatomic.so.1: install libatomic1 (Debian, Ubuntu) or libatomic (Fedora).' ;;
    *libstdc++* | *libgcc*) fail 'Node needs libstdc++.so.6 and libgcc_s.so.1: install their packages.' ;;
    *GLIBC*) fail 'the Node that npm install brought needs glibc 2.28 or newer.' ;;
  esac
  echo "orderly: the Node that npm install brought can't run here; trying $own. It said: $(firstLine "$answer")" >&2
  echo 'If its folder is of another machine, run npm install on this one.' >&2
fi

answer=$("$own" -p "$isSmall" 2>&1) || fail "no Node can run here: $(firstLine "$answer")"
begin "$answer" "$own" src/start.js "$@"
