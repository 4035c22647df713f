#!/usr/bin/env bash
# Two hosts on one machine: network namespaces with names and addresses of their own, joined by one cable. A run over
# both must give the bits of a run on one.
set -euo pipefail
program=${LOCUS:-$(dirname -- "${BASH_SOURCE[0]}")/../../build/release/locus}
program=$(realpath -- "$program")

not_run() {
    echo "not run: $*"
    exit 77
}
launcher=${LOCUS_MPIEXEC:-mpirun}
command -v "$launcher" >/dev/null || not_run "$launcher is missing"
[[ $("$launcher" --version 2>&1) =~ "Open MPI"|"OpenRTE" ]] || not_run "the words for the launcher are Open MPI's"
command -v ip >/dev/null && command -v unshare >/dev/null || not_run "ip (iproute2) or unshare is missing"

first=locus-$$-a second=locus-$$-b
folder=$(mktemp -d)
clean_up() {
    ip netns delete "$first" 2>/dev/null || true
    ip netns delete "$second" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT
ip netns add "$first" 2>/dev/null && ip netns add "$second" 2>/dev/null || not_run "needs CAP_NET_ADMIN"
ip link add "la$$" netns "$first" type veth peer name "lb$$" netns "$second" 2>/dev/null ||
    not_run "needs CAP_NET_ADMIN and veth pairs"
ip -n "$first" address add 10.213.7.1/24 dev "la$$"
ip -n "$second" address add 10.213.7.2/24 dev "lb$$"
for host in "$first" "$second"; do ip -n "$host" link set lo up; done
ip -n "$first" link set "la$$" up
ip -n "$second" link set "lb$$" up

# on HOST COMMAND: what ssh would do, from one namespace to the other.
cat >"$folder/on" <<SCRIPT
#!/usr/bin/env bash
case \$1 in
    10.213.7.1) host=$first ;;
    10.213.7.2) host=$second ;;
    *) echo "no host \$1" >&2; exit 1 ;;
esac
shift
exec ip netns exec "\$host" unshare --uts sh -c "hostname \$host; \$*"
SCRIPT
chmod +x "$folder/on"

over_two() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 "$folder/on" 10.213.7.1 \
        "$launcher" --host 10.213.7.1:2,10.213.7.2:2 --mca plm_rsh_agent "$folder/on" --mca orte_keep_fqdn_hostnames 1 \
        --mca rmaps_base_oversubscribe 1 --bind-to none "$@"
}
cat >"$folder/r.yaml" <<'RECIPE'
data: { corpus: generated, documents: 12, document_length: 600 }
model: { layers: 1, width: 16, heads: 2 }
encoding: { kind: rope }
train: { length: 16, steps: 30, batch_tokens: 128, shards: 8, lr: 1e-3, checkpoint_every: 10, validate_every: 10 }
evaluate: { lengths: [16, 32], protocols: [non_overlapping], targets: 64 }
RECIPE

hosts=$(over_two -n 4 hostname | sort | uniq -c | tr -s ' \n' ' ')
echo "hosts:$hosts"
[[ $hosts == *" 2 $first 2 $second "* ]] || {
    echo "expected 2 ranks on each of $first and $second"
    exit 1
}
export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 # MPI libraries keep some memory to the end
"$program" train "$folder/r.yaml" --out "$folder/one" 2>/dev/null
over_two -n 4 -x OMP_NUM_THREADS -x ASAN_OPTIONS "$program" train "$folder/r.yaml" --out "$folder/two"
one=$(sha256sum <"$folder/one/checkpoints/step_00000030.h5") two=$(sha256sum <"$folder/two/checkpoints/step_00000030.h5")
echo "one host:  $one"
echo "two hosts: $two"
[[ $one == "$two" ]] || {
    echo "the bits differ"
    exit 1
}
"$program" eval "$folder/one" --json >"$folder/one.json" 2>/dev/null
over_two -n 3 -x OMP_NUM_THREADS -x ASAN_OPTIONS "$program" eval "$folder/one" --json >"$folder/two.json"
cmp "$folder/one.json" "$folder/two.json"
