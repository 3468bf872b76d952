// Plots of measurements: lines over a size, dots beside names, bars of a distribution.

const plotFrame = (width, height, left = 52) => ({left, right: width - 14, top: 14, bottom: height - 36});

function axisName(text, {left, right}, height) {
  return s('text', {class: 'axis', x: (left + right) / 2, y: height - 4, 'text-anchor': 'middle'}, text);
}

function svgChart(width, height, ...children) {
  return s('svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart'}, children);
}

/// The spread of the single timings at a point, as a vertical line.
function spreadLine({row, metric, x}, y) {
  const spread = spreadOf(row);
  if (!spread || !['time', 'gbps', 'tflops'].includes(metric.id)) return null;
  const scaled = (time) => metric.id === 'time' ? time : metric.of(row) * valueOf(row, 'time') / time;
  return s('path', {class: 'spread', d: `M${x} ${y.at(scaled(spread.p10))} V${y.at(scaled(spread.p90))}`});
}

/// Lines over a size, points alone where cases have the same size. `series`: [{name, index, points: [{x, y, row}]}],
/// each sorted by x.
function drawLines(width, {series, metric, axis, roofs}) {
  const height = Math.round(Math.min(380, Math.max(240, width * 0.45))), frame = plotFrame(width, height);
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return svgChart(width, 0);
  const xs = distinct(points.map((point) => point.x)).sort((a, b) => a - b);
  const shownRoofs = roofs.filter((roof) => roof.value < 3 * Math.max(...points.map((point) => point.y)));
  const values = [...points.map((point) => point.y), ...shownRoofs.map((roof) => roof.value)];
  const x = makeScale(
    xs, frame.left + 8, frame.right - 8,
    {isLog: wantsLog(xs, 8), isTight: true, count: width / 90, ticks: xs.length <= 12 ? xs : undefined});
  const y = makeScale(values, frame.bottom, frame.top, {isLog: wantsLog(values, 30), count: 6});
  const line = ({name, index, points: own}) =>
    s('g', {class: `line-of series-${index % SERIES_COLOURS}`},
      distinct(own.map((point) => point.x)).length === own.length &&
        s('path',
          {class: 'line', d: own.map((point, i) => `${i ? 'L' : 'M'}${x.at(point.x)} ${y.at(point.y)}`).join(' ')}),
      own.map((point) => {
        const at = x.at(point.x), mark = marker(index, at, y.at(point.y));
        tip(
          mark,
          () =>
            [h('b', {}, name), ` ${axis.name} ${axis.text(point.x)}`, h('br'), metric.text(point.y), ' ', metric.name,
             h('br'), configurationOf(point.row)]);
        return [spreadLine({row: point.row, metric, x: at}, y), mark];
      }));
  const roof = ({name, value}) =>
    [s('path', {class: 'roof minor', d: `M${frame.left} ${y.at(value)} H${frame.right}`}),
     s('text', {class: 'roof-label', x: frame.right - 4, y: y.at(value) - 5, 'text-anchor': 'end'},
       `${name} ${metric.text(value)}`)];
  return svgChart(
    width, height, verticalGrid(y, metric.text, frame), horizontalGrid(x, axis.text, frame),
    axisName(axis.name, frame, height), shownRoofs.map(roof), series.map(line));
}

/// Dots beside names. `rows`: [{name, points: [{x, index, tip}]}]; `line`: a value that is marked. Values that are near
/// each other have an axis that does not begin at zero.
function drawDots(width, {rows, axis, line = null, isLog = false}) {
  const rowHeight = 22, height = rows.length * rowHeight + 44;
  const longest = Math.max(...rows.map((row) => row.name.length));
  const left = Math.round(Math.min(width * 0.42, 14 + longest * 6.8)), room = Math.floor((left - 12) / 6.6);
  const frame = {left, right: width - 14, top: 6, bottom: height - 36};
  const values = rows.flatMap((row) => row.points.map((point) => point.x));
  if (values.length === 0) return svgChart(width, 0);
  const x = makeScale(
    line === null ? values : [...values, line], frame.left + 8, frame.right - 6,
    {isLog, isTight: Math.min(...values) > 0.5 * Math.max(...values), count: (width - left) / 80});
  const short = (text) => (text.length > room ? `${text.slice(0, room - 1)}…` : text);
  const drawRow = (row, i) => {
    const y = frame.top + (i + 0.5) * rowHeight;
    return [
      s('path', {class: 'grid-line', d: `M${frame.left} ${y} H${frame.right}`}),
      s('text', {class: 'dot-name', x: left - 8, y: y + 4, 'text-anchor': 'end'}, short(row.name)),
      row.points.map((point) => {
        const mark = marker(point.index, x.at(point.x), y);
        tip(mark, () => point.tip);
        return mark;
      })
    ];
  };
  return svgChart(
    width, height, horizontalGrid(x, axis.text, frame), axisName(axis.name, frame, height),
    line !== null && s('path', {class: 'roof', d: `M${x.at(line)} ${frame.top} V${frame.bottom}`}), rows.map(drawRow));
}

/// Bars of a distribution with lines at `marks`: [{name, value}].
function drawHistogram(width, {values, marks, text, name}) {
  const height = Math.round(Math.min(260, Math.max(190, width * 0.4))),
        frame = {...plotFrame(width, height, 40), top: 30};
  const sorted = [...values].sort((a, b) => a - b), low = sorted[0], high = sorted.at(-1);
  const middle = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  const ideal = middle > 0 ? (high - low) / (2 * middle / Math.cbrt(sorted.length)) : 8;
  const count = high > low ? Math.round(Math.min(40, Math.max(6, ideal))) : 1, step = (high - low) / count || 1;
  const bins = Array.from({length: count}, () => 0);
  for (const value of sorted) ++bins[Math.min(count - 1, Math.floor((value - low) / step))];
  const x = makeScale([low, high > low ? high : low + 1], frame.left, frame.right, {isTight: true, count: width / 90});
  const y = makeScale([0, ...bins], frame.bottom, frame.top, {count: 4});
  const bar = (size, i) => {
    const from = x.at(low + i * step), to = x.at(low + (i + 1) * step);
    const made = s('rect', {
      class: 'histogram-bar',
      x: from + 0.5,
      y: y.at(size),
      width: Math.max(1, to - from - 1),
      height: frame.bottom - y.at(size)
    });
    tip(made, () => [h('b', {}, String(size)), ` from ${text(low + i * step)} to ${text(low + (i + 1) * step)}`]);
    return made;
  };
  // Labels that would meet take turns in height.
  let last = -Infinity, level = 0;
  const mark = ({name: label, value}) => {
    const at = x.at(value);
    level = at - last < label.length * 6 + 10 ? 1 - level : 0;
    last = at;
    return [
      s('path', {class: 'mark-line', d: `M${at} ${frame.top} V${frame.bottom}`}),
      s('text', {class: 'roof-label', x: at, y: level ? 12 : 24, 'text-anchor': 'middle'}, label)
    ];
  };
  return svgChart(
    width, height, verticalGrid({...y, ticks: y.ticks.filter(Number.isInteger)}, String, frame),
    horizontalGrid(x, text, frame), axisName(name, frame, height), bins.map(bar), marks.map(mark));
}

/// Single timings in the order of the launches.
function drawLaunches(width, {values, median}) {
  const height = 180, frame = plotFrame(width, height);
  const x = makeScale([1, values.length], frame.left + 6, frame.right - 4, {isTight: true, count: width / 90});
  const y = makeScale(values, frame.bottom, frame.top, {isTight: true, count: 5});
  return svgChart(
    width, height, verticalGrid(y, microseconds, frame),
    horizontalGrid({...x, ticks: x.ticks.filter((tick) => Number.isInteger(tick) && tick > 0)}, String, frame),
    axisName('launch', frame, height),
    s('path', {class: 'mark-line', d: `M${frame.left} ${y.at(median)} H${frame.right}`}), values.map((value, i) => {
      const dot = s('circle', {class: 'launch-dot', cx: x.at(i + 1), cy: y.at(value), r: 2.6});
      tip(dot, () => `launch ${i + 1}: ${microseconds(value)}`);
      return dot;
    }));
}

/// Two values of each point on logarithmic axes: [{x, y, index, tip}]; `isSame`: of one unit, with the line where they
/// are equal.
function drawAgainst(width, {points, xName, yName, text, yText, isSame}) {
  const height = Math.round(Math.min(380, Math.max(250, width * 0.7))), frame = plotFrame(width, height, 60);
  const values = points.flatMap((point) => [point.x, point.y]);
  const x = makeScale(
    isSame ? values : points.map((point) => point.x), frame.left, frame.right, {isLog: true, count: width / 100});
  const y =
    makeScale(isSame ? values : points.map((point) => point.y), frame.bottom, frame.top, {isLog: true, count: 6});
  const low = Math.min(...values), high = Math.max(...values);
  const diagonal =
    isSame && s('path', {class: 'roof minor', d: `M${x.at(low)} ${y.at(low)} L${x.at(high)} ${y.at(high)}`});
  return svgChart(
    width, height, verticalGrid(y, yText, frame), horizontalGrid(x, text, frame), axisName(xName, frame, height),
    s('text', {class: 'axis', x: frame.left, y: 10, 'text-anchor': 'start'}, yName), diagonal, points.map((point) => {
      const mark = marker(point.index, x.at(point.x), y.at(point.y), 3.5);
      tip(mark, () => point.tip);
      return mark;
    }));
}
