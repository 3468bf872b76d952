// The source line by line, with heat, remarks at their lines, and links to the stages beside it.

const sourcePane = {
  grid: null,
  file: 0,
  selected: null,
  metrics: []
};

const isUsed = (metric) => report.lines.some((line) => metric.of(line) > 0);

/// The columns shown first: samples of a GPU, time, what the kernel is bound by, registers.
function firstMetrics() {
  const moved = isUsed(metricOf('bulk')) ? 'bulk' : 'sectors';
  const byBound = {
    memory: moved,
    cache: moved,
    shared: 'wavefronts',
    atomics: 'atomics',
    tensor: 'tensor',
    issue: 'instructions',
    latency: 'barriers'
  };
  const hasCalls = report.calls.some((call) => call.stack.length > 1);
  const wanted = [
    'samples', hasCalls && 'selfSamples', 'time', hasCalls && !hasSamples() && 'self',
    isUsed(metricOf('excess')) ? 'excess' : byBound[report.time.bound] ?? 'instructions', 'registers'
  ];
  return wanted.map(metricOf).filter((metric) => metric && isUsed(metric));
}

/// A stripe of one colour for a line and everything that comes from it.
const hueOf = (index) => Math.round((index * 137.508) % 360);

function heatCell(metric, line, largest) {
  const value = line ? metric.of(line) : 0;
  if (!(value > 0)) return h('span', {role: 'gridcell', class: 'cell'});
  const share = metric.id === 'registers' ? 0 : value / largest;
  return h(
    'span',
    {role: 'gridcell', class: 'cell heat', style: `--heat: ${share.toFixed(3)}`, title: metric.hint?.(line) || null},
    metric.text(value));
}

function remarkRows(line) {
  return mergeRemarks(line.remarks.map((index) => report.remarks[index]))
    .map(
      ({remark, count}) =>
        h('div', {class: `remark ${remark.severity}`, role: 'row'},
          h('div', {role: 'gridcell'}, h('span', {class: 'tag'}, remark.category), ' ', remark.message,
            count > 1 && h('span', {class: 'muted'}, ` (${count} times)`),
            remark.notes.map((note) => h('p', {class: 'note'}, note)))));
}

function suggestionRows(index) {
  return report.verdict.suggestions.map(
    (suggestion, i) => suggestion.line === index &&
      h('div', {class: 'remark suggestion', role: 'row'},
        h('div', {role: 'gridcell'}, h('a', {class: 'tag accent', href: '#suggestions'}, `suggestion ${i + 1}`), ' ',
          prose(suggestion.text), h('b', {}, ` ${digits(suggestion.factor)}× faster`))));
}

function findingRows(index) {
  return report.findings.filter((finding) => finding.line === index)
    .map(
      (finding) =>
        h('div', {class: 'remark error', role: 'row'},
          h('div', {role: 'gridcell'}, h('span', {class: 'tag'}, finding.kind), ' ', finding.message)));
}

/// The rows of one line: itself, and what there is to say about it.
function rowsOf(file, number, text, largest) {
  const index = lineIndexOf(file, number), line = report.lines[index];
  const hasStages = line && Object.keys(line.stages).length > 0;
  return [
    h('div', {
      class: `row ${hasStages ? 'linked' : ''}`,
      role: 'row',
      id: rowId(file, number),
      'aria-selected': 'false',
      'data-line': number,
      style: hasStages && `--hue: ${hueOf(index)}`
    },
      h('span', {role: 'rowheader', class: 'number'}, String(number)),
      sourcePane.metrics.map((metric, i) => heatCell(metric, line, largest[i])),
      h('code', {role: 'gridcell'}, highlight(text, 'tile'))),
    line && [findingRows(index), suggestionRows(index), remarkRows(line)],
  ];
}

function drawSource() {
  const {grid, metrics} = sourcePane;
  const largest = metrics.map((metric) => Math.max(...report.lines.map((line) => metric.of(line)), 1e-12));
  const heads =
    h('div', {class: 'row head', role: 'row'}, h('span', {role: 'columnheader', class: 'number'}, '#'),
      metrics.map((metric) => h('span', {role: 'columnheader', class: 'cell', title: metric.long}, metric.name)),
      h('span', {role: 'columnheader', class: 'head-text'},
        report.files.length > 1 ? '' : baseName(report.files[0].name)));
  const files = report.files.map(
    (file, index) =>
      [report.files.length > 1 && h('div', {class: 'file-name', role: 'row'}, h('span', {role: 'gridcell'}, file.name)),
       file.lines.map((text, i) => rowsOf(index, file.firstLine + i, text, largest)),
  ]);
  grid.replaceChildren(...[heads, files].flat(Infinity).filter(Boolean));
  if (sourcePane.selected) markSelected();
}

const rowOf = ({file, number}) => byId(rowId(file, number));
const allRows = () => [...sourcePane.grid.querySelectorAll('.row[id]')];
const placeOf = (row) => {
  const [, file, number] = row.id.match(/^L(\d+)-(\d+)$/);
  return {file: Number(file), number: Number(number)};
};

function markSelected() {
  for (const row of sourcePane.grid.querySelectorAll('[aria-selected="true"]'))
    row.setAttribute('aria-selected', 'false');
  const row = rowOf(sourcePane.selected);
  row?.setAttribute('aria-selected', 'true');
  if (row) sourcePane.grid.setAttribute('aria-activedescendant', row.id);
  return row;
}

/// Keeps an element of a scrolling box in sight without moving the page.
function revealIn(box, element, {isCentred = false} = {}) {
  const top = element.offsetTop, bottom = top + element.offsetHeight, head = 34;
  if (isCentred || top < box.scrollTop + head || bottom > box.scrollTop + box.clientHeight)
    box.scrollTop = isCentred || top < box.scrollTop + head ? top - (isCentred ? box.clientHeight / 3 : head) :
                                                              bottom - box.clientHeight + 4;
}

/// Everything that was counted at the chosen line, below the source.
function showLineFacts({file, number}) {
  const line = report.lines[lineIndexOf(file, number)];
  const metrics = line ? METRICS.filter((metric) => metric.of(line) > 0) : [];
  const fact = ({name, long, of, text}) => h('div', {title: long}, h('dt', {}, name), h('dd', {}, text(of(line))));
  sourcePane.facts.replaceChildren(
    h('div', {}, h('dt', {}, placeText(file, number)), h('dd', {}, metrics.length > 0 ? '' : 'nothing counted')),
    ...metrics.map(fact), ...stallsOf(line).map(stallFact));
}

/// Why the warps at the chosen line did not go on.
const stallFact = ({name, text, share}) =>
  h('div', {class: 'stall', title: `A warp ${text}`}, h('dt', {}, name),
    h('dd', {},
      h('span', {class: 'track', 'aria-hidden': 'true'},
        h('span', {class: 'bar', style: `width: ${(share * 100).toFixed(1)}%`})),
      percent(share)));

/// Selects a line and shows what comes from it in the stage beside.
function selectLine(place, {isCentred = false, scrollsStage = true} = {}) {
  sourcePane.selected = place;
  const row = markSelected();
  if (!row) return;
  showLineFacts(place);
  revealIn(sourcePane.grid, row, {isCentred});
  linkStage(lineIndexOf(place.file, place.number) ?? null, {scrolls: scrollsStage});
}

/// Called for a link to a row.
function revealSourceRow(row) {
  if (!row.classList.contains('row')) return false;
  byId('source-panes').scrollIntoView({block: 'nearest'});
  selectLine(placeOf(row), {isCentred: true});
  sourcePane.grid.focus({preventScroll: true});
  return true;
}

/// Marks the lines that the pointer is over in a stage.
function hoverSource(indices) {
  for (const row of sourcePane.grid.querySelectorAll('.hovered')) row.classList.remove('hovered');
  for (const index of indices)
    rowOf({file: report.lines[index].file, number: report.lines[index].line})?.classList.add('hovered');
}

function onSourceKey(event) {
  const rows = allRows(), at = sourcePane.selected ? rows.indexOf(rowOf(sourcePane.selected)) : -1;
  const steps = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 20, PageUp: at - 20, Home: 0, End: rows.length - 1};
  if (event.key in steps && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    selectLine(placeOf(rows[Math.max(0, Math.min(rows.length - 1, steps[event.key]))]));
  } else if (event.key === 'Enter') {
    byId('stage-text')?.focus({preventScroll: true});
  }
}

function columnsMenu() {
  return h(
    'details', {class: 'menu'}, h('summary', {class: 'quiet'}, 'Columns'),
    h('fieldset', {class: 'menu-body'}, h('legend', {class: 'hidden'}, 'Columns of the source'),
      METRICS.filter(isUsed).map(
        (metric) =>
          h('label', {title: metric.long}, h('input', {
              type: 'checkbox',
              checked: sourcePane.metrics.includes(metric),
              onchange: (event) => {
                sourcePane.metrics = METRICS.filter(
                  (other) => (other === metric ? event.target.checked : sourcePane.metrics.includes(other)));
                drawSource();
              }
            }),
            h('b', {}, metric.name), ' ', h('span', {class: 'muted'}, metric.long)))));
}

const linesCsv = () => [
  ['file', 'line', ...METRICS.map((metric) => metric.id), 'text'],
  ...report.lines.map(
    (line) =>
      [report.files[line.file].name, line.line, ...METRICS.map((metric) => metric.of(line)),
       sourceText(line.file, line.line)])];

function makeSourcePane() {
  sourcePane.metrics = firstMetrics();
  sourcePane.grid = h('div', {
    class: 'code',
    id: 'source-text',
    role: 'grid',
    tabindex: '0',
    'aria-label': 'Source; arrow keys choose a line',
    onkeydown: onSourceKey,
    onclick: (event) => {
      const row = event.target.closest('.row[id]');
      if (!row) return;
      selectLine(placeOf(row));
      // The address names the line, to be passed on.
      history.replaceState(null, '', `#${row.id}`);
    },
    onpointerover: (event) => {
      const row = event.target.closest('.row[id]');
      const place = row && placeOf(row);
      hoverStage(place ? lineIndexOf(place.file, place.number) ?? null : null);
    },
    onpointerleave: () => hoverStage(null),
  });
  sourcePane.facts = h('dl', {class: 'line-facts', 'aria-label': 'The chosen line', 'aria-live': 'polite'});
  drawSource();
  const rows = () => report.files.flatMap(
    (file, index) => file.lines.map((text, i) => ({text, file: index, number: file.firstLine + i})));
  const search = searchBox('source-search', 'Search the source', {
    find: (matches) => rows().filter((row) => matches(row.text)),
    reveal: (row) => selectLine(row, {isCentred: true}),
    mark: (found) => {
      for (const row of sourcePane.grid.querySelectorAll('.found')) row.classList.remove('found');
      for (const row of found) rowOf(row)?.classList.add('found');
    },
  });
  return panel(
    'Source', {className: 'pane', tools: [search, columnsMenu(), plotTools('lines', null, linesCsv)]}, sourcePane.grid,
    sourcePane.facts);
}

/// The hottest line, or the kernel's first.
function firstPlace() {
  const hottest = report.lines.reduce((best, line) => (heatOf(line) > (best ? heatOf(best) : 0) ? line : best), null);
  return hottest ? {file: hottest.file, number: hottest.line} : {file: report.kernel.file, number: report.kernel.line};
}

function makeSource() {
  const panes = h('div', {class: 'panes', id: 'source-panes'}, makeSourcePane(), makeStagePane());
  requestAnimationFrame(() => {
    if (!sourcePane.selected) selectLine(firstPlace(), {isCentred: true});
  });
  return [panes, makeCalls()];
}
