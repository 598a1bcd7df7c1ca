"""Scripts for the shell of a bed: files that its hosts see, processes that hold its namespaces, networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.testbed.plan import Plan, addressing, cabling, host_address, host_name, shaping

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER = "/dev/shm/groma-testbed"  # noqa: S108 - on a file system that only the bed has
"""Where the files of the bed are, the same in all of its hosts."""

LOCAL = f"{FOLDER}/local"
"""Where each host has a file system of its own."""

HOSTFILE = f"{FOLDER}/hostfile"
PROGRAMS = f"{FOLDER}/bin"
SHELL = f"{PROGRAMS}/ssh"

# Open MPI and MPICH start their daemons by it, and it serves people as well. Options are passed over.
_SHELL = f"""\
#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=${{1#*@}}
shift
pid=$(cat {FOLDER}/pids/"$host" 2>/dev/null) || {{ echo "ssh: there is no host $host" >&2; exit 255; }}
exec nsenter -t "$pid" -n -u -m -- sh -c "${{*:-sh}}"
"""


def beginning(plan: Plan, boot_ids: Mapping[str, str]) -> str:
    """The file system of the bed and its files. A host without an entry in `boot_ids` has the machine's."""
    files = {
        f"{FOLDER}/hosts": "".join(
            ["127.0.0.1 localhost\n", *(f"{host_address(n)} {host_name(n)}\n" for n in plan.nodes)]
        ),
        f"{FOLDER}/resolv.conf": "",
        HOSTFILE: "".join(f"{name}\n" for name in plan.hosts),
        SHELL: _SHELL,
        **{f"{FOLDER}/boot/{name}": f"{value}\n" for name, value in boot_ids.items()},
    }
    return "\n".join(
        [
            "mount -t tmpfs -o mode=1777 bed /dev/shm",
            f"mkdir -p {FOLDER}/pids {FOLDER}/boot {PROGRAMS} {LOCAL}",
            *(written(path, text) for path, text in files.items()),
            f"chmod +x {SHELL}",
            f"mount --bind {FOLDER}/hosts /etc/hosts",
            # Without a name server nothing waits for one.
            f"if [ -e /etc/resolv.conf ]; then mount --bind {FOLDER}/resolv.conf /etc/resolv.conf; fi",
        ]
    )


def written(path: str, text: str) -> str:
    """The command that writes a text into a file."""
    return f"cat >{path} <<'GROMA_END'\n{text}GROMA_END"


def holding(plan: Plan, boot_ids: Mapping[str, str]) -> str:
    """Starts one process for each namespace; says "NAME PID" of each, "NAME failed" where that fails."""
    routers = [name for name in plan.spaces if name not in plan.hosts]
    lines = [
        f"mkfifo {FOLDER}/ready; exec 3<>{FOLDER}/ready",
        *(_holder(name, "--net --uts --mount", _host_commands(name, boot_ids)) for name in plan.hosts),
        *(_holder(name, "--net", _ROUTER) for name in routers),
        f"for one in {' '.join(plan.spaces)}; do",
        f'  read name pid <&3; echo "$name $pid"; echo "$pid" >{FOLDER}/pids/"$name"',
        "done",
        "exec 3>&-",
    ]
    return "\n".join(lines)


# Routes there and back differ on a torus, which a reverse path filter takes for forgery.
_ROUTER = """\
echo 1 >/proc/sys/net/ipv4/ip_forward &&
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter && echo 0 >/proc/sys/net/ipv4/conf/default/rp_filter"""


def _host_commands(name: str, boot_ids: Mapping[str, str]) -> str:
    commands = [
        f"hostname {name}",
        f"mount -t tmpfs -o mode=1777 {name} {LOCAL}",
        # What every kernel has, so that figures of two machines can be compared.
        "echo reno >/proc/sys/net/ipv4/tcp_congestion_control",
    ]
    if name in boot_ids:
        commands.append(f"mount --bind {FOLDER}/boot/{name} /proc/sys/kernel/random/boot_id")
    return " &&\n".join(commands)


def _holder(name: str, spaces: str, commands: str) -> str:
    inside = f'{commands} && echo "{name} $$" >&3 && exec sleep infinity >/dev/null 2>&1 3>&-'
    return f"( unshare {spaces} sh -c '{inside}' || echo '{name} failed' >&3 ) &"


def networking(plan: Plan, holders: Mapping[str, int]) -> str:
    """Lays the cables and configures all namespaces at once; says nothing where all of it works."""
    return "\n".join(
        [
            "busy=",
            _batch("ip", cabling(plan, holders)),
            *(_configuring(plan, space, pid) for space, pid in holders.items()),
            "wait $busy",
        ]
    )


def _configuring(plan: Plan, space: str, pid: int) -> str:
    addresses = inside(pid, "ip", addressing(plan, space))
    rates = inside(pid, "tc", shaping(plan, space))
    return f'(\n{addresses}\n{rates}\n) &\nbusy="$busy $!"'


def inside(pid: int, tool: str, commands: Iterable[str]) -> str:
    """Lets ip or tc do all commands in the namespace that the process holds."""
    return f"nsenter -t {pid} -n {_batch(tool, commands)}"


def _batch(tool: str, commands: Iterable[str]) -> str:
    return "\n".join([f"{tool} -batch - <<'GROMA_END'", *commands, "GROMA_END"])
