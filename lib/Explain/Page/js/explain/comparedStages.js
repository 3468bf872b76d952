// Stages of both reports beside each other, linked through the source: what comes from a line of it is marked in both.

/// Names of a report's lines that those of another one can have, too: places where both have one text, else what the
/// line says.
function lineNames(data, isOneText) {
  return data.lines.map(({file, line}) => {
    const {name, firstLine, lines} = data.files[file];
    return isOneText ? `${name}:${line}` : (lines[line - firstLine] ?? `${name}:${line}`).trim();
  });
}

const haveOneText = (here, there) =>
  here.files[0].name === there.files[0].name || here.files[0].lines.join('\n') === there.files[0].lines.join('\n');

/// One side: `id` is 'this' or 'other', `choose` is called with the names of the lines that a row comes from.
class ComparedPane {
  constructor(id, title, data, names, choose) {
    Object.assign(this, {id, data, names, choose, chosen: new Set(), cursor: -1});
    this.stages = data.stages.filter((stage) => !stage.absent);
    this.body = h('div', {class: 'stage-body'});
    this.box =
      h('div', {
        class: 'code stage',
        id: `compared-${id}`,
        role: 'listbox',
        tabindex: '0',
        onscroll: () => this.draw(),
        onkeydown: (event) => this.onKey(event),
        onclick: (event) => {
          const row = event.target.closest('.stage-row');
          if (row) this.select(Number(row.dataset.number));
        },
      },
        this.body);
    this.info = h('span', {class: 'hint', 'aria-live': 'polite'});
    const first =
      ['sass', 'ptx', 'llvm'].find((name) => this.stages.some((stage) => stage.name === name)) ?? this.stages[0]?.name;
    const choice = segmented(
      `Stage of ${title.toLowerCase()}`,
      data.stages.map((stage) => [stage.name, stageNames[stage.name] ?? stage.name, stage.absent]), first,
      (name) => this.show(name));
    this.absent = h('p', {class: 'absent-stage', hidden: true});
    this.element =
      h('section', {class: 'panel pane', 'aria-label': `Stages of ${title.toLowerCase()}`},
        h('div', {class: 'panel-head'}, h('h2', {}, title), h('div', {class: 'tools'}, choice)),
        h('div', {class: 'stage-line'}, this.info), this.box, this.absent);
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.box);
    this.show(first);
  }

  show(name) {
    this.stage = this.stages.find((stage) => stage.name === name) ?? null;
    this.box.hidden = !this.stage;
    this.absent.hidden = Boolean(this.stage);
    this.cursor = -1;
    if (!this.stage) {
      this.absent.textContent = this.data.stages.find((stage) => stage.name === name)?.absent ?? 'No stage is known.';
      this.info.textContent = '';
      return;
    }
    const longest = Math.max(...this.stage.lines.map((line) => line.length));
    this.body.style.height = `${this.stage.lines.length * ROW_HEIGHT}px`;
    this.body.style.minWidth = `calc(${longest + 2}ch + 6.5rem)`;
    this.box.setAttribute('aria-label', `${this.stage.title}; arrow keys choose a line`);
    this.box.scrollTop = 0;
    this.mark(this.chosen);
  }

  isChosen(number) {
    return this.stage.source[number].some((index) => this.chosen.has(this.names[index]));
  }

  /// Marks what comes from lines with these names.
  mark(chosen, {scrolls = true} = {}) {
    this.chosen = chosen;
    if (!this.stage) return;
    const rows = this.stage.lines.flatMap((line, number) => (this.isChosen(number) ? [number] : []));
    this.info.textContent = chosen.size === 0 ? `${plural(this.stage.lines.length, 'line')}; choose one` :
                                                `${plural(rows.length, 'line')} from ${[...chosen][0]}`;
    if (scrolls && rows.length > 0) this.box.scrollTop = Math.max(0, rows[0] * ROW_HEIGHT - this.box.clientHeight / 3);
    this.draw();
  }

  select(number) {
    this.cursor = number;
    this.choose(this, new Set(this.stage.source[number].map((index) => this.names[index])));
    this.draw();
  }

  onKey(event) {
    const last = this.stage.lines.length - 1, page = Math.floor(this.box.clientHeight / ROW_HEIGHT) - 1;
    const steps = {
      ArrowDown: this.cursor + 1,
      ArrowUp: this.cursor - 1,
      PageDown: this.cursor + page,
      PageUp: this.cursor - page,
      Home: 0,
      End: last
    };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.select(Math.max(0, Math.min(last, steps[event.key])));
    const top = this.cursor * ROW_HEIGHT;
    if (top < this.box.scrollTop)
      this.box.scrollTop = top;
    else if (top + ROW_HEIGHT > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = top + ROW_HEIGHT - this.box.clientHeight;
    this.draw();
  }

  row(number) {
    const sources = this.stage.source[number], places = sources.map((index) => this.data.lines[index]);
    const shown =
      places.length === 0 ? '' : `${places[0].file === 0 ? '' : '·'}${places[0].line}${places.length > 1 ? '+' : ''}`;
    const classes = [
      'stage-row', sources.length > 0 && 'linked', this.isChosen(number) && 'selected',
      number === this.cursor && 'cursor'
    ].filter(Boolean).join(' ');
    return h(
      'div', {
        class: classes,
        role: 'option',
        id: `compared-${this.id}-${number}`,
        'aria-selected': String(number === this.cursor),
        'data-number': number,
        style: `top: ${number * ROW_HEIGHT}px${sources.length > 0 ? `; --hue: ${hueOf(places[0].line)}` : ''}`
      },
      h('span', {class: 'number'}, String(number + 1)), h('span', {class: 'from'}, shown),
      h('code', {}, highlight(shownText(this.stage, number), this.stage.language)));
  }

  /// Only the rows in sight exist.
  draw() {
    if (!this.stage) return;
    const {box, stage} = this;
    const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 10);
    const last = Math.min(stage.lines.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW_HEIGHT) + 10);
    this.body.replaceChildren(...Array.from({length: Math.max(0, last - first)}, (_, i) => this.row(first + i)));
    const cursor = `compared-${this.id}-${this.cursor}`;
    if (byId(cursor))
      box.setAttribute('aria-activedescendant', cursor);
    else
      box.removeAttribute('aria-activedescendant');
  }
}

function comparedStages(here, there) {
  const isOneText = haveOneText(here, there), panes = [];
  const choose = (chosen, names) => {
    for (const pane of panes) pane.mark(names, {scrolls: pane !== chosen});
  };
  panes.push(
    new ComparedPane('this', 'This', here, lineNames(here, isOneText), choose),
    new ComparedPane('other', 'Other', there, lineNames(there, isOneText), choose));
  return h('div', {class: 'panes', id: 'compare-stages'}, panes.map((pane) => pane.element));
}
