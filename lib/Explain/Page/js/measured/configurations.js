// The configurations of one case: ranked, over each parameter, what was predicted of them, and those that were left
// out.

/// A bar with the part of the largest value.
const shareBar = (share) => h(
  'span', {class: 'track bar-cell', 'aria-hidden': 'true'}, h('span', {class: 'bar', style: `width: ${share * 100}%`}));

function rankedPanel(rows) {
  const best = bestOf(rows),
        list = rows.filter((row) => isMeasured(row) && rankOf(row) !== null).sort((a, b) => rankOf(a) - rankOf(b));
  if (!best) return panel('Ranked', {id: 'ranked'}, h('p', {class: 'muted'}, 'Nothing was measured.'));
  const places = new Map(list.map((row, i) => [row, i + 1])), most = rankOf(list.at(-1));
  const has = (of) => list.some((row) => of(row) !== null && of(row) !== undefined);
  const metricColumn = (metric) => metric !== RANKED && has(metric.of) && {
    name: metric.name,
    long: metric.long,
    number: true,
    of: metric.of,
    cell: (row) => (metric.of(row) === null ? null : metric.text(metric.of(row)))
  };
  const spread = (row) => spreadOf(row)?.spread ?? null;
  const shown = [
    'tflops', 'gbps', 'predicted', 'predictedTflops', 'predictedGbps', 'overMinimum', 'conflicts', 'registers',
    'spillBytes', 'sharedBytes', 'findings'
  ];
  const columns = [
    {name: '#', long: `Place by ${RANKED.name.toLowerCase()}`, number: true, of: (row) => places.get(row)},
    providers.length > 1 && {name: 'Provider', of: providerOf},
    list.some((row) => row.configuration && Object.keys(row.parameters).length === 0) &&
      {name: 'Configuration', of: configurationOf},
    ...variedParameters.filter((name) => distinct(list.map((row) => row.parameters[name])).length > 1)
      .map(
        (name) => ({
          name,
          of: (row) =>
            (/^-?\d+$/.test(row.parameters[name] ?? '') ? Number(row.parameters[name]) : row.parameters[name] ?? null),
          cell: (row) => row.parameters[name] ?? null,
          number: list.every((row) => /^-?\d*$/.test(row.parameters[name] ?? ''))
        })),
    {name: RANKED.name, long: RANKED.long, number: true, of: rankOf, cell: (row) => RANKED.text(rankOf(row))}, {
      name: 'of best',
      long: 'This over the best one',
      number: true,
      of: (row) => timesAsMuch(rankOf(row), rankOf(best)),
      cell: (row) => timesAsMuch(rankOf(row), rankOf(best))?.toFixed(2)
    },
    {name: '', of: rankOf, cell: (row) => shareBar(timesAsMuch(rankOf(row), most) ?? 0)}, has(spread) && {
      name: 'p10–p90',
      long: 'From the 10th to the 90th percentile of the timings, of the median',
      number: true,
      of: spread,
      cell: (row) => (spread(row) === null ? null : percent(spread(row)))
    },
    ...shown.map((id) => metricColumn(metricOf(id))),
    has((row) => row.reason || null) && {name: 'Note', of: (row) => row.reason || null}
  ].filter(Boolean);
  const rowsOut = () => [
    [
      'place', 'provider', 'configuration', ...Object.keys(best.parameters),
      ...presentMetrics.map((metric) => metric.name)
    ],
    ...list.map(
      (row) =>
        [places.get(row), providerOf(row), row.configuration,
         ...Object.keys(best.parameters).map((name) => row.parameters[name]),
         ...presentMetrics.map((metric) => metric.of(row))])];
  return panel(
    'Ranked', {id: 'ranked', hint: plural(list.length, 'configuration'), tools: plotTools('ranked', null, rowsOut)},
    sortableTable(columns, list, {caption: 'Configurations by what they take', by: 0, most: 50}));
}

/// For each parameter, what its values take, and the best of each.
function parameterPlots(rows) {
  const list = rows.filter((row) => isMeasured(row) && rankOf(row) !== null), best = bestOf(rows);
  const plots =
    variedParameters
      .map((name) => {
        const values =
          distinct(list.map((row) => row.parameters[name]).filter((value) => value !== undefined)).sort(byValue);
        if (values.length < 2 || values.length > 16) return null;
        const dots = values.map((value) => ({
                                  name: value,
                                  points: list.filter((row) => row.parameters[name] === value)
                                            .sort((a, b) => rankOf(b) - rankOf(a))
                                            .map((row) => ({
                                                   x: rankOf(row),
                                                   index: row === best ? 2 : 0,
                                                   tip: [h('b', {}, RANKED.text(rankOf(row))), h('br'), nameOf(row)]
                                                 }))
                                }));
        const isLog = wantsLog(list.map(rankOf), 8);
        const box = plot(
          (width) => drawDots(width, {rows: dots, axis: {name: RANKED.name, text: RANKED.text}, isLog}),
          `${RANKED.name} of configurations by ${name}`);
        const csv = () => [
          [name, RANKED.name, 'configuration'], ...list.map((row) => [row.parameters[name], rankOf(row), nameOf(row)])];
        return panel(name, {id: `by-${name}`, tools: plotTools(`by-${name}`, box.svg, csv)}, box);
      })
      .filter(Boolean);
  return plots.length > 0 && h('div', {class: 'multiples'}, plots);
}

/// Predictions beside what was measured: times, or on the simulator costs.
function predictedPanel(rows, id = 'predicted') {
  const title = 'Predicted against measured';
  if (RANKED.id === 'predicted') return null;
  const list = rows.filter((row) => isMeasured(row) && valueOf(row, 'predicted') > 0 && rankOf(row) > 0);
  if (list.length < 2) return null;
  const isSame = RANKED.id === 'time', isOneCase = distinct(list.map((row) => row.case)).length === 1,
        best = bestOf(list);
  const errors = list.map((row) => Math.abs(row.values.predicted / rankOf(row) - 1)).sort((a, b) => a - b);
  const place = 1 + list.filter((row) => row.values.predicted < best.values.predicted).length;
  const points =
    list.map((row) => ({
               x: rankOf(row),
               y: row.values.predicted,
               index: isOneCase && row === best ? 2 : 0,
               tip: [
                 h('b', {}, isOneCase ? nameOf(row) : `${caseText(caseOf(row))} ${configurationOf(row)}`), h('br'),
                 `measured ${RANKED.text(rankOf(row))}, predicted ${microseconds(row.values.predicted)}`
               ]
             }));
  const box = plot(
    (width) => drawAgainst(width, {
      points,
      xName: isSame ? 'measured' : RANKED.name,
      yName: 'predicted',
      text: RANKED.text,
      yText: microseconds,
      isSame
    }),
    title);
  const csv = () => [
    ['kernel', 'case', 'configuration', isSame ? 'measured us' : RANKED.name, 'predicted us'],
    ...list.map((row) => [caseOf(row).kernel, caseOf(row).size, nameOf(row), rankOf(row), row.values.predicted])];
  const hint = isSame ? `error ${percent(quantile(errors, 0.5))} in the median, at most ${percent(errors.at(-1))}` : '';
  return panel(
    title, {id, hint, tools: plotTools('predicted', box.svg, csv)}, box,
    h('p', {class: 'muted small'},
      isOneCase && `The best one is the ${ordinal(place)} of ${list.length} by prediction. `,
      isSame && 'Dashed: as predicted.'));
}

const ordinal = (number) => `${number}${
  number % 10 === 1 && number % 100 !== 11   ? 'st' :
    number % 10 === 2 && number % 100 !== 12 ? 'nd' :
    number % 10 === 3 && number % 100 !== 13 ? 'rd' :
                                               'th'}`;

/// Why a configuration was not measured, in a word.
function kindOfReason({state, reason}) {
  const kinds = [
    [/shared memory/, 'shared memory'], [/registers? per thread|spill/, 'registers'], [/roofline/, 'roofline'],
    [/predicted to take/, 'prediction'], [/budget/, 'budget'], [/same code/, 'same code'], [/hangs/, 'hangs'],
    [/faults|out-of-bounds/, 'faults'], [/does not compile/, 'does not compile'], [/cluster/, 'clusters']
  ];
  return kinds.find(([pattern]) => pattern.test(reason))?.[1] ?? state;
}

function leftOutPanel(rows) {
  const list = rows.filter((row) => !isMeasured(row));
  if (list.length === 0) return null;
  const kinds = distinct(list.map(kindOfReason))
                  .map((kind) => ({kind, count: list.filter((row) => kindOfReason(row) === kind).length}));
  kinds.sort((a, b) => b.count - a.count);
  const columns = [
    {name: 'Configuration', of: nameOf}, {name: 'State', of: (row) => row.state}, {name: 'Why', of: kindOfReason},
    {name: 'Reason', of: (row) => row.reason || null, cell: (row) => prose(row.reason)}
  ];
  const csv = () => [
    ['configuration', 'state', 'why', 'reason'],
    ...list.map((row) => [nameOf(row), row.state, kindOfReason(row), row.reason])];
  return panel(
    'Not measured',
    {id: 'left-out', hint: plural(list.length, 'configuration'), tools: plotTools('left-out', null, csv)},
    h('ul', {class: 'terms'},
      kinds.map(
        ({kind, count}) =>
          h('li', {class: 'bar-row'}, h('span', {class: 'term-name'}, capital(kind)),
            h('span', {class: 'track', 'aria-hidden': 'true'},
              h('span', {class: 'bar', style: `width: ${count / kinds[0].count * 100}%`})),
            h('span', {class: 'term-time'}, whole(count))))),
    sortableTable(columns, list, {caption: 'Configurations that were not measured', most: 50}));
}

/// Chooses a case, and draws what `make(rows)` gives for it.
function casePicker(make) {
  const box = h('div', {class: 'stack'});
  const open = (index) => box.replaceChildren(...[make(rowsOfCase(index))].flat().filter(Boolean));
  open(0);
  if (report.cases.length === 1) return box;
  const choices = report.cases.map((one, i) => [String(i), caseText(one)]);
  return [h('div', {class: 'picker'}, select('Case', choices, '0', (value) => open(Number(value)))), box];
}

const makeConfigurations = () =>
  casePicker((rows) => [rankedPanel(rows), parameterPlots(rows), predictedPanel(rows), leftOutPanel(rows)]);
