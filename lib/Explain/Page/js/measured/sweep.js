// Measurements over sizes: a line for each provider, configuration or value of a parameter, the best of the others at
// each point.

/// Kernels, and their variants with several cases, that can be chosen: [{id, name, cases}].
function sweepGroups() {
  const groups = [];
  const all = report.cases.map((one, index) => ({...one, index}));
  for (const kernel of kernels) {
    const own = all.filter((one) => one.kernel === kernel), variants = distinct(own.map((one) => one.variant));
    groups.push({name: kernel, cases: own, count: own.length});
    if (variants.length > 1)
      for (const variant of variants) {
        const some = own.filter((one) => one.variant === variant);
        if (some.length > 1) groups.push({name: `${kernel}, ${variant}`, cases: some, count: some.length});
      }
  }
  return groups;
}

/// What cases can be ordered by: [{id, name, of, text}]; the last one is the cases themselves.
function sweepAxes(list) {
  const text = (value) => (Number.isInteger(value) && value < 1e5 ? String(value) : compact(value));
  const axes = [];
  const add = (id, name, of, of2 = text) => {
    const values = list.map(of);
    if (values.every((value) => typeof value === 'number') && distinct(values).length > 1)
      axes.push({id, name, of, text: of2});
  };
  for (const name of distinct(list.flatMap((one) => Object.keys(one.sizes))))
    add(`size-${name}`, name, (one) => one.sizes[name]);
  add('flops', 'operations', (one) => one.flops, compact);
  add('bytes', 'bytes moved', (one) => one.bytes, byteCount);
  return [...axes, {id: 'case', name: 'case', of: null}];
}

/// The axis that says it all: one size that changes alone, or all of them together.
function usualAxis(list, axes) {
  const sizes = axes.filter((axis) => axis.id.startsWith('size-'));
  const isOne = distinct(list.map((one) => one.variant)).length === 1 &&
    (sizes.length === 1 || sizes.every((axis) => list.every((one) => axis.of(one) === sizes[0].of(one))));
  return isOne && sizes.length > 0 ? sizes[0].id : 'case';
}

/// What lines stand for: [[id, text, of]].
function lineChoices(rows) {
  const choices = [];
  const add = (id, text, of) => {
    const count = distinct(rows.map(of)).length;
    if (count > 1 && count <= 24) choices.push([id, text, of]);
  };
  add('provider', 'Provider', providerOf);
  add('configuration', 'Configuration', nameOf);
  for (const name of variedParameters) add(`parameter-${name}`, name, (row) => row.parameters[name] ?? 'none');
  return choices.length > 0 ? choices : [['provider', 'Provider', providerOf]];
}

const better = (metric, a, b) => (metric.isMore ? metric.of(a) > metric.of(b) : metric.of(a) < metric.of(b));

/// The best row of each case for each line: [{name, index, points}].
function sweepSeries({cases: list, metric, of}) {
  const rows = list.flatMap((one) => rowsOfCase(one.index)).filter((row) => isMeasured(row) && metric.of(row) !== null);
  const names = inOrder(distinct(rows.map(of)));
  return names.map((name, index) => ({
                     name,
                     index,
                     points: list
                               .map((one) => {
                                 const own = rows.filter((row) => row.case === one.index && of(row) === name);
                                 const best = own.reduce(
                                   (most, row) => (most === null || better(metric, row, most) ? row : most), null);
                                 return best && {one, row: best, y: metric.of(best)};
                               })
                               .filter(Boolean)
                   }));
}

class Sweep {
  /// `isBrief`: the plot alone, as it is at first.
  constructor(group, {isBrief = false} = {}) {
    this.isBrief = isBrief;
    this.box = h('div', {class: 'stack'});
    this.hidden = new Set();
    this.metric = presentMetrics[0] ?? METRICS[2];
    this.open(group);
  }

  open(group) {
    this.group = group;
    const rows = group.cases.flatMap((one) => rowsOfCase(one.index)).filter(isMeasured);
    this.metrics = presentMetrics.filter((metric) => rows.some((row) => metric.of(row) !== null));
    if (!this.metrics.includes(this.metric)) this.metric = this.metrics[0] ?? this.metric;
    this.axes = sweepAxes(group.cases);
    this.axis = this.axes.find((axis) => axis.id === usualAxis(group.cases, this.axes)) ?? this.axes.at(-1);
    this.choices = lineChoices(rows);
    const usual = group.cases.length > 1 && this.choices[0][0] !== 'provider' && this.choices[0];
    this.lines = usual || this.choices[0];
    this.hidden.clear();
    this.draw();
  }

  /// A choice among a few as buttons, among many as a list.
  choose(label, choices, current, act) {
    if (choices.length < 2) return null;
    if (choices.length <= 4) return segmented(label, choices, current, act);
    return select(label, choices, current, act);
  }

  draw() {
    const {group, axis, metric, lines} = this, [, , of] = lines;
    const series = sweepSeries({cases: group.cases, metric, of});
    if (series.length > 8 && this.hidden.size === 0) {
      // The best ones at the largest size are drawn at first.
      const last = (one) => one.points.at(-1).y * (metric.isMore ? -1 : 1);
      [...series].sort((a, b) => last(a) - last(b)).slice(8).forEach((one) => this.hidden.add(one.name));
    }
    const set = (field) => (value) => {
      this[field] = {axis: this.axes, metric: this.metrics}[field]?.find((one) => one.id === value) ??
        this.choices.find(([id]) => id === value);
      this.hidden.clear();
      redrawKeepingFocus(this.box, () => this.draw());
    };
    const tools = [
      this.choose('What is shown', this.metrics.map((one) => [one.id, one.name]), metric.id, set('metric')),
      this.choose('What lines stand for', this.choices.map(([id, text]) => [id, text]), lines[0], set('lines')),
      this.choose('What is below', this.axes.map((one) => [one.id, one.name]), axis.id, set('axis')),
      plotTools('sweep', () => this.picture.svg(), () => this.csv(series))
    ];
    const places = h('div', {});
    const redrawPlot = () => {
      const shown = series.filter((one) => !this.hidden.has(one.name));
      this.picture = this.plotOf(shown);
      places.replaceChildren(this.picture);
    };
    redrawPlot();
    const names = series.map((one) => one.name);
    const toggle = (name) => {
      if (!this.hidden.delete(name)) this.hidden.add(name);
      redrawPlot();
    };
    if (this.isBrief) {
      const brief = [h('a', {href: '#sizes'}, 'More'), tools.at(-1)];
      this.box.replaceChildren(panel(
        'Over sizes', {id: 'sweep-brief', hint: metric.long.toLowerCase(), tools: brief}, places,
        names.length > 1 && legend(names, (name) => !this.hidden.has(name), toggle)));
      return;
    }
    this.box.replaceChildren(
      panel(
        group.name, {id: 'sweep-plot', hint: metric.long.toLowerCase(), tools}, places,
        names.length > 1 && legend(names, (name) => !this.hidden.has(name), toggle),
        h('p', {class: 'muted small'}, this.noteOf(lines))),
      this.tableOf(series));
  }

  noteOf([id]) {
    const what = id === 'configuration' ? '' : 'At each size the best of the other configurations. ';
    return `${what}${
             measuredRows.some((row) => row.samples.length > 0) ?
               'A vertical line goes from the 10th to the 90th percentile. ' :
               ''}` +
      `${this.metric.isMore ? 'More' : 'Less'} is better.`;
  }

  plotOf(series) {
    const {axis, metric, group} = this, label = `${group.name}: ${metric.long.toLowerCase()} over ${axis.name}`;
    if (axis.of) {
      const placed = series.map(
        (one) =>
          ({...one, points: one.points.map((point) => ({...point, x: axis.of(point.one)})).sort((a, b) => a.x - b.x)}));
      return plot(
        (width) => drawLines(width, {series: placed, metric, axis, roofs: roofsOf(metric, group.cases)}), label);
    }
    const rows =
      group.cases
        .map((one) => ({
               name: sizeText(one),
               points: series.flatMap(
                 ({name, index, points}) =>
                   points.filter((point) => point.one === one)
                     .map((point) => ({
                            x: point.y,
                            index,
                            tip: [h('b', {}, name), ` ${metric.text(point.y)}`, h('br'), configurationOf(point.row)]
                          })))
             }))
        .filter((row) => row.points.length > 0);
    const values = rows.flatMap((row) => row.points.map((point) => point.x));
    return plot(
      (width) => drawDots(width, {rows, axis: {name: metric.name, text: metric.text}, isLog: wantsLog(values, 30)}),
      label);
  }

  csv(series) {
    return [
      ['kernel', 'case', 'line', 'configuration', this.metric.name],
      ...series.flatMap(
        ({name, points}) => points.map(({one, row, y}) => [one.kernel, one.size, name, configurationOf(row), y]))
    ];
  }

  tableOf(series) {
    const {metric, group, axis} = this;
    const yOf = (one, line) => line.points.find((point) => point.one === one)?.y ?? null;
    const drawn = series.slice(0, 12);
    const columns = [
      {name: 'case', of: sizeText},
      ...(axis.of ? [{name: axis.name, number: true, of: axis.of, cell: (one) => axis.text(axis.of(one))}] : []),
      ...drawn.map((line) => ({
                     name: line.name,
                     number: true,
                     of: (one) => yOf(one, line),
                     cell: (one) => (yOf(one, line) === null ? null : metric.text(yOf(one, line)))
                   }))
    ];
    return panel(
      'Numbers', {id: 'sweep-numbers', hint: metric.name},
      sortableTable(columns, group.cases, {caption: `${group.name}, ${metric.name}`, by: axis.of ? 1 : null}),
      series.length > drawn.length && h('p', {class: 'muted small'}, `The CSV has all ${series.length}.`));
  }
}

function makeSweep() {
  const groups = sweepGroups(), sweep = new Sweep(groups[0]);
  if (groups.length === 1) return sweep.box;
  const choices = groups.map((group, i) => [String(i), `${group.name} (${plural(group.count, 'case')})`]);
  return [
    h('div', {class: 'picker'}, select('Kernel', choices, '0', (value) => sweep.open(groups[Number(value)]))), sweep.box
  ];
}
