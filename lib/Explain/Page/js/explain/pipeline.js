// The software pipeline of each loop: copies ahead, the computation, dots in flight.

const SLOT_HUES = [212, 150, 38, 285, 335, 95, 190, 15];

function pipelineRows(loop) {
  const ahead = Math.max(1, loop.distance);
  const rows =
    loop.streams.map((stream) => ({
                       kind: 'copy',
                       name: `${stream.path === 'private' ? 'load' : stream.path} ${shapeText(stream.shape)}`,
                       line: stream.line,
                       lanes: ahead
                     }));
  rows.push({kind: 'compute', name: 'compute', line: loop.line, lanes: 1});
  if (loop.dotsInFlight > 0)
    rows.push({
      kind: 'dots',
      name: `${plural(loop.dotsInFlight, 'dot')} in flight`,
      line: loop.steps.find((step) => step.op.includes('wgmma'))?.line ?? null,
      lanes: loop.dotsInFlight
    });
  return rows;
}

function drawPipeline(loop, width) {
  const rows = pipelineRows(loop), ahead = loop.distance, left = Math.min(170, width * 0.34);
  const shown = Math.max(3, Math.min(8, Math.floor((width - left) / 64) - 2)) + Math.min(2, ahead);
  const slot = (width - left - 6) / shown, lane = 17;
  const x = (time) => left + (time + Math.min(ahead, 2)) * slot;
  let y = 22;
  const colour = (iteration) => `--hue: ${SLOT_HUES[(iteration % Math.max(1, loop.stages)) % SLOT_HUES.length]}`;
  const last = shown - Math.min(ahead, 2);
  const bar = (iteration, begin, end, top, text, className) => {
    const from = Math.max(left, x(begin)), to = Math.min(width - 4, x(end));
    return to - from > 2 && [
      s('rect',
        {class: className, style: colour(iteration), x: from, y: top, width: to - from - 2, height: lane - 3, rx: 3}),
      to - from > 20 &&
        s('text', {class: 'bar-text', x: (from + to) / 2 - 1, y: top + lane / 2 + 2.5, 'text-anchor': 'middle'}, text)
    ];
  };
  const parts = [];
  for (let time = -Math.min(ahead, 2); time < last; ++time)
    parts.push(
      s('path', {
        class: 'grid-line',
        d: `M${x(time)} 18 V${22 + rows.reduce((total, row) => total + row.lanes * lane + 8, 0)}`
      }),
      s('text', {class: 'tick', x: x(time) + slot / 2, y: 12, 'text-anchor': 'middle'},
        time < 0    ? 'before' :
          slot < 70 ? `${time}` :
                      `iteration ${time}`));
  for (const row of rows) {
    parts.push(s('text', {class: 'axis', x: 2, y: y + 11}, row.name.slice(0, Math.floor(left / 6.4))));
    for (let i = 0; i < last + ahead; ++i) {
      if (row.kind === 'copy')
        parts.push(bar(
          i, i - ahead + (ahead > 0 ? 0.25 : 0), i + (ahead > 0 ? 0.1 : 0.3), y + (i % row.lanes) * lane, `${i}`,
          'pipe copy'));
      else if (row.kind === 'compute')
        parts.push(bar(i, i + 0.12, i + 0.98, y, `${i}`, 'pipe'));
      else
        parts.push(bar(i, i + 0.4, i + row.lanes + 0.35, y + (i % row.lanes) * lane, `${i}`, 'pipe copy'));
    }
    y += row.lanes * lane + 8;
  }
  return s('svg', {viewBox: `0 0 ${width} ${y}`, width, height: y, class: 'chart'}, parts);
}

const STEP_NAMES = {
  addresses: 'addresses',
  'wait-copies': 'wait for copies',
  'start-copies': 'start copies',
  compute: '',
  'wait-dots': 'wait for dots',
  release: 'release the slot'
};

function stepChip(step) {
  const text = step.op ? step.op.replace(/^(tilegpu|tile|arith|math)\./, '') : STEP_NAMES[step.kind] ?? step.kind;
  const className = `step ${step.kind}`;
  if (step.line === null) return h('li', {class: className}, text);
  return h('li', {class: className}, lineLink(step.line, text));
}

function loopPanel(loop, number) {
  const box =
    plot((width) => drawPipeline(loop, width), `Pipeline: ${loop.stages} stages, copies ${loop.distance} ahead`);
  return panel(
    `Pipeline of the loop${number > 0 ? ` ${number + 1}` : ''}`, {
      id: `pipeline-${number}`,
      hint: loop.line === null ? '' : shortLink(loop.line),
      tools: plotTools(`pipeline-${number}`, box.svg, null),
    },
    facts([
      ['Stages', String(loop.stages)], ['Copies ahead', String(loop.distance)], ['Ring', byteCount(loop.ringBytes)],
      ['Dots in flight', String(loop.dotsInFlight)],
      ['Copies by', loop.hasLoadWarps ? 'warps of their own' : 'the computing warps']
    ]),
    box,
    h('p', {class: 'muted small'},
      'Colours are slots of the ring; a number is the iteration that a copy is for. The picture is of the schedule: ' +
        'lengths are not time.'),
    h('details', {class: 'more'}, h('summary', {}, `The ${plural(loop.steps.length, 'step')} of an iteration`),
      h('ol', {class: 'steps-list'}, loop.steps.map(stepChip))));
}

function schedulePanels() {
  const {loops, obstacles, roles, registers} = report.schedule;
  const notes = [roles && ['Roles', roles], registers && ['Registers', registers]].filter(Boolean);
  return [
    loops.slice(0, 2).map(loopPanel),
    loops.length > 2 &&
      h('details', {class: 'more panel'}, h('summary', {}, `${plural(loops.length - 2, 'more loop')}`),
        h('div', {class: 'stack'}, loops.slice(2).map((loop, i) => loopPanel(loop, i + 2)))),
    obstacles.length > 0 &&
      panel(
        'Loads that are not copied ahead', {id: 'obstacles'},
        h('ul', {class: 'plain'}, obstacles.map(({line, reason}) => h('li', {}, shortLink(line), ': ', reason)))),
    notes.length > 0 &&
      panel(
        'Plans', {id: 'plans'},
        notes.map(([name, text]) => [h('h3', {}, name), h('pre', {class: 'scroll', tabindex: '0'}, text.trim())])),
    loops.length === 0 && obstacles.length === 0 &&
      panel('Pipeline', {id: 'pipeline-0'}, h('p', {class: 'muted'}, 'The kernel has no loop that loads.')),
  ];
}
