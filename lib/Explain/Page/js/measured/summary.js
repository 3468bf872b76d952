// What comes out: the best configuration and how near to the limit it is, or how providers compare over all cases.

function gaugePanel({eyebrow, title, reason, limit, stats, notes = []}) {
  return h(
    'section', {class: `panel verdict ${limit ? '' : 'no-gauge'}`, id: 'verdict', 'aria-label': 'Result'},
    h('div', {class: 'verdict-text'}, h('p', {class: 'eyebrow'}, eyebrow), h('p', {class: 'bound'}, title),
      reason && h('p', {class: 'reason'}, reason),
      notes.filter(Boolean).map((note) => h('p', {class: 'notice'}, note))),
    limit && gauge(limit.share), h('dl', {class: 'stats'}, stats.filter(Boolean)));
}

/// Seconds of the searches, where files say them.
const searchSeconds = () =>
  report.files.map((file) => Number(file.settings.seconds)).filter(Number.isFinite).reduce((all, one) => all + one, 0);

function resultStats(rows, best) {
  const list = rows.filter((row) => isMeasured(row) && rankOf(row) !== null).map(rankOf).sort((a, b) => a - b);
  const failed = rows.filter((row) => row.state === 'failed').length,
        other = rows.filter((row) => !isMeasured(row)).length - failed;
  const rate =
    ['tflops', 'gbps', 'predictedTflops', 'predictedGbps'].map(metricOf).find((metric) => metric.of(best) !== null);
  const spread = spreadOf(best), seconds = searchSeconds();
  return [
    stat(
      RANKED.name, RANKED.text(rankOf(best)),
      spread ? `${microseconds(spread.p10)} to ${microseconds(spread.p90)} for eight of ten` :
               RANKED.long.toLowerCase()),
    rate &&
      stat(
        'Throughput', `${rate.text(rate.of(best))} ${rate.isMore ? rate.name.split(',')[0] : ''}`,
        rate.name.includes('predicted') ? 'predicted' : null),
    list.length > 1 && list[0] > 0 &&
      stat(
        'Over the median one', `${(quantile(list, 0.5) / list[0]).toFixed(2)}×`,
        `${(list.at(-1) / list[0]).toFixed(2)}× over the slowest`),
    stat(
      'Measured', `${list.length} of ${rows.length}`,
      [failed > 0 && `${failed} failed`, other > 0 && `${other} left out`].filter(Boolean).join(', ') || 'all of them'),
    valueOf(best, 'predicted') !== null && RANKED.id === 'time' &&
      stat(
        'Predicted', microseconds(best.values.predicted),
        `${percent(Math.abs(best.values.predicted / best.values.time - 1))} off`),
    valueOf(best, 'registers') !== null &&
      stat(
        'Registers', String(best.values.registers),
        best.values.spillBytes ? `${byteCount(best.values.spillBytes)} spilled` : 'nothing spilled'),
    seconds > 0 && stat('Search', `${digits(seconds)} s`)
  ];
}

function bestPanel(rows) {
  const best = bestOf(rows);
  if (!best)
    return panel(
      'Nothing was measured', {id: 'verdict', className: 'alarm'},
      h('p', {}, `${plural(rows.length, 'configuration')}, of which none could be measured.`));
  const limit = limitOf(best), text = nameOf(best) || caseText(caseOf(best));
  return gaugePanel({
    eyebrow: rows.length > 1 ? `Best of ${plural(rows.length, 'configuration')}` : 'Measured',
    title: text,
    reason: limit ? `${percent(limit.share)} of ${limit.text}` : devices.join(', ') || 'Device unknown',
    limit,
    stats: resultStats(rows, best)
  });
}

/// The best of the baseline and of another provider at each case that both have: [{one, mine, other, ratio}].
function pairsWith(provider) {
  return report.cases
    .map((one, index) => {
      const rows = rowsOfCase(index), mine = bestOf(rows.filter((row) => providerOf(row) === baseline));
      const other = bestOf(rows.filter((row) => providerOf(row) === provider));
      return mine && other && {one, mine, other, ratio: timesAsMuch(rankOf(other), rankOf(mine))};
    })
    .filter((pair) => pair?.ratio > 0);
}

const geometricMean = (values) => Math.exp(values.reduce((total, value) => total + Math.log(value), 0) / values.length);

function comparisons() {
  return providers.filter((provider) => provider !== baseline)
    .map((provider) => ({provider, pairs: pairsWith(provider)}))
    .filter(({pairs}) => pairs.length > 0)
    .sort((a, b) => b.pairs.length - a.pairs.length);
}

/// What a mean over cases says, in the words of what was measured.
function headlineOf(mean, provider) {
  const what = RANKED.name.toLowerCase(), isEqual = Math.abs(mean - 1) < 0.005;
  if (!RANKED.isTime && RANKED.id !== 'predicted')
    return isEqual ? `${baseline} and ${provider}: the same ${what}` :
                     `${provider}: ${digits(mean)}× the ${what} of ${baseline}`;
  const be = RANKED.id === 'predicted' ? 'is predicted to be' : 'is';
  if (isEqual) return `${baseline} ${be} as fast as ${provider}`;
  return `${baseline} ${be} ${(mean > 1 ? mean : 1 / mean).toFixed(2)}× ${mean > 1 ? 'faster' : 'slower'} than ${
    provider}`;
}

function comparisonPanel(compared) {
  const stats = compared.map(({provider, pairs}) => {
    const ratios = pairs.map((pair) => pair.ratio);
    return stat(
      `${provider} over ${baseline}`, geometricMean(ratios).toFixed(3),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${plural(pairs.length, 'case')}`);
  });
  // The peer that is the hardest to beat, of those with enough cases.
  const meanOf = ({pairs}) => geometricMean(pairs.map((pair) => pair.ratio));
  const most = Math.max(...compared.map(({pairs}) => pairs.length));
  const first = compared.filter(({pairs}) => pairs.length * 2 >= most)
                  .reduce((least, one) => (meanOf(one) < meanOf(least) ? one : least));
  const mean = meanOf(first);
  return gaugePanel({
    eyebrow: `${plural(report.cases.length, 'case')} of ${plural(kernels.length, 'kernel')}, ${devices.join(', ')}`,
    title: headlineOf(mean, first.provider),
    reason: `In the geometric mean of ${plural(first.pairs.length, 'case')}, each with its best configuration.`,
    stats
  });
}

function ratioPanel(compared) {
  const isMany = report.cases.length > 40;
  const names = isMany ? kernels : report.cases.map((one) => caseText(one));
  const rows =
    names
      .map((name, i) => ({
             name,
             points: compared.flatMap(
               ({provider, pairs}) =>
                 pairs.filter(({one}) => (isMany ? one.kernel === name : one === report.cases[i]))
                   .map((pair) => ({
                          x: pair.ratio,
                          index: providers.indexOf(provider),
                          tip: [
                            h('b', {}, `${pair.ratio.toFixed(3)} `), provider, h('br'), caseText(pair.one), h('br'),
                            `${RANKED.text(rankOf(pair.mine))} and ${RANKED.text(rankOf(pair.other))}`
                          ]
                        })))
           }))
      .filter((row) => row.points.length > 0);
  const values = rows.flatMap((row) => row.points.map((point) => point.x));
  const hidden = new Set(), place = h('div', {});
  let box;
  const draw = () => {
    const shown =
      rows.map((row) => ({...row, points: row.points.filter((point) => !hidden.has(providers[point.index]))}));
    box = plot(
      (width) => drawDots(width, {
        rows: shown,
        axis:
          {name: `${RANKED.name.toLowerCase()} of the peer over that of ${baseline}`, text: (value) => digits(value)},
        line: 1,
        isLog: wantsLog(values, 3)
      }),
      `${RANKED.name} of peers over that of ${baseline}`);
    place.replaceChildren(box);
  };
  draw();
  const csv = () => [
    ['kernel', 'case', 'peer', `peer over ${baseline}`],
    ...compared.flatMap(({provider, pairs}) => pairs.map(({one, ratio}) => [one.kernel, one.size, provider, ratio]))];
  return panel(
    'Beside peers',
    {id: 'peers', hint: `right of 1 ${baseline} takes less`, tools: plotTools('peers', () => box.svg(), csv)}, place,
    compared.length > 1 && h('ul', {class: 'keys'}, compared.map(({provider}) => {
      const index = providers.indexOf(provider);
      return h(
        'li', {},
        h('button', {
          type: 'button',
          class: 'series-key',
          'aria-pressed': 'true',
          onclick: (event) => {
            if (!hidden.delete(provider)) hidden.add(provider);
            event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(provider)));
            draw();
          }
        },
          s('svg', {width: 14, height: 12, 'aria-hidden': 'true'}, marker(index, 7, 6)), provider));
    })));
}

/// The best of each case.
function casesPanel() {
  const entries = report.cases.map((one, index) => ({one, rows: rowsOfCase(index), best: bestOf(rowsOfCase(index))}));
  const times = providers.length > 1 && providers.length <= 8;
  const of = (provider) => (entry) => {
    const best = bestOf(entry.rows.filter((row) => providerOf(row) === provider));
    return best && rankOf(best);
  };
  const rate = ['tflops', 'gbps', 'predictedTflops', 'predictedGbps'].find(isPresent);
  const columns = [
    {name: 'Case', of: ({one}) => caseText(one)},
    ...(
      times ? providers.map((provider) => ({
                              name: provider,
                              number: true,
                              of: of(provider),
                              cell: (entry) => (of(provider)(entry) === null ? null : RANKED.text(of(provider)(entry)))
                            })) :
              [{
                name: RANKED.name,
                number: true,
                of: ({best}) => best && rankOf(best),
                cell: ({best}) => best && RANKED.text(rankOf(best))
              }]),
    rate && {
      name: metricOf(rate).name,
      number: true,
      of: ({best}) => best && metricOf(rate).of(best),
      cell: ({best}) => best && metricOf(rate).of(best) !== null && metricOf(rate).text(metricOf(rate).of(best))
    },
    {name: 'Best', of: ({best}) => best && nameOf(best)}
  ].filter(Boolean);
  const csv = () => [
    ['kernel', 'case', RANKED.name, 'best'],
    ...entries.map(({one, best}) => [one.kernel, one.size, best && rankOf(best), best && nameOf(best)])];
  return panel(
    'Best configurations', {id: 'cases', hint: plural(entries.length, 'case'), tools: plotTools('cases', null, csv)},
    sortableTable(columns, entries, {caption: 'The best configuration of each case', most: 60}));
}

/// All configurations of one case as dots, the best first.
function rankPlot(rows) {
  const list =
    rows.filter((row) => isMeasured(row) && rankOf(row) !== null).sort((a, b) => rankOf(a) - rankOf(b)).slice(0, 30);
  if (list.length < 2) return null;
  const dots = list.map((row) => ({
                          name: nameOf(row),
                          points: [{
                            x: rankOf(row),
                            index: Math.max(0, providers.indexOf(providerOf(row))),
                            tip: [h('b', {}, RANKED.text(rankOf(row))), h('br'), nameOf(row)]
                          }]
                        }));
  const isLog = wantsLog(list.map(rankOf), 8);
  const box = plot(
    (width) => drawDots(width, {rows: dots, axis: {name: RANKED.name, text: RANKED.text}, isLog}),
    `${RANKED.name} of the best configurations`);
  return panel(
    list.length === 30 ? 'The best 30' : 'All of them', {
      id: 'rank-plot',
      hint: RANKED.long.toLowerCase(),
      tools: [
        h('a', {href: '#configurations'}, 'Numbers'),
        plotTools(
          'best', box.svg, () => [['configuration', RANKED.name], ...list.map((row) => [nameOf(row), rankOf(row)])])
      ]
    },
    box);
}

function makeSummary() {
  const compared = comparisons();
  if (report.cases.length === 1) {
    const rows = rowsOfCase(0);
    const best = bestOf(rows);
    return [
      bestPanel(rows), rankPlot(rows), best?.samples.length > 0 && timingsOf(best, 'best-'),
      predictedPanel(rows, 'predicted-best'), leftOutSummary(rows)
    ];
  }
  const hasPeers = compared.length > 0;
  const hasSizes = kernels.length === 1 && usualAxis(report.cases, sweepAxes(report.cases)) !== 'case';
  return [
    hasPeers ? comparisonPanel(compared) : sweepVerdict(), hasSizes && new Sweep(sweepGroups()[0], {isBrief: true}).box,
    hasPeers && ratioPanel(compared), casesPanel(), predictedPanel(report.rows, 'predicted-all')
  ];
}

/// Over several cases without peers: where it does best.
function sweepVerdict() {
  const rate = ['tflops', 'gbps', 'predictedTflops', 'predictedGbps'].find(isPresent);
  const bests = report.cases.map((_, index) => bestOf(rowsOfCase(index))).filter(Boolean);
  if (bests.length === 0) return bestPanel(report.rows);
  const metric = metricOf(rate ?? RANKED.id);
  const top = bests.reduce((most, row) => (better(metric, row, most) ? row : most));
  return gaugePanel({
    eyebrow: `${plural(report.cases.length, 'case')} of ${kernels.slice(0, 3).join(', ')}`,
    title:
      `${metric.text(metric.of(top))}${rate ? ` ${metric.name.replace(',', '')}` : ''} at ${caseText(caseOf(top))}`,
    reason: nameOf(top),
    limit: limitOf(top),
    stats: [
      stat(
        'Measured', `${measuredRows.length} of ${report.rows.length}`,
        plural(report.rows.filter((row) => row.state === 'failed').length, 'failure')),
      stat(
        'Configurations', whole(distinct(report.rows.map(nameOf)).length),
        `${distinct(bests.map(nameOf)).length} of them the best of a case`),
      stat('Device', devices.join(', ') || 'unknown', gpu && `limits of ${gpu.name}`)
    ]
  });
}

/// How many were not measured, with the way to their reasons.
const leftOutSummary = (rows) => rows.some((row) => !isMeasured(row)) &&
  panel('Not measured', {id: 'not-measured', tools: h('a', {href: '#left-out'}, 'Reasons')},
        h('p', {},
          distinct(rows.filter((row) => !isMeasured(row)).map(kindOfReason))
            .map((kind) => `${kind} ${rows.filter((row) => !isMeasured(row) && kindOfReason(row) === kind).length}`)
            .join(', ')));
