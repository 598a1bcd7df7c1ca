// Generated from page.schema.json by scripts/types.mjs; change the Python types instead.

export interface Page {
  records: PageRecord[];
}

/** A record as the page sees it.
 *
 * `facts` is SurveyFacts where `kind` is "survey", HpccFacts where it is "hpcc", any JSON otherwise; of
 * RandomAccess RandomAccessFacts ("randomaccess"), OwnerFacts ("randomaccess_owner") and ErrorFacts
 * ("randomaccess_errors"). */
export interface PageRecord {
  name: string;
  schema: string;
  kind: string;
  created: string;
  command: string[];
  build: Build;
  environment: Record<string, unknown>;
  parameters: Record<string, unknown>;
  samples: Record<string, PageSamples>;
  facts: unknown;
  warnings: Advice[];
  unfinished: Unfinished | null;
}

/** What ran: version of groma, compiler and flags of the native programs. */
export interface Build {
  version: string;
  compiler: string | null;
  flags: string | null;
  options: Record<string, string>;
}

/** Samples of one probe. `summary[i]` belongs to `cases[i]`, None where a case has no sample yet.
 *
 * Both lists are empty above MAX_CASES and where `series` tells the samples by rank and repetition instead;
 * `case_count` and `sample_count` are always there. */
export interface PageSamples {
  probe: string;
  case_count: number;
  sample_count: number;
  cases: Record<string, unknown>[];
  summary: (SampleSummary | null)[];
  series: PageSeries[];
  disturbance: Disturbance | null;
  parameters: Record<string, string>;
  seed: number;
  elapsed: number;
  ended: string;
  error: Advice | null;
}

/** What the raw samples behind a quantity looked like, in the quantity's unit. */
export interface SampleSummary {
  n: number;
  min: number;
  p5: number;
  p50: number;
  p95: number;
}

/** Cases that differ in nothing but their member: a rank, a pair (client, server) or a ring.
 *
 * `members[i]` has samples from `low[i]` to `high[i]` with the median `median[i]`; `over` names its numbers.
 * `repetitions[j]` tells the members' lowest, mean and highest sample of repetition j; it is empty for
 * samples behind figures (`raw` in `labels`), which may be several in a repetition. */
export interface PageSeries {
  labels: Record<string, unknown>;
  over: string[];
  members: number[][];
  low: number[];
  median: number[];
  high: number[];
  repetitions: [number, number, number][];
}

/** What disturbed the rounds of a probe. `fixed_work` in s, `wall_over_cpu` a ratio, `steal` in s. */
export interface Disturbance {
  rounds: number;
  fixed_work: SampleSummary;
  wall_over_cpu: SampleSummary;
  steal: number;
}

/** Something the reader must know about the results: what is wrong and what to do next.
 *
 * `code` is stable and greppable, e.g. "memory.unstable" or "cache.disagrees". */
export interface Advice {
  code: string;
  what: string;
  next: string;
}

/** How far a run came that was cut short: `done` of `planned` steps, and the names of the others.
 *
 * `what` says it in a few words, `details` which steps are the others, `next` how to finish it. */
export interface Unfinished {
  planned: number;
  done: number;
  interrupted: string[];
  failed: string[];
  missing: string[];
  what: string;
  details: string[];
  next: string;
}

/** Facts of a record of kind `survey`. `declared` is the topology as the OS tells it. */
export interface SurveyFacts {
  node: NodeFacts;
  declared: Topology | null;
  network: NetworkFacts | null;
}

export interface NodeFacts {
  clock: Clock | null;
  cores: Core[];
  caches: Cache[];
  tlb: Tlb[];
  memory: Memory | null;
  numa: Numa | null;
  core_to_core: CoreToCore | null;
}

export interface Clock {
  timer_cost: Quantity;
  timer_resolution: Quantity;
  core_frequency: Quantity;
}

/** A value with its unit, its interval and how it was obtained.
 *
 * `low` and `high` bound the true value with probability `confidence` (0 to 1; 0 means "not determined").
 * `os_value` is what the operating system declares for the same thing, in the same unit, and `agrees`
 * says whether it lies inside the interval; both are None where the system declares nothing. */
export interface Quantity {
  value: number;
  unit: string;
  low: number;
  high: number;
  confidence: number;
  method: string;
  samples: SampleSummary | null;
  os_value: number | null;
  agrees: boolean | null;
}

export interface Core {
  logical: number;
  physical: number;
  package: number;
  numa: number;
  core: number | null;
}

/** One data cache level. `shared_by` lists the groups of cores that share an instance, None if unknown. */
export interface Cache {
  level: number;
  kind: string;
  size: Quantity;
  latency: Quantity;
  latency_cycles: Quantity | null;
  line: Quantity | null;
  associativity: Quantity | null;
  shared_by: number[][] | null;
  notes: string[];
}

/** `page` is the page size in bytes the reach was measured with; `reach` is in bytes. */
export interface Tlb {
  level: number;
  page: number;
  reach: Quantity;
  miss_cost: Quantity;
}

export interface Memory {
  latency: Quantity | null;
  bandwidth: Record<string, ScalingPoint[]>;
  kernels: Record<string, StreamKernel>;
  contention_groups: number[][] | null;
  contention_pairs: ContentionPair[];
  loaded_latency: LoadedLatency[];
}

/** Total bandwidth over `cores` threads running the kernel at once.
 *
 * `value` is the median of short passes, `best` their 95th percentile, to be compared with tools that report
 * their best pass. `placed` are the cores in the order in which threads were added. */
export interface ScalingPoint {
  cores: number;
  value: Quantity;
  best: Quantity | null;
  placed: number[];
}

/** What a kernel does per element of its arrays, and how it was run.
 *
 * Bandwidth counts `bytes_per_element`; `write_allocate_per_element` is moved besides, because a regular
 * store first fetches the line that it overwrites. */
export interface StreamKernel {
  formula: string;
  reads: number;
  writes: number;
  flops_per_element: number;
  bytes_per_element: number;
  write_allocate_per_element: number;
  isa: string;
  strands: number;
}

/** `ratio` is bandwidth of `core` alone over that while `other` streams too; 1 means no contention. */
export interface ContentionPair {
  core: number;
  other: number;
  ratio: Quantity;
}

/** Load latency of one core while the others inject `bandwidth` with this share of reads.
 *
 * `injectors` is the number of the others; 0 stands for the idle memory, the same for every share of reads. */
export interface LoadedLatency {
  read_fraction: number;
  bandwidth: Quantity;
  latency: Quantity;
  injectors: number | null;
}

/** The five Blacklight experiments. Rows are owners, columns readers, in the order of `places`.
 *
 * `over` is "numa" where places are NUMA nodes and "cores" where the machine has one node only.
 * Entries that were not measured (sampled machines) are None. All times are those for a whole block of
 * `block_bytes`, of which every 16th integer is read. `allocation` and `first_touch` are those of all places
 * at once with small pages; `first_touch_huge` is the same with huge pages, `first_touch_alone` that of one
 * place at a time with small ones. */
export interface Numa {
  over: string;
  places: number[];
  sequential_first: (Quantity | null)[][];
  sequential_again: (Quantity | null)[][];
  lockstep: (Quantity | null)[][];
  random: (Quantity | null)[][];
  ping_back: Record<string, (Quantity | null)[][]>;
  allocation: Quantity[];
  first_touch: Quantity[];
  reallocated: (Quantity | null)[][];
  classes: DistanceClass[];
  block_bytes: number | null;
  first_touch_huge: Quantity[];
  first_touch_alone: (Quantity | null)[];
}

/** Pairs of places, owner first, whose reads cost alike.
 *
 * `ratio` is their time over that of local reads, `time` that of a whole block, `time_per_line` that of one
 * cache line of it. `declared_distance` holds the distances that the system declares for these pairs: one
 * where it agrees, several or none where it does not. */
export interface DistanceClass {
  name: string;
  ratio: Quantity;
  pairs: [number, number][];
  time: Quantity | null;
  time_per_line: Quantity | null;
  declared_distance: number[];
}

/** One-way latency of a cache line handed from one core to another.
 *
 * `latency` is that of a plain store which the other core waits for with loads, `compare_exchange` that of
 * atomic exchanges on both sides, as most published matrices have it. Both are symmetric. */
export interface CoreToCore {
  cores: number[];
  latency: (Quantity | null)[][];
  layers: LatencyLayer[];
  compare_exchange: (Quantity | null)[][];
}

/** Pairs of alike latency; `relations` is what the system declares about them, the most frequent first. */
export interface LatencyLayer {
  latency: Quantity;
  pairs: [number, number][];
  relations: string[];
}

/** `allowed` are the logical ids this process may run on (affinity mask and cpuset).
 *
 * Not `this_system`: a machine that hwloc loaded from a file, for planning and inference only. */
export interface Topology {
  source: string;
  cores: TopologyCore[];
  caches: TopologyCache[];
  numa: TopologyNuma[];
  distances: number[][] | null;
  allowed: number[];
  page_bytes: number;
  huge_page_bytes: number | null;
  this_system: boolean;
}

/** One hardware thread. `logical` is the id used everywhere in groma, `physical` the kernel's.
 *
 * `core` is the number of the physical core: hardware threads with equal `core` are SMT siblings. */
export interface TopologyCore {
  logical: number;
  physical: number;
  core: number;
  package: number;
  numa: number;
}

/** One cache instance with the logical ids that share it. `kind` is data, instruction or unified.
 *
 * None for what the system does not declare, as for sizes in virtual machines on Arm. */
export interface TopologyCache {
  level: number;
  kind: string;
  size_bytes: number | null;
  line_bytes: number | null;
  ways: number | null;
  cores: number[];
}

/** One memory and the logical ids at home there; none for memory without CPUs.
 *
 * `memory_side_cache_bytes` is a cache in front of the memory that belongs to no core, such as KNL's MCDRAM. */
export interface TopologyNuma {
  logical: number;
  physical: number;
  memory_bytes: number | null;
  memory_side_cache_bytes: number | null;
  cores: number[];
}

/** `launches` tell where the ranks of each part ran. */
export interface NetworkFacts {
  layers: CommunicationLayer[];
  pairs: PairLatencies | null;
  distance: Distance | null;
  access: Access | null;
  receiver: Receiver | null;
  topology: NetworkTopology | null;
  launches: NetworkLaunch[];
}

/** Pairs of ranks whose messages cost alike.
 *
 * `relations` is what is known about the pairs ("between nodes", "same node", …), the most frequent first.
 * `bandwidth` is that of long messages. */
export interface CommunicationLayer {
  name: string;
  latency: Quantity | null;
  curve: CurvePoint[];
  loggp: LogGP | null;
  concurrency: ConcurrencyPoint[];
  pairs: [number, number][];
  relations: string[];
  bandwidth: Quantity | null;
  switches: ProtocolSwitch[];
}

/** One-way time of a message of `bytes`; `bandwidth` is bytes over time, None for the empty message. */
export interface CurvePoint {
  bytes: number;
  time: Quantity;
  bandwidth: Quantity | null;
}

/** Parameters of the LogGP model in s, G in s/B; None where the samples do not determine one.
 *
 * L is the latency, o the mean of the overheads `send` and `receive`, g the gap between short messages, G
 * the gap for each byte of a long one. */
export interface LogGP {
  L: Quantity | null;
  o: Quantity | null;
  g: Quantity | null;
  G: Quantity | null;
  send: Quantity | null;
  receive: Quantity | null;
  notes: string[];
}

/** `messages` at once, each between a pair of its own: their bandwidth together.
 *
 * `scaling` is that bandwidth over the one of a single message; `slowest` counts all messages as long as
 * the slowest of them. */
export interface ConcurrencyPoint {
  messages: number;
  bandwidth: Quantity;
  slowest: Quantity | null;
  scaling: Quantity | null;
}

/** A message size at which the time of messages jumps, as where a library changes to its rendezvous.
 *
 * `bytes` is the first size that was measured with the new protocol; its interval begins at the last size
 * with the old one. `jump` is the time at that size over what the old protocol would take. */
export interface ProtocolSwitch {
  bytes: Quantity;
  jump: Quantity;
}

/** One-way times of short messages between pairs of `ranks`; the matrix is symmetric.
 *
 * `hosts[i]` is where `ranks[i]` ran. The matrix is left out (empty) above 512 ranks: then the layers tell
 * which pairs were measured. */
export interface PairLatencies {
  ranks: number[];
  hosts: string[];
  bytes: number;
  design: PairDesign;
  latency: (Quantity | null)[][];
}

/** Which pairs were measured: `kind` is "all" or "sampled".
 *
 * Of a layer that holds at least `least_share` of all `total` pairs, not one pair was measured with the
 * probability `risk` at most: (1 - least_share)^measured, as pairs were drawn independently. */
export interface PairDesign {
  kind: string;
  measured: number;
  total: number;
  least_share: number;
  risk: number;
}

/** The Distance Benchmark. Entry d - 1 of each list belongs to distance d.
 *
 * `ratio` is the paper's ratDist: the mean bandwidth of all ranks at distance 1, `reference`, over that at
 * distance d. `exchange` tells where each rank sends to the one that it receives from (twice the distance
 * is the number of nodes). `per_rank[d - 1][r]` is the bandwidth of rank r, which ran on `hosts[r]`.
 * `monotone` is whether the ratio grows with the distance all along, None where intervals leave it open.
 * `loads` are those of `structure` ("torus 4x4"), which is "declared" or "inferred" (`loads_of`); of many
 * nodes not every distance has one. `link_bandwidth` (B/s) is what the link of a node was said to carry. */
export interface Distance {
  nodes: number;
  message: number;
  reference: Quantity;
  ratio: (Quantity | null)[];
  exchange: boolean[];
  bandwidth: (Quantity | null)[];
  slowest: Degradation | null;
  harmonic: Degradation | null;
  per_rank: (Quantity | null)[][];
  hosts: string[];
  monotone: boolean | null;
  slow: SlowPart[];
  loads: (DistanceLoad | null)[];
  loads_of: string | null;
  structure: string;
  link_bandwidth: number | null;
  notes: string[];
}

/** Bandwidth of a rank in B/s and the ratio of the reference to it, by one statistic over the ranks. */
export interface Degradation {
  bandwidth: (Quantity | null)[];
  ratio: (Quantity | null)[];
}

/** A part of the network that the times of single ranks point at.
 *
 * `kind` is "node", "link" or "uplink"; `ranks` and `hosts` are the node, the two ends of the link, or the
 * group behind the uplink. Ranks whose messages use it take `factor` times as long as others at the same
 * distance; `explained` is the share of the differences between ranks that this accounts for, if the network
 * has the `structure` named. */
export interface SlowPart {
  kind: string;
  ranks: number[];
  hosts: string[];
  factor: Quantity;
  explained: number;
  structure: string;
}

/** What a topology makes of one distance: links between nodes or switches that a message crosses on the
 * average, messages on the busiest link, and the ratio that max-min fair shares give where each rank waits
 * for both of its messages. `bandwidth` is the mean of the ranks' shares in B/s, where somebody told what a
 * link carries. */
export interface DistanceLoad {
  hops: number;
  busiest: number;
  ratio: number;
  bandwidth: number | null;
}

/** The Network Access Benchmark. Entry i - 1 of each list belongs to i processes on a node.
 *
 * `ratio` is the paper's ratNC: the mean bandwidth of `processes` ranks with one on each node, `reference`,
 * over that of as many ranks with i on each. What was not measured is None. */
export interface Access {
  cores_per_node: number;
  message: number;
  processes: number;
  reference: Quantity;
  ratio: (Quantity | null)[];
  bandwidth: (Quantity | null)[];
  slowest: Degradation | null;
  harmonic: Degradation | null;
  notes: string[];
}

/** How much one node, `host`, can take in.
 *
 * While it sends to nobody (`receiving` is 0), `sending` nodes can send to it with nearly their whole rate;
 * `bandwidth` is what it takes in at most. `limits` tells the same for each number of targets, `phases` all
 * that was measured: `messages` of `message` bytes from each sender. */
export interface Receiver {
  sending: number;
  receiving: number;
  bandwidth: Quantity;
  message: number;
  messages: number;
  host: string;
  limits: ReceiverLimit[];
  phases: ReceiverPhase[];
  notes: string[];
}

/** How many senders fill the node while it sends to `receiving` others, and what it takes in then.
 *
 * `sending` counts senders at the rate of a sole one, in fractions; where it is not `saturated` the sum grew
 * up to the largest number that was measured. */
export interface ReceiverLimit {
  receiving: number;
  sending: Quantity;
  saturated: boolean;
  bandwidth: Quantity;
}

/** `sending` nodes send to one node while that sends to `receiving` others, all at once.
 *
 * `bandwidth` is what the node takes in, `outgoing` what it gives out; None where there is no such message.
 * `slowed[i]` is how much longer rank `senders[i]` takes than a sole sender to an idle node. */
export interface ReceiverPhase {
  sending: number;
  receiving: number;
  bandwidth: Quantity | null;
  outgoing: Quantity | null;
  senders: number[];
  slowed: Quantity[];
}

/** The likely structure of the network: an inference from times, never a declaration.
 *
 * `kind` is "crossbar" (everybody equally near), "ring", "torus", "tree" (groups under a common top),
 * "groups" (linked in pairs) or "unknown"; `shape` holds the extents of a ring or torus, otherwise the sizes
 * of the groups. `groups` are the indexes of `hosts` that lie near each other. `in_rank_order` is whether
 * nodes of neighbouring ranks are neighbours, `uplink` what a link between groups carries over that of a
 * node. `evidence` is what it rests on, `alternatives` the next best explanations. */
export interface NetworkTopology {
  kind: string;
  shape: number[];
  confidence: number;
  hosts: string[];
  groups: number[][];
  in_rank_order: boolean;
  uplink: number | null;
  evidence: string[];
  alternatives: TopologyChoice[];
  method: string;
}

/** A structure and how well it explains what was measured (share of the belief, 0 to 1). */
export interface TopologyChoice {
  kind: string;
  shape: number[];
  weight: number;
}

/** A launch and what was measured in it.
 *
 * `labels` are those of the cases that were sampled in this launch, where a probe takes several launches
 * (the Network Access Benchmark takes one for each `per_node`). */
export interface NetworkLaunch {
  probes: string[];
  launch: Launch;
  labels: Record<string, unknown>;
}

/** How the ranks were started and where they were found.
 *
 * `nodes` counts kernels by boot id; `inter_node` is whether messages between some ranks left a machine. */
export interface Launch {
  launcher: string;
  command: string;
  ranks: number;
  nodes: number;
  threads: number;
  binding: string;
  inter_node: boolean;
  mpi: string;
  blas: string;
  placement: RankPlace[];
}

/** One rank: its host, the boot id of its kernel, the processors it may run on (the kernel's numbers). */
export interface RankPlace {
  rank: number;
  host: string;
  boot_id: string;
  cpus: number[];
}

/** Facts of a record of kind `hpcc`.
 *
 * `plan` holds the sizes that were run, `summary` the keys of hpccoutf.txt as they were written there.
 * `success` is None where not every test came to its checks. `origin` tells the file and the program of a
 * run that groma did not make; such a run has no tests, only a summary. */
export interface HpccFacts {
  tests: HpccTest[];
  success: boolean | null;
  launch: Launch | null;
  plan: Record<string, unknown>;
  summary: Record<string, string>;
  origin: string | null;
}

/** `done` is False for a test that was interrupted or failed; its figures are then those so far. */
export interface HpccTest {
  name: string;
  title: string;
  done: boolean;
  figures: Figure[];
  checks: CheckResult[];
}

/** One measured figure.
 *
 * `mode` is "single" (one rank while the others sleep), "star" (every rank at once, the mean over them) or
 * "mpi" (all together). `labels` tell figures of one series apart, such as the size of a message. */
export interface Figure {
  series: string;
  mode: string;
  value: Quantity;
  labels: Record<string, unknown>;
  spread: RankSpread | null;
}

/** Medians of single ranks. `lowest_rank` and `highest_rank` have the smallest and the largest of them. */
export interface RankSpread {
  ranks: number;
  lowest: Quantity;
  lowest_rank: number;
  highest: Quantity;
  highest_rank: number;
}

/** A validation: passed where `value` is at most `limit`; None stands for a value that is not finite. */
export interface CheckResult {
  name: string;
  value: number | null;
  limit: number;
  passed: boolean;
}

/** Facts of a record of kind `randomaccess`.
 *
 * `gups` is in GUP/s (1e9 updates a second), over the repetitions; None where none was finished.
 * `seconds` is the time of a repetition from barrier to barrier. `errors` counts wrong words of the table,
 * over all repetitions and the warm-up. `look_ahead_max` is the highest number of updates that a core (a
 * node in mapping modes 6 and 8) held at once, `look_ahead` what was allowed. `updates` are all that were
 * timed. `grid` is empty for an algorithm without one. `success` is None where the run did not come to its
 * checks. */
export interface RandomAccessFacts {
  ranks: number;
  table_words: number;
  algorithm: string;
  mapping_mode: number;
  grid: number[];
  generator: string;
  owner: string;
  look_ahead: number;
  gups: Quantity | null;
  seconds: Quantity | null;
  updates: number | null;
  errors: number | null;
  look_ahead_max: number | null;
  exchange: Exchange | null;
  loads: Load[];
  checks: CheckResult[];
  success: boolean | null;
  launch: Launch | null;
  plan: Record<string, unknown>;
}

/** What leaves ranks for one update, over the whole run.
 *
 * `messages` and `bytes` go through MPI, `handed` are updates passed on through shared memory. An update may
 * be sent several times (once for each dimension of a grid), or not at all. */
export interface Exchange {
  messages: number;
  bytes: number;
  handed: number;
}

/** How the ranks of one role spend a repetition: seconds of work and of waiting, mean over the ranks. */
export interface Load {
  role: string;
  ranks: number;
  worked: Quantity;
  waited: Quantity;
}

/** Facts of a record of kind `randomaccess_owner`. */
export interface OwnerFacts {
  lookups: OwnerLookup[];
}

/** The cost (s) of finding the owner of a word in `parts` parts of a table.
 *
 * `predicted` is None where parts are too many for one correction (theorem 4.1); `searched` is then the cost
 * without a division. `ratio` is division over the faster one, from the rounds in which both were timed. */
export interface OwnerLookup {
  parts: number;
  table_words: number;
  divided: Quantity;
  predicted: Quantity | null;
  searched: Quantity | null;
  ratio: Quantity | null;
}

/** Facts of a record of kind `randomaccess_errors`. `success` is False where an exact strategy was not. */
export interface ErrorFacts {
  table_words: number;
  updates: number;
  threads: number;
  strategies: Strategy[];
  success: boolean;
}

/** One way in which threads update a shared table.
 *
 * `exact` says that no word may be wrong. `gups` is in GUP/s (1e9 updates a second), over the runs.
 * `to_unsynchronised` and `to_serial` are ratios of rates within a round, None where that strategy did not
 * run. */
export interface Strategy {
  name: string;
  exact: boolean;
  threads: number;
  gups: Quantity;
  error_rate: ErrorRate;
  to_unsynchronised: Quantity | null;
  to_serial: Quantity | null;
}

/** Wrong words over the words of the table, over the runs of a strategy: a random variable.
 *
 * `standard_deviation` is that of the sample, None for a single run; `relative` is it over the mean, None
 * where no word was ever wrong. `rates` are those of all runs in their order. */
export interface ErrorRate {
  runs: number;
  mean: number;
  standard_deviation: number | null;
  relative: number | null;
  min: number;
  p25: number;
  p50: number;
  p75: number;
  max: number;
  wrong_runs: number;
  wrong_words: number;
  rates: number[];
}

/** `captured` is UTC in ISO 8601 with its offset. `redacted`: host and user names were removed. */
export interface Environment {
  captured: string;
  host: string | null;
  kernel: string | null;
  architecture: string | null;
  distribution: string | null;
  boot_parameters: string | null;
  cpu: Cpu;
  frequency: Frequency;
  caches: DeclaredCache[];
  numa: DeclaredNuma[];
  memory: MemoryState;
  virtualisation: Virtualisation;
  limits: Limits;
  noise: Noise;
  software: Software;
  scheduler: Scheduler | null;
  variables: Record<string, string>;
  command: string[];
  redacted: boolean;
}

/** `threads` are hardware threads that are online; `smt` is the kernel's word (on, off, notsupported…). */
export interface Cpu {
  vendor: string | null;
  model: string | null;
  family: string | null;
  model_number: string | null;
  stepping: string | null;
  microcode: string | null;
  packages: number | null;
  cores: number | null;
  threads: number | null;
  smt: string | null;
}

/** Of the first processor, in Hz. `turbo` is None where no driver tells it. */
export interface Frequency {
  governor: string | null;
  driver: string | null;
  turbo: boolean | null;
  lowest: number | null;
  highest: number | null;
}

/** One kind of cache as the system declares it; `instances` counts those of the same shape. */
export interface DeclaredCache {
  level: number;
  kind: string;
  size_bytes: number | null;
  line_bytes: number | null;
  ways: number | null;
  instances: number;
  shared_by: number;
}

/** `node` and the processors are the kernel's numbers; `distances` are its SLIT row. */
export interface DeclaredNuma {
  node: number;
  processors: string | null;
  memory_bytes: number | null;
  distances: number[];
}

/** Bytes. `huge_pages` is the mode of transparent huge pages, `reserved_huge_pages` maps size to count. */
export interface MemoryState {
  total_bytes: number | null;
  available_bytes: number | null;
  page_bytes: number | null;
  huge_page_bytes: number | null;
  huge_pages: string | null;
  huge_pages_defrag: string | null;
  reserved_huge_pages: Record<string, number>;
}

/** `hypervisor` and `container` by name, "unknown" where there is one that does not say which. */
export interface Virtualisation {
  hypervisor: string | null;
  container: string | null;
}

/** What this process may use. Processor lists are the kernel's numbers (0-3,8).
 *
 * `cpu_quota` is in processors, `memory_bytes` the tightest limit of all enclosing control groups. */
export interface Limits {
  affinity: string | null;
  online: string | null;
  isolated: string | null;
  nohz_full: string | null;
  cgroup_version: number | null;
  cpu_quota: number | null;
  memory_bytes: number | null;
}

/** `load` over 1, 5 and 15 minutes; `steal` is the share of CPU time the hypervisor took since boot. */
export interface Noise {
  load: [number, number, number] | null;
  steal: number | null;
  numa_balancing: boolean | null;
  aslr: number | null;
  mitigations: Record<string, string>;
}

/** Versions. `mpi`, `blas` and `fft` are those found on this machine, with vendor and version. */
export interface Software {
  python: string | null;
  c_library: string | null;
  mpi: string[];
  blas: string[];
  fft: string[];
}

export interface Scheduler {
  name: string;
  job: string | null;
  nodes: string | null;
  queue: string | null;
}
