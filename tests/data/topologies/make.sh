#!/bin/sh
# Makes the machines of this folder with hwloc's tools (2.9). They are invented, after kinds of machines that
# exist. Run it in this folder; the tests read what it leaves and need no tool of hwloc.
set -eu

synthetic() { # file, description, further options of lstopo
    file=$1 description=$2
    shift 2
    lstopo-no-graphics --if synthetic -i "$description" --of xml -f "$@" "$file"
}

# Adds latencies between `nodes` NUMA nodes to a file. `latency` is an awk expression in the rows and columns
# i and j, counted from 0. Kind 5 of hwloc: latencies, told by the operating system.
latencies() { # file, nodes, latency
    matrix=$(mktemp)
    awk -v n="$2" -v kind=5 "BEGIN {
        print \"name=NUMALatency\"; print kind; print n
        for (i = 0; i < n; i++) print \"NUMANode:\" i
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) print i == j ? 10 : ($3)
    }" >"$matrix"
    hwloc-annotate "$1" "$1" -- root -- distances "$matrix"
    rm "$matrix"
}

# Two sockets of four dies each. Hardware threads are numbered as kernels do it: first one of every core.
synthetic two-socket-8-numa.xml \
    "pack:2 die:4 [numa(memory=32GiB)] l3:2(size=16MiB) l2:2(size=512KiB) l1d:1(size=32KiB) l1i:1(size=32KiB) core:1 pu:2(indexes=2*32:32*1)"
latencies two-socket-8-numa.xml 8 "int(i / 4) == int(j / 4) ? 12 : 32"

# Twelve blades of two sockets; blades hang on two switches.
synthetic shared-memory-24-node.xml \
    "pack:24 [numa(memory=64GiB)] l3:1(size=18MiB) core:8 pu:2(indexes=2*192:192*1)"
latencies shared-memory-24-node.xml 24 \
    "int(i / 2) == int(j / 2) ? 50 : int(i / 12) == int(j / 12) ? 65 : 79"

# Puts a cache in front of every NUMA node whose memory has `bytes`.
memory_side_caches() { # file, bytes, bytes of the cache
    result=$(mktemp)
    awk -v memory="local_memory=\"$2\"" -v size="$3" '
        /type="NUMANode"/ && index($0, memory) {
            sets = substr($0, index($0, "cpuset="))
            sub(/gp_index.*/, "", sets)
            printf "<object type=\"MemCache\" %s gp_index=\"%d\" cache_size=\"%s\" depth=\"1\"", sets, 1000 + NR, size
            print " cache_linesize=\"64\" cache_associativity=\"1\" cache_type=\"0\">"
            inside = 1
        }
        { print }
        inside && /<\/object>/ { print "</object>"; inside = 0 }' "$1" >"$result"
    lstopo-no-graphics -i "$result" --of xml -f "$1"
    rm "$result"
}

# Four quadrants of ordinary memory behind a memory-side cache, and fast memory beside each.
synthetic quadrants-memory-side-cache.xml \
    "pack:1 group:4 [numa(memory=24GiB)] [numa(memory=2GiB)] l2:4(size=1MiB) core:2 pu:4(indexes=4*32:32*1)"
memory_side_caches quadrants-memory-side-cache.xml 25769803776 2147483648

# Memory that hangs on no socket.
synthetic memory-only-node.xml \
    "[numa(memory=256GiB)] pack:2 [numa(memory=64GiB)] l3:1(size=32MiB) l2:4(size=1MiB) core:1 pu:1"

# A part of a machine: 8, 3 and 1 cores in its sockets, one core with a single thread, none in the last.
synthetic asymmetric.xml \
    "pack:4 [numa(memory=16GiB)] l3:1(size=8MiB) l2:8(size=256KiB) core:1 pu:2(indexes=2*32:32*1)" \
    --restrict 0x000106ff,0x000307ff

synthetic one-core.xml "pack:1 [numa(memory=1GiB)] core:1 pu:1"
synthetic no-cache.xml "pack:2 [numa(memory=1GiB)] core:4 pu:1"

# CPUs 3, 6 and 7 are switched off: there, but of unknown place.
synthetic offline.xml "pack:2 [numa(memory=4GiB)] l3:1(size=8MiB) l2:4(size=1MiB) core:1 pu:1" --restrict 0x37
sed -i '0,/complete_cpuset="0x00000037"/s//complete_cpuset="0x000000ff"/' offline.xml
