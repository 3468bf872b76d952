// Inlined calls: flat, from the kernel down, and from what is expensive up to who calls it.

/// What calls are weighed by: the predicted time, or samples of the GPU.
const CALL_WEIGHTS = {
  time: {name: 'Predicted', of: (call) => call.share},
  samples: {name: 'GPU samples', of: (call) => sampleShare(call.samples)}
};
const callState = {
  weight: CALL_WEIGHTS.time,
  view: 'flat'
};

/// The calls that weigh something: {stack, share}.
const weighedCalls = () => report.calls.map((call) => ({stack: call.stack, share: callState.weight.of(call)}))
                             .filter((call) => call.share > 0 || callState.weight === CALL_WEIGHTS.time);

const emptyNode = (label, place) => ({label, place, total: 0, self: 0, children: new Map()});

function childOf(node, key, label, place) {
  if (!node.children.has(key)) node.children.set(key, emptyNode(label, place));
  return node.children.get(key);
}

/// Functions with what they and their callees take.
function flatCalls() {
  const root = emptyNode('');
  for (const {stack, share} of weighedCalls()) {
    for (const name of new Set(stack.map((frame) => frame.function))) childOf(root, name, name).total += share;
    const leaf = stack.at(-1), node = childOf(root, leaf.function, leaf.function);
    node.self += share;
    const line = childOf(node, `${leaf.file}:${leaf.line}`, null, leaf);
    line.self += share;
    line.total += share;
  }
  return root;
}

/// The kernel's lines, and below a line that calls the lines of the function.
function topDownCalls() {
  const root = emptyNode('');
  for (const {stack, share} of weighedCalls()) {
    let node = childOf(root, stack[0].function, stack[0].function);
    node.total += share;
    stack.forEach((frame, i) => {
      const callee = stack[i + 1]?.function;
      node = childOf(node, `${frame.file}:${frame.line}:${callee ?? ''}`, callee && `${callee}`, frame);
      node.total += share;
    });
    node.self += share;
  }
  return root;
}

/// Functions by their own work, and below them the places that call them.
function bottomUpCalls() {
  const root = emptyNode('');
  for (const {stack, share} of weighedCalls()) {
    let node = childOf(root, stack.at(-1).function, stack.at(-1).function);
    node.total += share;
    node.self += share;
    for (let i = stack.length - 2; i >= 0; --i) {
      node = childOf(node, `${stack[i].function}:${stack[i].file}:${stack[i].line}`, stack[i].function, stack[i]);
      node.total += share;
    }
  }
  return root;
}

const CALL_VIEWS = {
  flat: flatCalls,
  down: topDownCalls,
  up: bottomUpCalls
};

function callLabel(node) {
  if (!node.place) return [h('b', {}, node.label)];
  const text = sourceText(node.place.file, node.place.line).trim();
  return [
    placeLink(node.place.file, node.place.line, node.place.file === 0 ? `line ${node.place.line}` : undefined),
    node.label && [' ', h('b', {}, node.label)], ' ', h('code', {}, highlight(text, 'tile'))
  ];
}

/// Rows of a tree, the largest share first; those deeper than one level begin closed.
function treeRows(node, level, rows) {
  const children = [...node.children.values()].sort((a, b) => b.total - a.total);
  for (const child of children) {
    const row =
      h('tr', {
        role: 'row',
        'aria-level': level,
        tabindex: '-1',
        'aria-expanded': child.children.size > 0 ? String(level < 2) : null
      },
        h('td', {role: 'gridcell', class: 'number heat-cell', style: `--heat: ${child.total.toFixed(3)}`},
          percent(child.total)),
        h('td', {role: 'gridcell', class: 'number'}, percent(child.self)),
        h('td', {role: 'gridcell', class: 'call', style: `--level: ${level - 1}`},
          h('span', {class: 'twist', 'aria-hidden': 'true'}), callLabel(child)));
    rows.push({row, level});
    treeRows(child, level + 1, rows);
  }
}

/// Shows the rows whose ancestors are all open.
function foldRows(rows) {
  let closedAt = Infinity;
  for (const {row, level} of rows) {
    if (level <= closedAt) closedAt = Infinity;
    row.hidden = level > closedAt;
    if (closedAt === Infinity && row.getAttribute('aria-expanded') === 'false') closedAt = level;
  }
}

function treeGrid(root, label) {
  const rows = [];
  treeRows(root, 1, rows);
  foldRows(rows);
  if (rows.length > 0) rows[0].row.tabIndex = 0;
  const toggle = (row, isOpen) => {
    if (row.hasAttribute('aria-expanded')) row.setAttribute('aria-expanded', String(isOpen));
    foldRows(rows);
  };
  const body = h('tbody', {}, rows.map(({row}) => row));
  body.addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (!event.target.closest('a')) toggle(row, row.getAttribute('aria-expanded') !== 'true');
  });
  body.addEventListener('keydown', (event) => {
    if (event.target.tagName !== 'TR') return;
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      event.preventDefault();
      toggle(event.target, event.key === 'ArrowRight');
    } else if (event.key === 'Enter')
      event.target.querySelector('a')?.click();
  });
  moveByArrows(body, () => rows.map(({row}) => row).filter((row) => !row.hidden), (row) => {
    rows.forEach((other) => {
      other.row.tabIndex = other.row === row ? 0 : -1;
    });
  }, {isVertical: true});
  return h(
    'div', {class: 'scroll'},
    h('table', {role: 'treegrid', class: 'tree', 'aria-label': label},
      h('thead', {},
        h('tr', {role: 'row'},
          h('th', {class: 'number', scope: 'col'}, callState.weight === CALL_WEIGHTS.time ? 'Time' : 'Samples'),
          h('th', {class: 'number', scope: 'col'}, 'Self'), h('th', {scope: 'col'}, 'Function and place'))),
      body));
}

function makeCalls() {
  const names = {flat: 'Flat', down: 'Top-down', up: 'Bottom-up'};
  const box = h('div', {});
  const pictures = h('div', {});
  let icicle;
  const draw = () =>
    box.replaceChildren(treeGrid(CALL_VIEWS[callState.view](), `${names[callState.view]} view of the calls`));
  const weigh = (name) => {
    callState.weight = CALL_WEIGHTS[name];
    icicle = plot(
      drawIcicle,
      `The lines of the kernel, and of what they call, as wide as their ${
        name === 'time' ? 'time' : 'samples of the GPU'}`);
    pictures.replaceChildren(icicle);
    draw();
  };
  callState.view = report.calls.some((call) => call.stack.length > 1) ? 'down' : 'flat';
  weigh(hasSamples() ? 'samples' : 'time');
  const csv = () => [
    ['stack', 'share', 'microseconds', 'samples'],
    ...report.calls.map(
      ({stack, share, time, samples}) =>
        [stack.map((frame) => `${frame.function} ${placeText(frame.file, frame.line)}`).join(' > '), share, time,
         samples])];
  const tools = [
    hasSamples() &&
      segmented(
        'What calls are weighed by', Object.entries(CALL_WEIGHTS).map(([id, {name}]) => [id, name]), 'samples', weigh),
    segmented(
      'View of the calls', Object.entries(names), callState.view,
      (view) => {
        callState.view = view;
        draw();
      }),
    plotTools('calls', () => icicle.svg(), csv),
    h('button', {type: 'button', class: 'quiet', title: 'Save the calls for speedscope.app', onclick: saveSpeedscope},
      'speedscope')
  ];
  return panel(
    'Calls', {id: 'calls', hint: 'functions are inlined; their work counts where they are called from as well', tools},
    pictures, box);
}
