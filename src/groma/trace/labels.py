"""Usual names of states and calls, for traces that bring none (no .pcf)."""

from __future__ import annotations


def _names(text: str) -> dict[int, str]:
    pairs = (word.partition(":") for word in text.split())
    return {int(number): name for number, _, name in pairs}


_STATES = _names("""
0:Idle 1:Running 2:Not_created 3:Waiting_a_message 4:Blocking_Send 5:Synchronization 6:Test/Probe
7:Scheduling_and_Fork/Join 8:Wait/WaitAll 9:Blocked 10:Immediate_Send 11:Immediate_Receive 12:I/O
13:Group_Communication 14:Tracing_Disabled 15:Others 16:Send_Receive 17:Memory_transfer 18:Profiling
20:Remote_memory_access 21:Atomic_memory_operation 22:Memory_ordering_operation
23:Distributed_locking 24:Overhead 25:One-sided_communication
""")

# Numbers of Extrae, which every tracer for Paraver uses.
_CALLS = _names("""
1:Send 2:Recv 3:Isend 4:Irecv 5:Wait 6:Waitall 7:Bcast 8:Barrier 9:Reduce 10:Allreduce 11:Alltoall
12:Alltoallv 13:Gather 14:Gatherv 15:Scatter 16:Scatterv 17:Allgather 18:Allgatherv 19:Comm_rank
20:Comm_size 21:Comm_create 22:Comm_dup 23:Comm_split 25:Comm_free 30:Scan 31:Init 32:Finalize
33:Bsend 34:Ssend 35:Rsend 36:Ibsend 37:Issend 38:Irsend 39:Test 40:Cancel 41:Sendrecv
42:Sendrecv_replace 43:Cart_create 44:Cart_shift 49:Cart_sub 51:Dims_create 54:Graph_create
59:Waitany 60:Waitsome 61:Probe 62:Iprobe 63:Win_create 64:Win_free 65:Put 66:Get 67:Accumulate
68:Win_fence 69:Win_start 70:Win_complete 71:Win_post 72:Win_wait 73:Win_test 74:Win_lock
75:Win_unlock 80:Reduce_scatter 100:Abort 112:Bsend_init 115:Request_free 116:Recv_init
117:Send_init 121:Rsend_init 122:Ssend_init 123:Start 124:Startall 125:Testall 126:Testany
128:Testsome 141:File_open 142:File_close 143:File_read 144:File_read_all 145:File_write
146:File_write_all 147:File_read_at 148:File_read_at_all 149:File_write_at 150:File_write_at_all
151:Comm_spawn 152:Comm_spawn_multiple 154:Ireduce 155:Iallreduce 156:Ibarrier 157:Ibcast
158:Ialltoall 159:Ialltoallv 160:Iallgather 161:Iallgatherv 162:Igather 163:Igatherv 164:Iscatter
165:Iscatterv 166:Ireduce_scatter 167:Iscan 168:Reduce_scatter_block 169:Ireduce_scatter_block
170:Alltoallw 171:Ialltoallw 172:Get_accumulate 173:Dist_graph_create 174:Neighbor_allgather
175:Ineighbor_allgather 176:Neighbor_allgatherv 177:Ineighbor_allgatherv 178:Neighbor_alltoall
179:Ineighbor_alltoall 180:Neighbor_alltoallv 181:Ineighbor_alltoallv 182:Neighbor_alltoallw
183:Ineighbor_alltoallw 184:Fetch_and_op 185:Compare_and_swap 186:Win_flush 187:Win_flush_all
188:Win_flush_local 189:Win_flush_local_all 190:Mprobe 191:Improbe 192:Mrecv 193:Imrecv
194:Comm_split_type 211:Comm_dup_with_info 213:Comm_create_group 214:Exscan 215:Iexscan 312:Pcontrol
""")


def label_of_state(state: int) -> str:
    return _STATES.get(state, f"state {state}").replace("_", " ")


def label_of_call(event_type: int, value: int) -> str:
    name = _CALLS.get(value, "")
    return f"MPI_{name}" if name else f"call {event_type}:{value}"
