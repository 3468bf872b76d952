// A request of a warp by its addresses: which lines of 128 bytes and sectors of 32 it takes, and which lanes use what
// of them.

const LINE_BYTES = 128, SECTOR_BYTES = 32;

/// The lines that a request takes, by address: for each byte the lanes that access it, or nothing.
function linesOf(request) {
  const lines = new Map();
  request.lanes.forEach((access, lane) => {
    const [offset, bytes] = access ?? [0, 0];
    for (let at = offset; at < offset + bytes; ++at) {
      const number = Math.floor(at / LINE_BYTES);
      if (!lines.has(number)) lines.set(number, new Array(LINE_BYTES).fill(null));
      (lines.get(number)[at % LINE_BYTES] ??= []).push(lane);
    }
  });
  return [...lines].sort(([a], [b]) => a - b).map(([number, bytes]) => ({number, bytes}));
}

/// Neighbouring bytes of a line that the same lanes access.
function runsOf(bytes) {
  const runs = [];
  bytes.forEach((lanes, at) => {
    const last = runs.at(-1);
    if (last?.end === at && String(last.lanes) === String(lanes))
      last.end = at + 1;
    else if (lanes)
      runs.push({lanes, begin: at, end: at + 1});
  });
  return runs;
}

const takesSector = (bytes, sector) =>
  bytes.slice(sector * SECTOR_BYTES, (sector + 1) * SECTOR_BYTES).some((lanes) => lanes);

function requestFacts(request) {
  const lines = linesOf(request);
  const sectors =
    lines.reduce((count, {bytes}) => count + [0, 1, 2, 3].filter((sector) => takesSector(bytes, sector)).length, 0);
  const used = lines.reduce((count, {bytes}) => count + bytes.filter((lanes) => lanes).length, 0);
  return {lines, sectors, used, masked: request.lanes.filter((access) => !access).length};
}

const placeIn = (request, offset) => `${request.buffer || 'memory'} + ${whole(request.begin + offset)}`;

function laneText(request, lane) {
  const access = request.lanes[lane];
  return access ? `Lane ${lane}: ${plural(access[1], 'byte')} at ${placeIn(request, access[0])}` :
                  `Lane ${lane}: masked off`;
}

const lanesText = (lanes) => (lanes.length === 1 ? `T${lanes[0]}` : `T${lanes[0]} +${lanes.length - 1}`);

/// A row for each line; sectors that are taken have a frame, bytes that are used the colour of their lane.
function drawRequest(request, lines, width) {
  const label = 78, unit = Math.min(6, (width - label - 4) / LINE_BYTES);
  const row = lines.length > 16 ? 13 : 20, gap = 4;
  const x = (at) => label + at * unit;
  let cursor = -1;
  const line = ({number, bytes}, i) => {
    const y = i * (row + gap) + 2;
    const sectors = [0, 1, 2, 3].map((sector) => s('rect', {
                                       class: takesSector(bytes, sector) ? 'sector taken' : 'sector',
                                       x: x(sector * SECTOR_BYTES) + 0.5,
                                       y,
                                       width: SECTOR_BYTES * unit - 1,
                                       height: row
                                     }));
    const runs = runsOf(bytes).map(({lanes, begin, end}) => {
      const hasText = (end - begin) * unit > 7 * lanesText(lanes).length && row > 14;
      const group =
        s('g', {class: 'lane-bytes', style: `--hue: ${lanes[0] * 11.25 + 10}`, 'data-lanes': lanes.join(' ')},
          s('rect', {x: x(begin) + 1, y: y + 1.5, width: Math.max(1, (end - begin) * unit - 1.5), height: row - 3}),
          hasText &&
            s('text', {class: 'bar-text', x: x((begin + end) / 2), y: y + row / 2 + 4, 'text-anchor': 'middle'},
              lanesText(lanes)));
      tip(
        group,
        () => [laneText(request, lanes[0]), lanes.length > 1 && `, and ${plural(lanes.length - 1, 'other lane')}`]
                .filter(Boolean));
      return group;
    });
    return [
      s('text', {class: 'tick', x: label - 8, y: y + row / 2 + 4, 'text-anchor': 'end'},
        `+${whole(request.begin + number * LINE_BYTES)}`),
      sectors, runs
    ];
  };
  const height = lines.length * (row + gap) + 2, right = x(LINE_BYTES) + 2;
  const svg =
    s('svg', {viewBox: `0 0 ${right} ${height}`, width: right, height, class: 'chart request', tabindex: '0'},
      lines.map(line));
  const mark = () => {
    for (const group of svg.querySelectorAll('.lane-bytes'))
      group.classList.toggle('chosen', group.dataset.lanes.split(' ').includes(String(cursor)));
  };
  svg.addEventListener('keydown', (event) => {
    const last = request.lanes.length - 1;
    const steps =
      {ArrowRight: cursor + 1, ArrowDown: cursor + 1, ArrowLeft: cursor - 1, ArrowUp: cursor - 1, Home: 0, End: last};
    if (!(event.key in steps)) return;
    event.preventDefault();
    cursor = Math.max(0, Math.min(last, steps[event.key]));
    mark();
    announce(laneText(request, cursor));
    const at = (svg.querySelector('.chosen rect') ?? svg).getBoundingClientRect();
    showTip(laneText(request, cursor), {clientX: at.left, clientY: at.top});
  });
  svg.addEventListener('blur', () => {
    cursor = -1;
    hideTip();
    mark();
  });
  return svg;
}

/// The request of an access that was simulated.
function requestPart(access) {
  const {request} = access, {lines, sectors, used, masked} = requestFacts(request);
  const most = 32, shown = lines.slice(0, most);
  const label = `${plural(sectors, 'sector')} in ${plural(lines.length, 'line')} of memory; arrow keys read the lanes`;
  const box = plot((width) => drawRequest(request, shown, width), label);
  const rows = () => [
    ['lane', 'offset', 'bytes'],
    ...request.lanes.map((lane, i) => [i, lane && request.begin + lane[0], lane && lane[1]])];
  const waste = sectors * SECTOR_BYTES - used;
  return [
    h('div', {class: 'panel-head'}, h('h3', {}, `The ${access.kind}: sectors that a request of a warp takes`),
      h('div', {class: 'tools'}, plotTools('request', box.svg, rows))),
    box,
    h('p', {}, h('b', {}, plural(sectors, 'sector')), ` of 32 bytes in ${plural(lines.length, 'line')} of 128, for `,
      h('b', {}, plural(used, 'byte')), ` of ${request.buffer || 'memory'}: `,
      waste > 0 ? h('span', {class: used * 2 < sectors * SECTOR_BYTES ? 'bad' : ''},
                    `${percent(used / (sectors * 32))} of what is moved is used.`) :
                  'all that is moved is used.',
      masked > 0 && ` ${plural(masked, 'lane')} of 32 ${masked === 1 ? 'is' : 'are'} masked off.`,
      lines.length > most && ` The first ${most} lines are drawn.`),
    h('p', {class: 'muted small'},
      `Warp ${request.warp} of program (${request.program.join(', ')}); a row is a line of memory, a colour a lane.`,
      request.meanSectors !== null &&
        ` All ${plural(request.requests, 'request')} there take ${digits(request.meanSectors)} sectors in the mean.`),
  ];
}
