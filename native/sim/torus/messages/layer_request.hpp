// What the requests of all workloads of messages have in common.
//   workload.policy       fifo (default) or overlapping: which message a direction sends next
//   workload.polling      alternate (default), receive-first or send-first: what a processor that waits looks
//                         at first
//   workload.rendezvous   messages of more bytes are announced first, 1000 by default
//   processor.send, processor.receive {single, batch, each}: cycles for a packet, 0 by default
//   processor.call        cycles to start a send or receive, 0 by default
//   processor.message     cycles of each end of a message between nodes, 0 by default: of its sender before
//                         the first packet, of its receiver after the last one
//   processor.reorder     cycles more for a packet that comes out of order, 0 by default
//   processor.copy        cycles for a byte between ranks of a node, 0 by default
// What all results have: complete, finished_at (cycles; of the last rank), message_bytes, bytes_per_cycle
// (over all ranks), out_of_order (packets), busiest_processor (share of the time), and, where ranks are left
// that wait for each other, deadlock {cycle: ranks, ranks: their number, blocked: [{rank, step, waits_for}]};
// unfinished in its place where the run was stopped.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/torus/fields.hpp"
#include "sim/torus/messages/message_layer.hpp"

namespace groma::sim::torus {

/// What the maker of the programs gives: the ranks of a node, programs, no more than fit on the nodes, and
/// what it adds to the result.
struct Programs {
  std::vector<Program> of_ranks;
  MessageLayer::Extra extra;
  std::uint32_t cores = 1;
};

/// Reads the fields of a workload and makes the programs; wrong fields are left to `fields` to tell.
using MakePrograms = std::function<Programs(const WorkloadRequest& request, Fields& fields)>;

/// Reads the common fields, has the programs made and puts them on the message layer.
Result<std::unique_ptr<Workload>> make_message_workload(const WorkloadRequest& request,
                                                        const MakePrograms& programs);

/// `name`: a list of ranks below `ranks`.
std::vector<Rank> read_ranks(Fields& fields, std::string_view name, Rank ranks);

}  // namespace groma::sim::torus
