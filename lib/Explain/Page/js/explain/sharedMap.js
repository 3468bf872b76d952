// Shared memory over the program: which buffer has which bytes while.

const purposeOf = ({for: purpose
}) => purpose;

function bufferTip(buffer) {
  const line = buffer.line === null ? '' : ` · line ${report.lines[buffer.line].line}`;
  return [
    h('b', {}, purposeOf(buffer)), line, h('br'),
    `${shapeText(buffer.shape)} ${buffer.element}${buffer.slots > 1 ? `, ${buffer.slots} slots` : ''}`, h('br'),
    `${byteCount(buffer.size)} at ${buffer.offset}, operations ${buffer.begin} to ${buffer.end}`
  ];
}

function drawSharedMap(width) {
  const {total, steps, buffers} = report.shared;
  const height = 250, frame = {left: 58, right: width - 8, top: 8, bottom: height - 30};
  const x = (step) => frame.left + step / Math.max(1, steps) * (frame.right - frame.left);
  const y = (offset) => frame.bottom - offset / total * (frame.bottom - frame.top);
  const purposes = [...new Set(buffers.map(purposeOf))];
  const block = (buffer) => {
    const {
      line, begin, end, offset, size, slots, for: purpose
    }
    = buffer;
    const left = x(begin), right = Math.max(left + 3, x(end + 1));
    const top = y(offset + size), bottom = Math.max(top + 2, y(offset));
    const edges =
      bottom - top > 8 * slots ? Array.from({length: slots - 1}, (_, i) => top + (i + 1) / slots * (bottom - top)) : [];
    const hasText = right - left > 90 && bottom - top > 15;
    const go = () => line !== null && show(rowId(report.lines[line].file, report.lines[line].line));
    const hue = SLOT_HUES[purposes.indexOf(purpose) % SLOT_HUES.length];
    const group =
      s('g', {class: 'buffer', style: `--hue: ${hue}`, onclick: go},
        s('rect', {x: left, y: top, width: right - left, height: bottom - top, rx: 2}),
        edges.map((at) => s('path', {class: 'slot', d: `M${left} ${at} H${right}`})),
        hasText &&
          s('text', {class: 'bar-text', x: left + 6, y: (top + bottom) / 2 + 4},
            purpose.slice(0, Math.floor((right - left) / 6.5))));
    tip(group, () => bufferTip(buffer));
    return group;
  };
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * total));
  return s(
    'svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart'},
    ticks.map(
      (value) =>
        [s('path', {class: 'grid-line', d: `M${frame.left} ${y(value)} H${frame.right}`}),
         s('text', {class: 'tick', x: frame.left - 6, y: y(value) + 4, 'text-anchor': 'end'}, byteCount(value)),
  ]),
    s('text', {class: 'axis', x: (frame.left + frame.right) / 2, y: height - 8, 'text-anchor': 'middle'},
      'operations of the program, in order'),
    buffers.map(block));
}

function sharedPanel() {
  const {total, buffers} = report.shared;
  if (total === 0 || buffers.length === 0)
    return panel(
      'Shared memory', {id: 'shared-map'}, h('p', {class: 'muted'}, 'The kernel has no buffer in shared memory.'));
  const box = plot(drawSharedMap, `${byteCount(total)} of shared memory in ${plural(buffers.length, 'buffer')}`);
  const rows = () => [
    ['for', 'line', 'offset', 'size', 'shape', 'element', 'begin', 'end', 'slots'],
    ...buffers.map(
      (buffer) =>
        [purposeOf(buffer), buffer.line === null ? '' : report.lines[buffer.line].line, buffer.offset, buffer.size,
         buffer.shape.join('x'), buffer.element, buffer.begin, buffer.end, buffer.slots])];
  const all = buffers.reduce((sizes, buffer) => sizes + buffer.size, 0);
  return panel(
    'Shared memory over the program', {
      id: 'shared-map',
      hint: `${byteCount(total)} for ${byteCount(all)} of buffers`,
      tools: plotTools('shared-memory', box.svg, rows)
    },
    box,
    h('details', {class: 'more'}, h('summary', {}, plural(buffers.length, 'buffer')),
      table(
        [
          'For', {name: 'Line', number: true}, {name: 'Offset', number: true}, {name: 'Size', number: true}, 'Shape',
          {name: 'Slots', number: true}, 'Operations'
        ],
        buffers.map(
          (buffer) =>
            [purposeOf(buffer), shortLink(buffer.line), whole(buffer.offset), byteCount(buffer.size),
             `${shapeText(buffer.shape)} ${buffer.element}`, String(buffer.slots), `${buffer.begin} – ${buffer.end}`]),
        {caption: 'Buffers in shared memory'})));
}

function makeTime() {
  return [
    timelinePanel(),
    h('div', {class: 'columns even'}, h('div', {class: 'stack'}, schedulePanels(), wavesPanel()),
      h('div', {class: 'stack'}, sharedPanel(), occupancyPanel()))
  ];
}
