#include "hpcc/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "hpcc/cost.hpp"

namespace groma::hpcc {
namespace {

/// `amount` of work by `rate`, while so many bytes leave the rank and so many messages wait for an answer.
struct Work {
  double amount;
  double bytes;
  double messages = 0.0;
};

double rate_with(const Network& network, double rate, const Work& work) {
  const Seconds on_the_way = network.pair.latency * work.messages;
  const double time = work.amount / rate + work.bytes / network.exchange_rate() + on_the_way.value();
  return time > 0.0 ? work.amount / time : rate;
}

/// The share of evenly spread data that belongs to another rank.
double share_of_others(int ranks) {
  return 1.0 - 1.0 / ranks;
}

/// Columns of panels go along the rows of the grid, half of the matrix in all; rows are exchanged and spread
/// along the columns, up to three times that; each pivot is agreed on in a column of the grid.
Work of_hpl(const Plan& plan) {
  Work sum{};
  for (const HplCase& one : plan.hpl) {
    const double n = real(one.n);
    const double rows = one.grid.rows;
    const double columns = one.grid.columns;
    const double panels = columns > 1.0 ? 0.5 / rows : 0.0;
    const double swaps = rows > 1.0 ? 1.5 / columns : 0.0;
    sum.amount += 2.0 / 3.0 * n * n * n / (rows * columns);
    sum.bytes += bytes_of_words(n * n * (panels + swaps));
    sum.messages += n * 2.0 * std::ceil(std::log2(rows));
  }
  return sum;
}

/// Each element has another place, and its rank with it but for the diagonal of the grid.
Work of_ptrans(const Plan& plan) {
  return {.amount = 1.0, .bytes = share_of_others(plan.ranks)};
}

/// Per point: three transpositions of 16 bytes.
Work of_fft(const Plan& plan) {
  const double points = std::max(2.0, real(plan.sizes.mpi_fft));
  return {.amount = 5.0 * std::log2(points), .bytes = 3.0 * 16.0 * share_of_others(plan.ranks)};
}

/// Per update: 8 bytes, which pass half of the dimensions of a hypercube on average.
Work of_updates(const Plan& plan) {
  return {.amount = 1.0, .bytes = 8.0 * std::max(share_of_others(plan.ranks), 0.5 * std::log2(plan.ranks))};
}

}  // namespace

Rates rates_on(const Machine& machine, const Plan& plan) {
  if (machine.nodes == 1) return machine.rates;
  Rates rates = machine.rates;
  const auto slow = [&](double Rates::*rate, const Work& work) {
    rates.*rate = rate_with(machine.network, rates.*rate, work);
  };
  slow(&Rates::solve, of_hpl(plan));
  slow(&Rates::transpose, of_ptrans(plan));
  slow(&Rates::shared_transform, of_fft(plan));
  slow(&Rates::shared_updates, of_updates(plan));
  return replaced(rates, machine.given_rates);
}

}  // namespace groma::hpcc
