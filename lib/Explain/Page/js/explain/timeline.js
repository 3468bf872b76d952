// What the warps of one CTA do and wait for, on a canvas that can be zoomed.

const WARP_HEIGHT = 20, FLIGHT_HEIGHT = 5;

const warpLabel = (warp) => `warp ${warp.number}${warp.role ? ` ${warp.role.replace('warpgroup', 'group')}` : ''}`;

/// Spans with the height that each one has: nested ones are lower, products in flight below all.
function timelineRows(timeline) {
  let top = 0;
  return timeline.warps.map((warp) => {
    const lanes = warp.flights.reduce((most, [, , , lane]) => Math.max(most, lane + 1), 0);
    const row = {warp, top, lanes, height: WARP_HEIGHT + lanes * FLIGHT_HEIGHT};
    top += row.height + 4;
    return row;
  });
}

function waitPattern(context, colour) {
  const tile = h('canvas', {width: 6, height: 6}), inner = tile.getContext('2d');
  inner.fillStyle = colour;
  inner.globalAlpha = 0.35;
  inner.fillRect(0, 0, 6, 6);
  inner.globalAlpha = 1;
  inner.strokeStyle = colour;
  inner.lineWidth = 1.6;
  for (const at of [-6, 0, 6]) {
    inner.beginPath();
    inner.moveTo(at, 6);
    inner.lineTo(at + 6, 0);
    inner.stroke();
  }
  return context.createPattern(tile, 'repeat');
}

class TimelineCanvas {
  constructor(timeline) {
    this.timeline = timeline;
    this.rows = timelineRows(timeline);
    this.begin = Math.min(...timeline.warps.map((warp) => warp.begin));
    this.end = Math.max(...timeline.warps.map((warp) => warp.end), this.begin + 1);
    [this.from, this.to] = [this.begin, this.end];
    this.height = this.rows.at(-1).top + this.rows.at(-1).height + 22;
    this.canvas = h('canvas', {
      tabindex: '0',
      role: 'img',
      'aria-label':
        `${plural(timeline.warps.length, 'warp')} over time; plus and minus zoom, left and right move, 0 shows all`
    });
    this.canvas.addEventListener('keydown', (event) => this.onKey(event));
    this.canvas.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
    this.canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    this.canvas.addEventListener('pointermove', (event) => this.onMove(event));
    this.canvas.addEventListener('pointerup', (event) => this.onUp(event));
    this.canvas.addEventListener('pointerleave', hideTip);
  }

  x(time) {
    return this.labelWidth + (time - this.from) / (this.to - this.from) * (this.width - this.labelWidth - 4);
  }
  timeAt(x) {
    return this.from + (x - this.labelWidth) / (this.width - this.labelWidth - 4) * (this.to - this.from);
  }

  colourOf(event) {
    return isDark() ? event.dark : event.light;
  }

  draw(width = this.width) {
    this.width = width;
    const {canvas} = this, ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = this.height * ratio;
    canvas.style.height = `${this.height}px`;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.labelWidth = Math.min(
      width * 0.4, 12 + Math.max(...this.timeline.warps.map((warp) => context.measureText(warpLabel(warp)).width)));
    this.patterns = new Map();
    for (const row of this.rows) this.drawRow(context, row);
    this.drawAxis(context);
  }

  fillOf(context, event) {
    const colour = this.colourOf(event);
    if (!event.isWait) return colour;
    if (!this.patterns.has(colour)) this.patterns.set(colour, waitPattern(context, colour));
    return this.patterns.get(colour);
  }

  drawRow(context, {warp, top, height}) {
    const muted = isDark() ? '#9aa5b4' : '#5a6472', quiet = isDark() ? '#1d222a' : '#f1f3f6';
    context.fillStyle = quiet;
    context.fillRect(this.labelWidth, top, this.width - this.labelWidth, height);
    context.save();
    context.beginPath();
    context.rect(this.labelWidth, top, this.width - this.labelWidth, height);
    context.clip();
    for (const span of warp.spans) {
      const [index, begin, end, depth] = span, x = this.x(begin), width = Math.max(1, this.x(end) - x);
      if (x > this.width || x + width < this.labelWidth) continue;
      const inset = Math.min(3, depth) * 3;
      context.fillStyle = this.fillOf(context, this.timeline.events[index]);
      context.fillRect(x, top + inset, width, WARP_HEIGHT - 2 * inset);
    }
    for (const [index, begin, end, lane] of warp.flights) {
      const x = this.x(begin);
      context.fillStyle = this.colourOf(this.timeline.events[index]);
      context.fillRect(
        x, top + WARP_HEIGHT + lane * FLIGHT_HEIGHT + 1, Math.max(1, this.x(end) - x), FLIGHT_HEIGHT - 2);
    }
    context.restore();
    context.fillStyle = muted;
    context.fillText(warpLabel(warp), 2, top + WARP_HEIGHT / 2);
  }

  drawAxis(context) {
    const y = this.height - 9, count = Math.max(2, Math.floor((this.width - this.labelWidth) / 110));
    context.fillStyle = isDark() ? '#9aa5b4' : '#5a6472';
    context.textAlign = 'center';
    for (let i = 0; i < count; ++i) {
      const x = this.labelWidth + (i + 0.5) / count * (this.width - this.labelWidth);
      context.fillText(
        this.timeline.isOrder ? `step ${Math.round(this.timeAt(x))}` : microseconds(this.timeAt(x)), x, y);
    }
    context.textAlign = 'left';
  }

  /// Shows a part of the time, within the whole.
  view(from, to) {
    const length = Math.min(this.end - this.begin, Math.max(4, to - from));
    this.from = Math.max(this.begin, Math.min(from, this.end - length));
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.view(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  onKey(event) {
    const step = (this.to - this.from) / 5;
    const actions = {
      '+': () => this.zoom(0.6),
      '=': () => this.zoom(0.6),
      '-': () => this.zoom(1.7),
      0: () => this.view(this.begin, this.end),
      ArrowLeft: () => this.view(this.from - step, this.to - step),
      ArrowRight: () => this.view(this.from + step, this.to + step),
    };
    if (!(event.key in actions) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) {
      const by = (event.deltaX || event.deltaY) / this.width * (this.to - this.from);
      this.view(this.from + by, this.to + by);
    } else
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
  }

  spanAt(event) {
    const time = this.timeAt(event.offsetX);
    const row = this.rows.find(({top, height}) => event.offsetY >= top && event.offsetY < top + height);
    if (!row || event.offsetX < this.labelWidth) return null;
    const isFlight = event.offsetY > row.top + WARP_HEIGHT,
          lane = Math.floor((event.offsetY - row.top - WARP_HEIGHT) / FLIGHT_HEIGHT);
    const slack = (this.to - this.from) / this.width;
    const spans = isFlight ? row.warp.flights.filter((span) => span[3] === lane) : row.warp.spans;
    return spans.findLast(([, begin, end]) => begin - slack <= time && time <= end + slack) ?? null;
  }

  onDown(event) {
    this.dragFrom = {x: event.offsetX, from: this.from, to: this.to, isMoved: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    if (this.dragFrom) {
      const by = (event.offsetX - this.dragFrom.x) / (this.width - this.labelWidth) * (this.to - this.from);
      if (Math.abs(event.offsetX - this.dragFrom.x) > 3) this.dragFrom.isMoved = true;
      if (this.dragFrom.isMoved) this.view(this.dragFrom.from - by, this.dragFrom.to - by);
      return;
    }
    const span = this.spanAt(event);
    if (!span) return hideTip();
    const [index, begin, end, , number] = span, {text, line} = this.timeline.events[index];
    const unit = this.timeline.isOrder ? `steps ${begin} to ${end}` : `${microseconds(begin)} to ${microseconds(end)}`;
    showTip(
      [
        h('b', {}, text), number > 0 ? ` ${number}` : '', line === null ? '' : ` · line ${report.lines[line].line}`,
        h('br'), unit
      ],
      event);
  }

  onUp(event) {
    const span = !this.dragFrom?.isMoved && this.spanAt(event), line = span && this.timeline.events[span[0]].line;
    this.dragFrom = null;
    if (span && line !== null) show(rowId(report.lines[line].file, report.lines[line].line));
  }
}

/// What each kind of event takes of the warps' steps; of nested spans the inner one counts.
function timelineTotals(timeline) {
  const totals = new Map();
  let all = 0;
  for (const warp of timeline.warps) {
    all += warp.end - warp.begin;
    for (const [index, begin, end] of warp.spans) {
      const event = timeline.events[index];
      const total = totals.get(event.kind) ?? {event, steps: 0, count: 0};
      total.steps += end - begin;
      ++total.count;
      totals.set(event.kind, total);
    }
  }
  return {all: all || 1, kinds: [...totals.values()]};
}

function timelinePanel() {
  const {timeline} = report;
  if (!timeline)
    return panel(
      'Timeline', {id: 'timeline'},
      h('p', {class: 'muted'}, 'This report has no timeline; --timeline, in Python timeline=True, adds it.'));
  if (timeline.warps.length === 0 || timeline.warps.every((warp) => warp.spans.length === 0))
    return panel(
      'Timeline', {id: 'timeline'},
      h('p', {class: 'muted'}, 'The CTA that was followed copies, waits and multiplies nothing.'));
  const drawn = new TimelineCanvas(timeline), box = h('div', {class: 'timeline'}, drawn.canvas);
  onWidth(box, (width) => drawn.draw(width));
  onTheme(() => drawn.width && drawn.draw());
  const {all, kinds} = timelineTotals(timeline);
  const button = (text, label, act) =>
    h('button', {type: 'button', class: 'quiet', 'aria-label': label, title: label, onclick: act}, text);
  const tools = [
    button('−', 'Zoom out', () => drawn.zoom(1.7)), button('+', 'Zoom in', () => drawn.zoom(0.6)),
    button('All', 'Show all', () => drawn.view(drawn.begin, drawn.end)),
    button('Perfetto', 'Save the timeline as a trace for ui.perfetto.dev', saveTrace)
  ];
  return panel(
    'Timeline', {
      id: 'timeline',
      hint: timeline.isOrder ? 'the simulator\'s order: who waits for whom is true, lengths are not time' :
                               'microseconds',
      tools
    },
    box,
    h('ul', {class: 'keys'},
      kinds.map(
        ({event, steps, count}) =>
          h('li', {}, h('i', {
              class: event.isWait ? 'swatch wait' : 'swatch',
              style: `--light: ${event.light}; --dark: ${event.dark}`,
              'aria-hidden': 'true'
            }),
            event.text,
            h('span', {class: 'muted'},
              ` ${whole(count)}${event.isWait ? `, ${percent(steps / all)} of the steps` : ''}`)))),
    h('p', {class: 'muted small'},
      `CTA ${timeline.warps[0].cta}. Hatched: the warp waits. Below a warp: its dots in flight. `,
      'Drag moves, Ctrl and the wheel zoom, a click goes to the line.'));
}
