// Questions about the report. docs/explain.md describes what it has.

const lineIndexes = new Map(report.lines.map((line, index) => [`${line.file}:${line.line}`, index]));

/// The index in report.lines of a line of a file, or undefined.
const lineIndexOf = (file, number) => lineIndexes.get(`${file}:${number}`);

/// The id of a line's row in the source view.
const rowId = (file, number) => `L${file}-${number}`;

function sourceText(file, number) {
  const {firstLine, lines} = report.files[file];
  return lines[number - firstLine] ?? '';
}

const placeText = (file, number) => `${baseName(report.files[file].name)}:${number}`;

/// A link to a place in the source.
const placeLink = (file, number, text) =>
  h('a', {class: 'place', href: `#${rowId(file, number)}`}, text ?? placeText(file, number));

/// The same for an index in report.lines, which may be null.
function lineLink(index, text) {
  if (index === null || index === undefined) return h('span', {class: 'muted'}, 'the kernel');
  const {file, line} = report.lines[index];
  return placeLink(file, line, text);
}

/// "line 45" for a place in the kernel's own file.
function shortLink(index) {
  if (index === null || index === undefined) return h('span', {class: 'muted'}, '–');
  const {file, line} = report.lines[index];
  return placeLink(file, line, file === 0 ? `line ${line}` : placeText(file, line));
}

/// An exchange is no instruction.
const sumWithoutExchanges = ({exchange, ...counts}) => sum(counts);

const sum = (values) => Object.values(values ?? {}).reduce((total, value) => total + value, 0);
const part = (counters, names, field) => names.reduce((total, name) => total + (counters[name]?.[field] ?? 0), 0);
const GLOBAL = ['globalLoad', 'globalStore'], SHARED = ['sharedLoad', 'sharedStore'];

/// The reasons of a line's samples as a text.
const stallText = (line) => stallsOf(line).slice(0, 4).map(({name, share}) => `${name} ${percent(share)}`).join(', ');

/// Whether a GPU was sampled.
const hasSamples = () => (report.samples?.count ?? 0) > 0;
const sampleShare = (count) => count / (report.samples?.count || 1);

/// The reasons of a line's samples with their share of its own, the most frequent first: [{name, text, share}].
function stallsOf(line) {
  const {self, stalls} = line?.samples ?? {self: 0, stalls: {}};
  return (report.samples?.reasons ?? [])
    .filter(({name}) => stalls[name] > 0)
    .map(({name, text}) => ({name, text, share: stalls[name] / self}))
    .sort((a, b) => b.share - a.share);
}

/// What can be shown at a line: a value from its counters or other facts, as text, with what it means.
const METRICS = [
  {
    id: 'samples',
    name: 'GPU',
    long: 'Share of the samples of the GPU, with what the line calls',
    of: (line) => sampleShare(line.samples?.all ?? 0),
    text: percent,
    hint: stallText
  },
  {
    id: 'selfSamples',
    name: 'GPU self',
    long: 'Share of the samples of the GPU, without what the line calls',
    of: (line) => sampleShare(line.samples?.self ?? 0),
    text: percent,
    hint: stallText
  },
  {
    id: 'time',
    name: 'Time',
    long: 'Share of the predicted time, with what the line calls',
    of: (line) => line.share,
    text: percent
  },
  {
    id: 'self',
    name: 'Self',
    long: 'Share of the predicted time, without what the line calls',
    of: (line) => line.selfShare,
    text: percent
  },
  {
    id: 'instructions',
    name: 'Instr.',
    long: 'Instructions of warps',
    of: (line) => sum(line.counters.instructions),
    text: compact
  },
  {
    id: 'requests',
    name: 'Requests',
    long: 'Requests of warps to global memory',
    of: (line) => part(line.counters, GLOBAL, 'requests'),
    text: compact
  },
  {
    id: 'sectors',
    name: 'Sectors',
    long: 'Sectors of 32 bytes that requests to global memory take',
    of: (line) => part(line.counters, GLOBAL, 'cost'),
    text: compact
  },
  {
    id: 'excess',
    name: 'Excess',
    long: 'Sectors beyond those that the bytes of requests fill',
    of: (line) => Math.max(0, part(line.counters, GLOBAL, 'cost') - part(line.counters, GLOBAL, 'ideal')),
    text: compact
  },
  {
    id: 'bulk',
    name: 'TMA',
    long: 'Bytes of tensor copies and bulk copies',
    of: (line) => (line.counters.bulkLoadBytes ?? 0) + (line.counters.bulkStoreBytes ?? 0),
    text: byteCount
  },
  {
    id: 'copies',
    name: 'cp.async',
    long: 'Asynchronous copies of warps',
    of: (line) => line.counters.asyncCopies ?? 0,
    text: compact
  },
  {
    id: 'wavefronts',
    name: 'Wavefr.',
    long: 'Wavefronts of requests to shared memory',
    of: (line) => part(line.counters, SHARED, 'cost'),
    text: compact
  },
  {
    id: 'conflicts',
    name: 'Conflicts',
    long: 'Wavefronts beyond those that the bytes of requests to shared memory need',
    of: (line) => Math.max(0, part(line.counters, SHARED, 'cost') - part(line.counters, SHARED, 'ideal')),
    text: compact
  },
  {
    id: 'masked',
    name: 'Masked',
    long: 'Share of the lanes of accesses to global memory that are masked off',
    of: (line) => part(line.counters, GLOBAL, 'masked') / (part(line.counters, GLOBAL, 'lanes') || 1),
    text: percent
  },
  {
    id: 'atomics',
    name: 'Atomics',
    long: 'Atomics on global and shared memory',
    of: (line) => (line.counters.atomics ?? 0) + (line.counters.sharedAtomics ?? 0),
    text: compact
  },
  {
    id: 'shuffles',
    name: 'Shuffles',
    long: 'Shuffles, votes and reductions within a warp',
    of: (line) => (line.counters.shuffles ?? 0) + (line.counters.votes ?? 0) + (line.counters.reduxes ?? 0),
    text: compact
  },
  {
    id: 'barriers',
    name: 'Barriers',
    long: 'Barriers, counted for each warp',
    of: (line) => line.counters.barriers ?? 0,
    text: compact
  },
  {
    id: 'tensor',
    name: 'MMA',
    long: 'Instructions of the tensor cores',
    of: (line) => (line.counters.mmas ?? 0) + (line.counters.wgmmas ?? 0),
    text: compact
  },
  {
    id: 'code',
    name: 'Code',
    long: 'Instructions in the code of the GPU, each once, however often it runs',
    of: (line) => sumWithoutExchanges(line.code ?? {}),
    text: whole
  },
  {
    id: 'registers',
    name: 'Regs',
    long: 'Most registers of a thread in use while the line runs',
    of: (line) => line.registers ?? 0,
    text: (value) => String(value)
  },
  {
    id: 'shared',
    name: 'Shared',
    long: 'Shared memory of the buffers that the line has',
    of: (line) => line.sharedBytes,
    text: byteCount
  },
];

/// What a line takes itself: its part of the samples where there are any, else of the predicted time.
const heatOf = (line) => (hasSamples() ? sampleShare(line.samples?.self ?? 0) : line.selfShare);

/// Remarks that say the same of one place, as those of each specialisation of a function do, as one: {remark, count}.
function mergeRemarks(remarks) {
  const merged = new Map();
  for (const remark of remarks) {
    const {file, line, category, message, notes} = remark;
    const key = JSON.stringify([file, line, category, message, notes]);
    if (!merged.has(key)) merged.set(key, {remark, count: 0});
    ++merged.get(key).count;
  }
  return [...merged.values()];
}

const metricOf = (id) => METRICS.find((metric) => metric.id === id);

/// The time that the units take together, without what comes on top.
const unitsTime = (time) =>
  time.predicted - time.terms.filter((term) => term.isAdded).reduce((total, term) => total + term.time, 0);

/// Rates of the tensor cores by what the processor calls the type: 8 bits are integers before sm_89.
function tensorRates() {
  const hasFp8 = Number(report.kernel.target.match(/\d+/)?.[0] ?? 90) >= 89;
  return Object.entries(report.gpu.tensorTflops)
    .filter(([, rate]) => rate > 0)
    .map(([name, rate]) => [name === 'fp8' && !hasFp8 ? 'int8' : name, rate]);
}

const TERM_NAMES = {
  memory: 'Memory',
  cache: 'L2 cache',
  tensor: 'Tensor cores',
  issue: 'Instruction issue',
  shared: 'Shared memory / L1',
  atomics: 'Atomics',
  programs: 'Starting programs',
  latency: 'Latency',
  tail: 'Tail',
  launch: 'Launch',
};
const termName = (name) => TERM_NAMES[name] ?? capital(name);
