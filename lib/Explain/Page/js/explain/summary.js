// The verdict first: what bounds the kernel, how far it is from the limit, and what would help.

function findingsPanel() {
  if (report.findings.length === 0) return null;
  return panel(
    'The kernel does what it must not', {id: 'findings', className: 'alarm', hint: 'counts go up to there'},
    h('ul', {class: 'findings'},
      report.findings.map(
        (finding) =>
          h('li', {}, h('b', {}, finding.kind), ' ', finding.message,
            h('span', {class: 'muted'}, finding.count > 1 ? `, ${compact(finding.count)} times` : ''),
            finding.line !== null && [' at ', lineLink(finding.line)]))));
}

function verdictPanel() {
  const {verdict, time, roofline, resources, occupancy, waves, launch} = report;
  const stats = [
    stat('Predicted', microseconds(time.predicted), time.measured === null ? report.gpu.name : 'with a cold cache'),
    time.measured !== null &&
      stat(
        'Measured', microseconds(time.measured),
        time.measuredWarm === null ? null : `${microseconds(time.measuredWarm)} with a warm cache`),
    roofline.flops > 0 ?
      stat('Throughput', operationRate(roofline.attained), `${digits(roofline.bandwidth)} GB/s of memory`) :
      stat('Throughput', `${digits(roofline.bandwidth)} GB/s`, 'of memory'),
    stat(
      'Occupancy', percent(occupancy.warps / (occupancy.maxWarps || 1)),
      `${occupancy.warps} of ${occupancy.maxWarps} warps, by ${occupancy.limitedBy}`),
    stat(
      'Registers', resources.registers ?? 'unknown',
      resources.spillBytes ? `${byteCount(resources.spillBytes)} spilled` :
        resources.spillBytes === 0 ? 'nothing spilled' :
                                     'needs ptxas'),
    stat('Programs', compact(launch.programs), `${waveCount(waves.count)} waves of ${compact(waves.perWave)}`),
  ];
  const [, reason] = prose(verdict.text).split(/:\s(.*)/s);
  return h(
    'section', {class: 'panel verdict', id: 'verdict', 'aria-label': 'Verdict'},
    h('div', {class: 'verdict-text'}, h('p', {class: 'eyebrow'}, 'Bound by'),
      h('p', {class: 'bound'}, capital(verdict.bound)), h('p', {class: 'reason'}, reason ?? prose(verdict.text)),
      launch.sampled &&
        h('p', {class: 'notice'},
          `${whole(launch.sampled.programs)} of ${whole(launch.sampled.of)} programs were simulated, spread over the `,
          'grid; counts are multiplied to the whole launch.'),
      report.samples?.absent && h('p', {class: 'notice'}, `No samples of a GPU: ${report.samples.absent}.`)),
    gauge(verdict.ofLimit), h('dl', {class: 'stats'}, stats));
}

function suggestionCard(suggestion, number) {
  const line = suggestion.line === null ? null : report.lines[suggestion.line];
  return h(
    'li', {class: 'card'},
    h('div', {class: 'card-head'}, h('span', {class: 'rank', 'aria-hidden': 'true'}, String(number)),
      h('span', {class: 'gain', title: 'predicted time over that without'}, `${digits(suggestion.factor)}× faster`),
      h('span', {class: 'muted'}, `saves ${microseconds(suggestion.gain)}`),
      h('span', {class: 'tag'}, suggestion.rule)),
    h('p', {}, prose(suggestion.text)),
    line &&
      h('div', {class: 'snippet'}, lineLink(suggestion.line),
        h('code', {}, highlight(sourceText(line.file, line.line).trim(), 'tile'))),
    h('p', {class: 'how'}, h('b', {}, 'Estimated as '), suggestion.how));
}

function suggestionsPanel() {
  const {suggestions} = report.verdict;
  return panel(
    'What would help most', {id: 'suggestions'},
    suggestions.length > 0 ?
      h('ol', {class: 'cards'}, suggestions.map((suggestion, i) => suggestionCard(suggestion, i + 1))) :
      h('p', {class: 'muted'}, 'No rule found a change that would save more than 3 % of the time.'));
}

/// The predicted time in one bar: units that overlap, and what comes on top.
function timeBar() {
  const {time} = report;
  const parts = [
    ['units', unitsTime(time), 'units, which overlap'],
    ...time.terms.filter((term) => term.isAdded && term.time > 0)
      .map((term) => [term.name, term.time, termName(term.name).toLowerCase()])
  ];
  return h(
    'div', {class: 'time-bar-block'},
    h('div', {class: 'time-bar', 'aria-hidden': 'true'},
      parts.map(([name, value]) => h('span', {class: `of-${name}`, style: `flex: ${value} 0 0`}))),
    h('p', {class: 'legend'}, h('b', {}, microseconds(time.predicted)), ' = ',
      parts.map(
        ([name, value, text], i) =>
          [i > 0 && ' + ',
           h('span', {class: 'key'}, h('i', {class: `of-${name}`, 'aria-hidden': 'true'}),
             `${microseconds(value)} ${text}`)])));
}

function termRow(term, largest) {
  const {time} = report;
  const isBound = term.name === time.bound;
  return h(
    'li', {class: `term ${isBound ? 'is-bound' : ''} ${term.isAdded ? 'is-added' : ''}`},
    h('details', {},
      h('summary', {},
        h('span', {class: 'term-name'}, termName(term.name), isBound && h('span', {class: 'tag accent'}, 'bound')),
        h('span', {class: 'track', 'aria-hidden': 'true'},
          h('span', {class: 'bar', style: `width: ${term.time / largest * 100}%`})),
        h('span', {class: 'term-time'}, microseconds(term.time))),
      h('p', {class: 'how'}, `${capital(term.how)}${term.isAdded ? '; comes on top of the units' : ''}. `,
        term.limit > 0 && term.unit ? `${compact(term.work)} ${term.unit} at ${compact(term.limit)} in a microsecond.` :
                                      '')));
}

function termsPanel() {
  const {terms} = report.time;
  const largest = Math.max(...terms.map((term) => term.time)) || 1;
  const used = terms.filter((term) => term.time > 0).sort((a, b) => b.time - a.time);
  const unused = terms.filter((term) => term.time === 0);
  const rows = () => [
    ['term', 'microseconds', 'comes on top', 'work', 'unit', 'limit in a microsecond'],
    ...terms.map((term) => [term.name, term.time, term.isAdded, term.work, term.unit, term.limit])];
  return panel(
    'Where the time goes',
    {id: 'terms', tools: plotTools('terms', null, rows), hint: 'open a row to see how it was computed'}, timeBar(),
    h('ul', {class: 'terms'}, used.map((term) => termRow(term, largest))),
    unused.length > 0 &&
      h('p', {class: 'muted small'},
        `Not used: ${unused.map((term) => termName(term.name).toLowerCase()).join(', ')}.`));
}

function hotLinesPanel() {
  const hottest = report.lines.map((line, index) => ({line, index, heat: heatOf(line)}))
                    .filter(({heat}) => heat >= 0.001)
                    .sort((a, b) => b.heat - a.heat)
                    .slice(0, 6);
  return panel(
    'Hottest lines', {
      id: 'hot-lines',
      tools: h('a', {href: '#source'}, 'All lines'),
      hint: hasSamples() ? 'by samples of the GPU' : 'by predicted time'
    },
    hottest.length === 0 ?
      h('p', {class: 'muted'}, 'No line takes time.') :
      h('ol', {class: 'hot'},
        hottest.map(
          ({line, index, heat}) =>
            h('li', {title: stallText(line) || null},
              h('span', {class: 'heat-share', style: `--heat: ${heat / hottest[0].heat}`}, percent(heat)),
              shortLink(index), h('code', {}, highlight(sourceText(line.file, line.line).trim(), 'tile'))))));
}

/// What warps were found to do on the GPU.
function stallsPanel() {
  if (!hasSamples()) return null;
  const {count, dropped, launches, cycles, unplaced, reasons} = report.samples;
  const rows = () => [['reason', 'samples', 'a warp'], ...reasons.map(({name, count: of, text}) => [name, of, text])];
  return panel(
    'What warps wait for',
    {id: 'stalls', tools: plotTools('stalls', null, rows), hint: `${compact(count)} samples of the GPU`},
    h('ul', {class: 'terms'},
      reasons.filter((reason) => sampleShare(reason.count) >= 0.005)
        .map(
          ({name, text, count: of}) =>
            h('li', {class: 'bar-row'}, h('span', {class: 'term-name'}, name, h('span', {class: 'muted small'}, text)),
              h('span', {class: 'track', 'aria-hidden': 'true'},
                h('span', {class: 'bar', style: `width: ${of / reasons[0].count * 100}%`})),
              h('span', {class: 'term-time'}, percent(sampleShare(of)))))),
    h('p', {class: 'muted small'},
      `In ${plural(launches, 'launch', 'launches')}, one every ${whole(cycles)} cycles of a scheduler`,
      unplaced > 0 && `; ${percent(sampleShare(unplaced))} at no line`,
      dropped > 0 && `; ${compact(dropped)} more were lost`, '.'));
}

function makeSummary() {
  return [
    findingsPanel(), verdictPanel(),
    h('div', {class: 'columns'}, h('div', {class: 'stack'}, suggestionsPanel(), rooflinePanel()),
      h('div', {class: 'stack'}, hasSamples() && hotLinesPanel(), stallsPanel(), termsPanel(),
        !hasSamples() && hotLinesPanel()))
  ];
}
