#!/usr/bin/env bash
# Deletes the webhooks and takes the typed field out of KubeVirt's definition of migrations, with kubectl alone: what
# `ferry uninstall` does. The webhooks go first, since they put the field in again. KUBECTL says how kubectl is called.
set -euo pipefail
kubectl=(${KUBECTL:-kubectl})
definition=virtualmachineinstancemigrations.kubevirt.io
field=schema.openAPIV3Schema.properties.spec.properties.addedNodeSelectorTerm

# The versions of the definition that have our field, as "index name".
ours() {
  local index=0 name
  for name in $("${kubectl[@]}" get crd "$definition" --ignore-not-found -o jsonpath='{.spec.versions[*].name}'); do
    if "${kubectl[@]}" get crd "$definition" -o jsonpath="{.spec.versions[$index].$field.description}" | grep -q kubevirt-ferry; then
      echo "$index $name"
    fi
    index=$((index + 1))
  done
}

"${kubectl[@]}" delete mutatingwebhookconfiguration kubevirt-ferry --ignore-not-found
# The API server calls a webhook for a moment after it was deleted, and a manager may not know yet: look until it stays out.
clean=0
for _ in {1..60}; do
  found=$(ours)
  if [ -z "$found" ]; then
    clean=$((clean + 1))
    if [ "$clean" -eq 3 ]; then exit 0; fi
  else
    clean=0
    # If somebody else has just written it, the test fails and the next look finds what is there.
    while read -r index name; do
      "${kubectl[@]}" patch crd "$definition" --type=json -p "[
        {\"op\": \"test\", \"path\": \"/spec/versions/$index/name\", \"value\": \"$name\"},
        {\"op\": \"remove\", \"path\": \"/spec/versions/$index/${field//.//}\"}]" || true
    done <<<"$found"
  fi
  sleep 1
done
echo "The typed field comes back: something still puts it into CustomResourceDefinition $definition. Stop the manager and run this again." >&2
exit 1
