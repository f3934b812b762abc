#!/usr/bin/env bash
# Prints the home of a JDK of the given major version, or nothing: $JAVA_HOME, the javac on the path, then the usual folders.
set -u
wanted=$1
is_wanted() { [ -x "$1/bin/javac" ] && [ "$("$1/bin/javac" -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" = "$wanted" ]; }
candidates=("${JAVA_HOME:-}")
if javac=$(command -v javac); then candidates+=("$(dirname "$(dirname "$(readlink -f "$javac")")")"); fi
candidates+=(/usr/lib/jvm/*"$wanted"* "$HOME"/.sdkman/candidates/java/"$wanted"* "$HOME"/.jdks/*"$wanted"* /opt/*jdk*"$wanted"*
  /Library/Java/JavaVirtualMachines/*"$wanted"*/Contents/Home)
for home in "${candidates[@]}"; do
  if is_wanted "$home"; then
    echo "$home"
    exit 0
  fi
done
exit 0
