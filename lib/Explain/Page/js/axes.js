// Axes of plots: scales, round values, and lines of a grid.

/// Round values from `low` to `high`, about `count` of them.
function roundValues(low, high, count) {
  const rough = (high - low || Math.abs(high) || 1) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

/// Round values of a logarithmic axis: powers of ten, with 2 and 5 between few of them.
function roundLogValues(low, high, count) {
  const pick = (factors) => {
    const list = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const factor of factors) list.push(Number((factor * 10 ** power).toPrecision(12)));
    return list.filter((value) => value >= low * 0.9999 && value <= high * 1.0001);
  };
  let inside = pick(Math.log10(high / low) < count / 3 ? [1, 2, 5] : [1]);
  if (inside.length < 2) inside = pick([1, 2, 5]);
  if (inside.length < 2) return roundValues(low, high, count);
  const every = Math.ceil(inside.length / Math.max(1, count));
  return inside.filter((_, i) => i % every === 0);
}

/// A scale of values on pixels: {at, ticks, isLog}. It begins at zero unless it is logarithmic or `isTight`.
function makeScale(values, from, to, {isLog = false, isTight = false, count = 5, ticks} = {}) {
  let low = Math.min(...values), high = Math.max(...values);
  if (isLog) {
    const space = (high / low) ** 0.04 * 1.04;
    [low, high] = [low / space, high * space];
  } else if (isTight) {
    const space = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - space, high + space];
  } else
    [low, high] = [Math.min(0, low), high * 1.06 || 1];
  const part =
    isLog ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  const round = ticks ?? (isLog ? roundLogValues : roundValues)(low, high, count);
  return {at: (value) => from + part(value) * (to - from), ticks: round, isLog};
}

/// Whether values are far enough apart for a logarithmic axis.
const wantsLog = (values, ratio = 20) => Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > ratio;

/// Ticks that leave room for their texts: {value, text}.
function spreadTicks(scale, text, room) {
  let last = -Infinity;
  let before = '';
  return scale.ticks.map((value) => ({value, text: text(value), x: scale.at(value)})).filter(({x, text: label}) => {
    if (label === before || Math.abs(x - last) < label.length * 6.4 + room) return false;
    last = x;
    before = label;
    return true;
  });
}

/// Lines and texts of the vertical axis.
const verticalGrid = (scale, text, {left, right}) => scale.ticks.map(
  (value) =>
    [s('path', {class: 'grid-line', d: `M${left} ${scale.at(value)} H${right}`}),
     s('text', {class: 'tick', x: left - 6, y: scale.at(value) + 4, 'text-anchor': 'end'}, text(value)),
]);

/// Of the horizontal axis.
const horizontalGrid = (scale, text, {top, bottom}) =>
  spreadTicks(scale, text, 8)
    .map(
      ({x, text: label}) =>
        [s('path', {class: 'grid-line', d: `M${x} ${top} V${bottom}`}),
         s('text', {class: 'tick', x, y: bottom + 15, 'text-anchor': 'middle'}, label),
]);

/// A mark whose shape tells series apart where colours do not.
function marker(index, x, y, size = 4) {
  const shapes = [
    () => s('circle', {cx: x, cy: y, r: size}),
    () => s('rect', {x: x - size, y: y - size, width: 2 * size, height: 2 * size}),
    () => s('path', {d: `M${x} ${y - size - 1} L${x + size + 1} ${y} L${x} ${y + size + 1} L${x - size - 1} ${y} Z`}),
    () => s('path', {d: `M${x} ${y - size - 1} L${x + size + 1} ${y + size} H${x - size - 1} Z`}),
  ];
  const mark = shapes[index % shapes.length]();
  mark.classList.add('mark-of', `series-${index % SERIES_COLOURS}`);
  return mark;
}

const SERIES_COLOURS = 8;

/// A legend of series whose buttons switch them; `isOn(name)` and `toggle(name)`.
function legend(names, isOn, toggle) {
  return h(
    'ul', {class: 'keys'},
    names.map(
      (name, i) =>
        h('li', {},
          h('button', {
            type: 'button',
            class: 'series-key',
            'aria-pressed': String(isOn(name)),
            onclick: (event) => {
              toggle(name);
              event.currentTarget.setAttribute('aria-pressed', String(isOn(name)));
            }
          },
            s('svg', {width: 14, height: 12, 'aria-hidden': 'true'}, marker(i, 7, 6)), name))));
}
