// How single timings are distributed, or times of configurations where there are no single ones.

/// The marks of a distribution of timings.
const marksOf = (spread) => [['p10', spread.p10], ['median', spread.median], ['p90', spread.p90]].map(
  ([name, value]) => ({name, value}));

/// Both pictures of the timings of a row. `id` is put in front of the ids of the panels.
function timingsOf(row, id = '') {
  const spread = spreadOf(row);
  const histogram = plot(
    (width) =>
      drawHistogram(width, {values: row.samples, marks: marksOf(spread), text: microseconds, name: 'time of a launch'}),
    `Distribution of ${row.samples.length} timings: median ${microseconds(spread.median)}`);
  const launches = plot(
    (width) => drawLaunches(width, {values: row.samples, median: spread.median}),
    'Timings in the order of the launches');
  const csv = () => [['launch', 'microseconds'], ...row.samples.map((value, i) => [i + 1, value])];
  return h(
    'div', {class: 'columns even'},
    panel(
      'Distribution', {
        id: `${id}distribution`,
        hint: `${nameOf(row)}, ${plural(spread.count, 'launch', 'launches')}`,
        tools: plotTools('distribution', histogram.svg, csv)
      },
      histogram, facts([
        ['Least', microseconds(spread.min)], ['p10', microseconds(spread.p10)], ['Median', microseconds(spread.median)],
        ['p90', microseconds(spread.p90)], ['p95', microseconds(spread.p95)], ['Most', microseconds(spread.max)]
      ])),
    panel(
      'Launch by launch', {
        id: `${id}launches`,
        hint: 'a trend is a GPU that warms up or slows down',
        tools: plotTools('launches', launches.svg, csv)
      },
      launches));
}

/// The timings of the best one, or of another; and the spread of all.
function timingsPanels(rows) {
  const list = rows.filter((row) => isMeasured(row) && row.samples.length > 0).sort((a, b) => rankOf(a) - rankOf(b));
  if (list.length === 0) return costsPanel(rows);
  const box = h('div', {class: 'stack'});
  const open = (row) => box.replaceChildren(timingsOf(row));
  open(list[0]);
  const of = (name) => (row) => spreadOf(row)[name];
  const column = (name, field) => ({name, number: true, of: of(field), cell: (row) => microseconds(of(field)(row))});
  const columns = [
    {
      name: 'Configuration',
      of: nameOf,
      cell: (row) =>
        h('button', {
          type: 'button',
          class: 'link',
          onclick: () => {
            open(row);
            announce(`timings of ${nameOf(row)}`);
          }
        },
          nameOf(row))
    },
    column('Least', 'min'), column('p10', 'p10'), column('Median', 'median'), column('p90', 'p90'),
    column('Most', 'max'),
    {name: 'p10–p90', long: 'Of the median', number: true, of: of('spread'), cell: (row) => percent(of('spread')(row))},
    {name: 'Launches', number: true, of: of('count')}
  ];
  const csv = () => [
    ['configuration', 'min', 'p10', 'median', 'p90', 'p95', 'max', 'launches'],
    ...list.map(
      (row) => [nameOf(row), ...['min', 'p10', 'median', 'p90', 'p95', 'max', 'count'].map((name) => of(name)(row))])];
  return [
    box,
    panel(
      'Spread', {id: 'spread', hint: 'a configuration opens its timings', tools: plotTools('spread', null, csv)},
      sortableTable(columns, list, {caption: 'Spread of the timings', by: 3}))
  ];
}

/// How what configurations take is distributed.
function costsPanel(rows) {
  const list = rows.filter((row) => isMeasured(row) && rankOf(row) !== null), values = list.map(rankOf);
  const note =
    h('p', {class: 'muted'},
      RANKED.id === 'time' ? 'The file has no single timings.' : 'Nothing was timed: there are no single timings.');
  if (values.length < 2) return panel('Distribution', {id: 'distribution'}, note);
  const sorted = [...values].sort((a, b) => a - b);
  const marks = [{name: 'best', value: sorted[0]}, {name: 'median', value: quantile(sorted, 0.5)}];
  const box = plot(
    (width) => drawHistogram(width, {values, marks, text: RANKED.text, name: RANKED.name}),
    `Distribution of ${values.length} configurations by ${RANKED.name.toLowerCase()}`);
  return panel(
    'Distribution of configurations', {
      id: 'distribution',
      hint: RANKED.long.toLowerCase(),
      tools: plotTools(
        'distribution', box.svg,
        () => [['configuration', RANKED.name], ...list.map((row) => [nameOf(row), rankOf(row)])])
    },
    box, note);
}

const makeTimings = () => casePicker(timingsPanels);
