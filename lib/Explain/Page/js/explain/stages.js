// The stages of the compilation as text, linked with the source line by line. Only the rows in sight exist: SASS may
// have tens of thousands.

const ROW_HEIGHT = 19;
const stagePane = {
  stage: null,
  linked: new Set(),
  ranges: [],
  range: 0,
  hovered: new Set(),
  found: new Set(),
  cursor: -1,
  index: null
};

const stageNames = {
  tile: 'Tile',
  tilegpu: 'TileGPU',
  ttir: 'TTIR',
  ttgir: 'TTGIR',
  llvm: 'LLVM',
  ptx: 'PTX',
  sass: 'SASS'
};
const presentStages = () => report.stages.filter((stage) => !stage.absent);

/// A line with tabs as spaces.
const shownText = (stage, number) => stage.lines[number].replaceAll('\t', '    ');

function stageRow(number) {
  const {stage} = stagePane;
  const sources = stage.source[number];
  const classes = [
    'stage-row', sources.length > 0 && 'linked', stagePane.linked.has(number) && 'selected',
    stagePane.hovered.has(number) && 'hovered', stagePane.found.has(number) && 'found',
    number === stagePane.cursor && 'cursor'
  ].filter(Boolean).join(' ');
  const places = sources.map((index) => report.lines[index]);
  const shown =
    places.length === 0 ? '' : `${places[0].file === 0 ? '' : '·'}${places[0].line}${places.length > 1 ? '+' : ''}`;
  return h(
    'div', {
      class: classes,
      role: 'option',
      id: `S${number}`,
      'aria-selected': String(number === stagePane.cursor),
      'data-number': number,
      style: `top: ${number * ROW_HEIGHT}px${sources.length > 0 ? `; --hue: ${hueOf(sources[0])}` : ''}`,
    },
    h('span', {class: 'number'}, String(number + 1)),
    h('span', {class: 'from', title: places.map((place) => placeText(place.file, place.line)).join(', ')}, shown),
    h('code', {}, highlight(shownText(stage, number), stage.language)));
}

function drawStage() {
  const {box, body, stage} = stagePane;
  if (!box || !stage) return;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 10);
  const last = Math.min(stage.lines.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW_HEIGHT) + 10);
  body.replaceChildren(...Array.from({length: Math.max(0, last - first)}, (_, i) => stageRow(first + i)));
  if (byId(`S${stagePane.cursor}`))
    box.setAttribute('aria-activedescendant', `S${stagePane.cursor}`);
  else
    box.removeAttribute('aria-activedescendant');
}

/// Where the linked lines are in the whole text, as a strip at the right.
function drawOverview() {
  const {overview, ranges, stage} = stagePane;
  overview.replaceChildren(...ranges.slice(0, 400).map(
    ([first, last]) => h('i', {
      style:
        `top: ${first / stage.lines.length * 100}%; height: max(2px, ${(last - first + 1) / stage.lines.length * 100}%)`
    })));
}

function revealStageLine(number, isCentred = true) {
  const {box} = stagePane, top = number * ROW_HEIGHT;
  if (isCentred) {
    if (top < box.scrollTop + ROW_HEIGHT || top > box.scrollTop + box.clientHeight - 3 * ROW_HEIGHT)
      box.scrollTop = top - box.clientHeight / 3;
  } else if (top < box.scrollTop)
    box.scrollTop = top;
  else if (top + ROW_HEIGHT > box.scrollTop + box.clientHeight)
    box.scrollTop = top + ROW_HEIGHT - box.clientHeight;
  drawStage();
}

const linesOfStage = (index) => (index === null ? [] : report.lines[index].stages[stagePane.stage?.name] ?? []);

/// Neighbouring numbers as pairs of first and last.
function rangesOf(numbers) {
  const ranges = [];
  for (const number of numbers) {
    if (ranges.length > 0 && ranges.at(-1)[1] === number - 1)
      ranges.at(-1)[1] = number;
    else
      ranges.push([number, number]);
  }
  return ranges;
}

function showLinkState() {
  const {ranges, range, linked, index, info} = stagePane;
  if (!info) return;
  const what = index === null ?
    'This line has no code.' :
    linked.size === 0 ?
    `Nothing comes from line ${report.lines[index].line} here.` :
    `Line ${report.lines[index].line}: ${plural(linked.size, 'line')} in ${plural(ranges.length, 'place')}`;
  info.replaceChildren(
    h('span', {}, what),
    ranges.length > 1 &&
        h('span', {class: 'steps'},
          h('button', {type: 'button', class: 'quiet', 'aria-label': 'Place before', onclick: () => stepRange(-1)},
            '↑'),
          `${range + 1}/${ranges.length}`,
          h('button', {type: 'button', class: 'quiet', 'aria-label': 'Next place', onclick: () => stepRange(1)},
            '↓')) ||
      '');
}

function stepRange(by) {
  const {ranges} = stagePane;
  stagePane.range = (stagePane.range + by + ranges.length) % ranges.length;
  revealStageLine(ranges[stagePane.range][0]);
  showLinkState();
}

/// Marks what comes from a line of the source, an index in report.lines or null.
function linkStage(index, {scrolls = true} = {}) {
  stagePane.index = index;
  if (!stagePane.stage) return;
  const numbers = linesOfStage(index);
  stagePane.linked = new Set(numbers);
  stagePane.ranges = rangesOf(numbers);
  // The place with the most lines is what the line is mainly about.
  const {ranges} = stagePane, size = ([first, last]) => last - first;
  stagePane.range = ranges.reduce((best, range, i) => (size(range) > size(ranges[best]) ? i : best), 0);
  if (scrolls && numbers.length > 0)
    revealStageLine(ranges[stagePane.range][0]);
  else
    drawStage();
  drawOverview();
  showLinkState();
}

function hoverStage(index) {
  if (!stagePane.stage || stagePane.hoveredIndex === index) return;
  stagePane.hoveredIndex = index;
  stagePane.hovered = new Set(linesOfStage(index));
  drawStage();
}

/// The way back: a line of the stage chooses its line of the source.
function chooseStageLine(number) {
  stagePane.cursor = number;
  const [index] = stagePane.stage.source[number];
  if (index !== undefined) {
    const {file, line} = report.lines[index];
    selectLine({file, number: line}, {scrollsStage: false});
    stagePane.range = Math.max(0, stagePane.ranges.findIndex(([first, last]) => first <= number && number <= last));
    showLinkState();
  }
  drawStage();
}

function onStageKey(event) {
  const {stage, box} = stagePane;
  if (!stage) return;
  const page = Math.floor(box.clientHeight / ROW_HEIGHT) - 1;
  const at = stagePane.cursor < 0 ? (stagePane.ranges[0]?.[0] ?? 0) - 1 : stagePane.cursor;
  const steps =
    {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: stage.lines.length - 1};
  if (!(event.key in steps) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  chooseStageLine(Math.max(0, Math.min(stage.lines.length - 1, steps[event.key])));
  revealStageLine(stagePane.cursor, false);
}

function showStage(name) {
  const stage = report.stages.find((candidate) => candidate.name === name);
  Object.assign(
    stagePane,
    {stage: stage.absent ? null : stage, cursor: -1, found: new Set(), hoveredIndex: null, hovered: new Set()});
  stagePane.absent.hidden = !stage.absent;
  stagePane.wrap.hidden = stagePane.info.hidden = Boolean(stage.absent);
  stagePane.title.textContent = stage.title;
  if (stage.absent) {
    stagePane.absent.replaceChildren(h('p', {}, h('b', {}, `No ${stageNames[name] ?? name} here: `), stage.absent));
    return;
  }
  const longest = Math.max(...stage.lines.map((line) => line.length));
  stagePane.body.style.height = `${stage.lines.length * ROW_HEIGHT}px`;
  stagePane.body.style.minWidth = `calc(${longest + 2}ch + 6.5rem)`;
  stagePane.box.setAttribute('aria-label', `${stage.title}; arrow keys choose a line`);
  stagePane.box.scrollTop = 0;
  stagePane.search.refresh();
  linkStage(stagePane.index);
}

function makeStagePane() {
  const first =
    ['sass', 'ptx', 'llvm', 'tilegpu', 'tile'].find((name) => presentStages().some((stage) => stage.name === name)) ??
    report.stages[0].name;
  stagePane.body = h('div', {class: 'stage-body'});
  stagePane.box =
    h('div', {
      class: 'code stage',
      id: 'stage-text',
      role: 'listbox',
      tabindex: '0',
      onkeydown: onStageKey,
      onscroll: drawStage,
      onclick: (event) => {
        const row = event.target.closest('.stage-row');
        if (row) chooseStageLine(Number(row.dataset.number));
      },
      onpointerover: (event) => {
        const row = event.target.closest('.stage-row');
        hoverSource(row ? stagePane.stage.source[row.dataset.number] : []);
      },
      onpointerleave: () => hoverSource([]),
    },
      stagePane.body);
  stagePane.overview = h('div', {class: 'overview', 'aria-hidden': 'true'});
  stagePane.wrap = h('div', {class: 'stage-wrap'}, stagePane.box, stagePane.overview);
  stagePane.absent = h('div', {class: 'absent-stage', hidden: true});
  stagePane.info = h('div', {class: 'link-info', 'aria-live': 'polite'});
  stagePane.title = h('span', {class: 'hint'});
  stagePane.search = searchBox('stage-search', 'Search this stage', {
    find: (matches) => stagePane.stage?.lines.flatMap((line, i) => (matches(line) ? [i] : [])) ?? [],
    reveal: (number) => {
      stagePane.cursor = number;
      revealStageLine(number);
    },
    mark: (found) => {
      stagePane.found = new Set(found);
      drawStage();
    },
  });
  const choice = segmented(
    'Stage', report.stages.map((stage) => [stage.name, stageNames[stage.name] ?? stage.name, stage.absent]), first,
    showStage);
  new ResizeObserver(() => requestAnimationFrame(drawStage)).observe(stagePane.box);
  const made =
    h('section', {class: 'panel pane', 'aria-label': 'Stages'},
      h('div', {class: 'panel-head'}, choice, h('div', {class: 'tools'}, stagePane.search)),
      h('div', {class: 'stage-line'}, stagePane.title, stagePane.info), stagePane.wrap, stagePane.absent);
  showStage(first);
  return made;
}
