// Numbers as people read them.

/// With commas between thousands.
const whole = (value) => value.toLocaleString('en-US');

/// Rounded to so many digits that count.
const digits = (value, most = 3) => {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 10 ** (most - 1) ? whole(Math.round(value)) : String(Number(value.toPrecision(most)));
};

/// With a prefix of thousands: 1.2 M.
function compact(value) {
  const size = Math.abs(value);
  for (const [limit, prefix] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
    if (size >= limit) return `${digits(value / (limit === 1e4 ? 1e3 : limit))} ${prefix}`;
  return digits(value, 4);
}

function microseconds(time) {
  if (Math.abs(time) >= 1e6) return `${digits(time / 1e6)} s`;
  if (Math.abs(time) >= 1e3) return `${digits(time / 1e3)} ms`;
  if (Math.abs(time) >= 1 || time === 0) return `${digits(time)} µs`;
  return `${digits(time * 1e3, 2)} ns`;
}

function byteCount(size) {
  for (const [limit, unit] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
    if (Math.abs(size) >= limit) return `${digits(size / limit)} ${unit}`;
  return `${digits(size, 4)} B`;
}

function percent(share) {
  const value = share * 100;
  if (value === 0) return '0 %';
  if (value < 0.1) return '< 0.1 %';
  return value < 10 ? `${value.toFixed(1)} %` : `${Math.round(value)} %`;
}

/// TFLOP/s with a prefix that leaves few zeros.
function operationRate(teraflops) {
  for (const [limit, prefix] of [[1, 'T'], [1e-3, 'G'], [0, 'M']])
    if (teraflops >= limit) return `${digits(teraflops / (limit || 1e-6))} ${prefix}FLOP/s`;
}

const waveCount = (count) => (count < 0.01 ? 'less than 0.01' : digits(count));

const shapeText = (shape) => shape.join(' × ') || 'scalar';
/// A text of the report: it writes microseconds in ASCII.
const prose = (text) => capital(text.replaceAll(/(\d) us\b/g, '$1 µs'));

const baseName = (path) => path.split('/').pop();
const plural = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/// Round values of a logarithmic axis from `low` to `high`.
function powersOfTen(low, high) {
  const list = [];
  for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high * 1.0001; ++power) list.push(10 ** power);
  return list;
}
