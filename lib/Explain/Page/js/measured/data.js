// What was measured, and questions about it. docs/measurements.md describes what the data has.

const caseOf = (row) => report.cases[row.case];
const fileOf = (row) => report.files[row.file];
const valueOf = (row, name) => row.values[name] ?? null;
const isMeasured = (row) => row.state === 'measured';
const measuredRows = report.rows.filter(isMeasured);

/// The sum of what a launch does over a time of the row, in units of 10^`power` a second.
function rateOf(row, what, time, power) {
  const amount = caseOf(row)[what], microsecondsOf = valueOf(row, time);
  return amount > 0 && microsecondsOf > 0 ? amount / microsecondsOf * 10 ** (6 - power) : null;
}

/// What can be compared: `isMore` where more is better.
const METRICS = [
  {
    id: 'tflops',
    name: 'TFLOP/s',
    long: 'Operations a second',
    isMore: true,
    of: (row) => rateOf(row, 'flops', 'time', 12) ?? valueOf(row, 'tflops')
  },
  {
    id: 'gbps',
    name: 'GB/s',
    long: 'Bytes moved a second',
    isMore: true,
    of: (row) => rateOf(row, 'bytes', 'time', 9) ?? valueOf(row, 'gbps')
  },
  {id: 'time', name: 'Time', long: 'Median time of a launch', text: microseconds, isTime: true},
  {
    id: 'predictedTflops',
    name: 'TFLOP/s, predicted',
    long: 'Operations a second of the predicted time',
    isMore: true,
    of: (row) => rateOf(row, 'flops', 'predicted', 12)
  },
  {
    id: 'predictedGbps',
    name: 'GB/s, predicted',
    long: 'Bytes moved a second of the predicted time',
    isMore: true,
    of: (row) => rateOf(row, 'bytes', 'predicted', 9)
  },
  {id: 'predicted', name: 'Predicted', long: 'Time that the simulator predicts', text: microseconds},
  {id: 'cost', name: 'Cost', long: 'Weighted sum of the simulator\'s counters', text: compact},
  {id: 'overMinimum', name: '/minimum', long: 'Sectors over those that the bytes fill'},
  {id: 'sectors', name: 'Sectors', long: 'Sectors of 32 bytes that requests take', text: compact},
  {id: 'requests', name: 'Requests', long: 'Requests of warps to global memory', text: compact},
  {id: 'wavefronts', name: 'Wavefronts', long: 'Wavefronts of requests to shared memory', text: compact},
  {id: 'conflicts', name: 'Conflicts', long: 'Wavefronts beyond the least', text: compact},
  {id: 'registers', name: 'Registers', long: 'Registers of a thread', text: String},
  {id: 'spillBytes', name: 'Spilled', long: 'Bytes of registers spilled to local memory', text: byteCount},
  {id: 'sharedBytes', name: 'Shared', long: 'Bytes of shared memory of a program', text: byteCount},
  {id: 'findings', name: 'Findings', long: 'What the checks found', text: String},
].map((metric) => ({of: (row) => valueOf(row, metric.id), text: (value) => digits(value), ...metric}));

const metricOf = (id) => METRICS.find((metric) => metric.id === id);
const presentMetrics = METRICS.filter((metric) => measuredRows.some((row) => metric.of(row) !== null));
const isPresent = (id) => presentMetrics.includes(metricOf(id));

/// What decides which configuration is the best: less is better. Of rates, which some files have instead of times, it is
/// the time that a part of the work takes.
const RANKED = (() => {
  const usual = metricOf(['time', 'cost', 'predicted', 'sectors'].find(isPresent) ?? 'time');
  if (usual.id !== 'time') return usual;
  const timeOf = (id, name, long) => {
    const rate = metricOf(id).of;
    const of = (row) => (rate(row) === null ? null : 1e6 / rate(row));
    return {id: `${id}Time`, name, long, text: microseconds, isTime: true, of};
  };
  const choices = [
    usual, timeOf('gbps', 'Time of a GB', 'Time that a gigabyte takes'),
    timeOf('tflops', 'Time of a TFLOP', 'Time that 10¹² operations take')
  ];
  const count = (metric) => measuredRows.filter((row) => metric.of(row) !== null).length;
  return choices.reduce((most, one) => (count(one) > count(most) ? one : most));
})();
const rankOf = (row) => RANKED.of(row);

function bestOf(rows) {
  let best = null;
  for (const row of rows)
    if (isMeasured(row) && rankOf(row) !== null && (best === null || rankOf(row) < rankOf(best))) best = row;
  return best;
}

/// How many times as much one is as another; null where that says nothing.
const timesAsMuch = (a, b) => (b > 0 ? a / b : null);

const distinct = (values) => [...new Set(values)];
const fileName = (file) => baseName(file.name).replace(/\.(json|csv)$/, '');

/// Who measured it, with the file where several have the same name.
const filesOfProvider = new Map();
for (const {provider, file} of report.rows)
  filesOfProvider.set(provider, (filesOfProvider.get(provider) ?? new Set()).add(file));
const providerOf = (row) =>
  filesOfProvider.get(row.provider).size > 1 ? `${row.provider} (${fileName(fileOf(row))})` : row.provider;
/// The one that others are compared with, and all of them, this one first.
const baseline = (() => {
  const all = distinct(report.rows.map(providerOf));
  return all.find((label) => label === 'tilec' || label.startsWith('tilec (')) ?? all[0];
})();
const inOrder = (names) => [...names].sort((a, b) => (b === baseline) - (a === baseline) || byValue(a, b));
const providers = inOrder(distinct(report.rows.map(providerOf)));
const devices = distinct(report.files.map((file) => file.device.replace(/ \(cuda:\d+\)$/, '')).filter(Boolean));

/// Parameters that configurations of one case differ in; what follows from the case is none.
const variedParameters = (() => {
  const values = new Map();
  for (const row of report.rows)
    for (const [name, value] of Object.entries(row.parameters)) {
      const key = `${row.case} ${row.provider} ${row.file} ${name}`;
      values.set(key, {name, all: (values.get(key)?.all ?? new Set()).add(value)});
    }
  return distinct([...values.values()].filter(({all}) => all.size > 1).map(({name}) => name));
})();

const configurationOf = (row) => row.configuration ||
  variedParameters.filter((name) => row.parameters[name] !== undefined)
    .map((name) => `${name}=${row.parameters[name]}`)
    .join(', ');

/// Who and how.
const nameOf =
  (row) => [providers.length > 1 && providerOf(row), configurationOf(row)].filter(Boolean).join(' ') || providerOf(row);

const kernels = distinct(report.cases.map((one) => one.kernel));
const sizeText = (one) => one.size.replaceAll('_', ' ') || one.kernel;
const caseText = (one) => (one.size && kernels.length > 1 ? `${one.kernel} ${sizeText(one)}` : sizeText(one));
const casesRows = report.cases.map(() => []);
for (const row of report.rows) casesRows[row.case].push(row);
const rowsOfCase = (index) => casesRows[index];

/// Points of a sorted list below which a part of it is.
function quantile(sorted, part) {
  const at = (sorted.length - 1) * part, low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}

/// What the single timings say of a row; null without any.
function spreadOf(row) {
  if (row.samples.length === 0) return null;
  const sorted = [...row.samples].sort((a, b) => a - b);
  const [min, p10, median, p90, p95, max] = [0, 0.1, 0.5, 0.9, 0.95, 1].map((part) => quantile(sorted, part));
  return {min, p10, median, p90, p95, max, count: sorted.length, spread: (p90 - p10) / median};
}

const isTuning = report.files.every((file) => file.kind === 'tuning');
const gpu = report.files.map((file) => file.gpu).find(Boolean) ?? null;

/// The rate that the GPU's tensor cores have for the type that a case names, or null where it names none.
function peakOf(one) {
  if (!gpu) return null;
  const text = ` ${one.variant} `;
  const names = [['fp8', /e4m3|e5m2|fp8/], ['fp16', /bf16|fp16|f16/], ['tf32', /tf32/]];
  const found = names.find(([, pattern]) => pattern.test(text));
  return found ? {name: found[0], value: gpu.tensorTflops[found[0]]} : null;
}

/// How much of the GPU's limit a row reaches: {share, text}; null where it is not known.
function limitOf(row) {
  const peak = peakOf(caseOf(row)), rate = metricOf('tflops').of(row) ?? metricOf('predictedTflops').of(row);
  if (rate !== null && peak) return {share: rate / peak.value, text: `${digits(peak.value)} TFLOP/s of ${peak.name}`};
  const bytes = metricOf('gbps').of(row) ?? metricOf('predictedGbps').of(row);
  if (rate === null && bytes !== null && gpu)
    return {
      share: bytes / gpu.attainedBandwidthGBs,
      text: `${digits(gpu.attainedBandwidthGBs)} GB/s, which a copy reaches`
    };
  return null;
}

/// Limits of the GPU that belong to a metric: {name, value}.
function roofsOf(metric, list) {
  if (!gpu) return [];
  if (metric.id === 'gbps' || metric.id === 'predictedGbps') {
    const isMemory = list.every((one) => !(one.flops > 0));
    return isMemory ? [{name: `a copy on ${gpu.name.replace('NVIDIA ', '')}`, value: gpu.attainedBandwidthGBs}] : [];
  }
  if (metric.id === 'tflops' || metric.id === 'predictedTflops')
    return distinct(list.map((one) => JSON.stringify(peakOf(one)))).map((text) => JSON.parse(text)).filter(Boolean);
  return [];
}
