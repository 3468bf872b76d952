// Who holds what: tensors that memory is accessed with, conversions between layouts, buffers in shared memory.

const layoutView = {
  colour: 'warp',
  isLarge: false,
  item: 0,
  items: []
};

function layoutItems() {
  // What an access is marked with: [text, whether it costs much].
  const markOf = (access, ...banks) => {
    if (access && access.sectors >= 1.5 * access.minimumSectors) return ['uncoalesced', true];
    if (banks.some((use) => use && use.wavefronts > use.ideal)) return ['conflicts', true];
    return access && access.vectorBits < access.fullBits ? ['narrow', false] : null;
  };
  return [
    ...report.tensors.map((tensor) => ({
                            group: 'Tensors',
                            title: tensor.name,
                            kind: tensor.op.replace(/^.*\./, '').replaceAll('_', ' '),
                            line: tensor.line,
                            shape: tensor.shape,
                            element: tensor.element,
                            mark: markOf(tensor.access, tensor.banks),
                            draw: () => drawTensor(tensor)
                          })),
    ...report.conversions.map((conversion) => ({
                                group: 'Conversions',
                                title: conversion.path === 'none' ? 'free' : `by ${conversion.path}`,
                                kind: `${digits(conversion.cost)} cycles`,
                                line: conversion.line,
                                shape: conversion.shape,
                                element: conversion.element,
                                mark: markOf(null, conversion.store, conversion.load),
                                draw: () => drawConversion(conversion)
                              })),
    ...report.shared.buffers.filter((buffer) => buffer.swizzle.offset).map((buffer) => ({
                                                                             group: 'Shared memory',
                                                                             title: purposeOf(buffer),
                                                                             kind: byteCount(buffer.size),
                                                                             line: buffer.line,
                                                                             shape: buffer.shape,
                                                                             element: buffer.element,
                                                                             draw: () => drawBuffer(buffer)
                                                                           })),
  ];
}

const elementName = (element) => element.replace(/^!tile\.ptr<(.*)>$/, 'pointers to $1');

function layoutCounts(layout) {
  const count = (bases) => 2 ** (bases?.length ?? 0);
  return {register: count(layout.register), lane: count(layout.lane), warp: count(layout.warp)};
}

/// How large cells may be, and how much of a tensor is drawn with them.
function cellSizes(width, shape, parts = 1) {
  const fold = foldOf(shape), room = Math.max(200, (width - 24) / parts);
  if (layoutView.isLarge) return {size: {width: 28, height: 20}, corner: cornerOf(fold, {rows: 64, columns: 64})};
  const corner = cornerOf(fold, {rows: 32, columns: 64});
  const side = Math.max(4, Math.min(28, Math.floor(room / corner.columns)));
  return {size: {width: side, height: Math.max(8, Math.min(side, 18))}, corner};
}

function cornerNote(shape, corner) {
  const fold = foldOf(shape);
  const isWhole = fold.rows === corner.rows && fold.columns === corner.columns;
  if (isWhole && shape.length < 2) return `All ${corner.rows * corner.columns} elements, ${corner.columns} to a row.`;
  if (isWhole) return 'The whole tensor.';
  const part = `The first ${corner.rows} rows and ${corner.columns} columns of ${fold.rows} × ${fold.columns}`;
  return `${part}${shape.length < 2 ? ', the vector wrapped' : ''}. The layout is linear: the rest follows the same ` +
    'pattern, each further bit of a warp or register moves all of it.';
}

/// What the colours stand for.
function colourKey(layout) {
  const counts = layoutCounts(layout), colour = layout.offset ? 'bank' : layoutView.colour;
  const all = layout.offset ? 32 : counts[colour], shown = Math.min(all, 32);
  const key =
    h('canvas',
      {class: 'colour-key', width: shown * 22, height: 16, role: 'img', 'aria-label': `Colours of ${all} ${colour}s`});
  const draw = () => {
    const context = key.getContext('2d');
    context.clearRect(0, 0, key.width, key.height);
    context.font = '10px system-ui, sans-serif';
    context.textAlign = 'center';
    for (let i = 0; i < shown; ++i) {
      const cell = {warp: 0, lane: 8, register: 0, bank: 0, [colour]: i};
      context.fillStyle = CELL_COLOURS[colour](cell, counts);
      context.fillRect(i * 22, 0, 21, 16);
      context.fillStyle = isDark() ? '#f4f6f9' : '#10151c';
      context.fillText(CELL_LABELS[colour](cell), i * 22 + 10.5, 12);
    }
  };
  onTheme(() => key.isConnected && draw());
  draw();
  return h(
    'div', {class: 'colour-keys'}, key,
    h('span', {class: 'muted small'}, all > shown ? ` and ${all - shown} more` : '',
      colour === 'warp' ? 'stronger: higher lanes' : ''));
}

function pictureOf(layout, shape, element, {parts, outlined, label}) {
  const box = h('div', {class: 'cells scroll', role: 'group', 'aria-label': label});
  const note = h('p', {class: 'muted small'});
  onWidth(box, (width) => {
    const {size, corner} = cellSizes(width, shape, parts);
    const isBuffer = Boolean(layout.offset);
    const cells =
      isBuffer ? offsetsOf(layout, shape, corner, elementBits(element) / 8) : holdersOf(layout, shape, corner);
    const picture = cellPicture({
      cells,
      corner,
      size,
      colour: isBuffer ? 'bank' : layoutView.colour,
      counts: layoutCounts(layout),
      outlined,
      label
    });
    box.replaceChildren(picture);
    box.picture = picture;
    note.textContent = cornerNote(shape, corner);
  });
  onTheme(() => box.isConnected && box.picture?.redraw());
  return h('figure', {class: 'figure'}, box, colourKey(layout), note);
}

/// The sectors of one request, as far as their bytes are used.
function sectorStrip(access) {
  const shown = Math.min(access.sectors, 128), used = access.minimumSectors / access.sectors;
  const size = 14, perRow = 32, rows = Math.ceil(shown / perRow);
  return s(
    'svg', {
      viewBox: `0 0 ${perRow * size} ${rows * size}`,
      class: 'sectors',
      style: `width: ${perRow * size}px`,
      role: 'img',
      'aria-label': `${access.sectors} sectors, of which the bytes fill ${access.minimumSectors}`
    },
    Array.from({length: shown}, (_, i) => {
      const x = (i % perRow) * size, y = Math.floor(i / perRow) * size;
      return [
        s('rect', {class: 'sector taken', x, y, width: size - 2, height: size - 2, rx: 2}),
        s('rect', {class: 'sector-used', x, y, width: (size - 2) * Math.min(1, used), height: size - 2, rx: 2})
      ];
    }));
}

function accessPart(access) {
  if (!access) return null;
  const known = [
    h('b', {}, plural(access.sectors, 'sector')),
    ` of 32 bytes${access.isUpperBound ? ' at most' : ''}; its bytes fill `, h('b', {}, String(access.minimumSectors)),
    `. A thread's instruction moves ${access.vectorBits} of at most ${access.fullBits} bits.`
  ];
  return h(
    'div', {class: 'sub'},
    access.request ?
      [requestPart(access), h('p', {class: 'muted small'}, 'What the compiler knows of all its requests: ', known)] :
      [h('h3', {}, `The ${access.kind}: what a request of a warp takes`), sectorStrip(access), h('p', {}, known)],
    access.reason &&
      h('p', {class: 'notice'}, capital(access.reason), access.suggestion && h('span', {}, `: ${access.suggestion}`)));
}

function banksPart(name, banks) {
  if (!banks) return null;
  const isSlow = banks.wavefronts > banks.ideal;
  return h(
    'div', {class: 'sub'}, h('h3', {}, name),
    h('div', {class: 'wavefronts', role: 'img', 'aria-label': `${banks.wavefronts} wavefronts, ${banks.ideal} needed`},
      Array.from({length: Math.min(32, banks.wavefronts)}, (_, i) => h('i', {class: i < banks.ideal ? '' : 'excess'}))),
    h('p', {}, h('b', {}, plural(banks.wavefronts, 'wavefront')),
      ` a request, ${banks.ideal} needed; ${plural(banks.requests, 'request')} of a warp, `,
      `${banks.vectorBits} bits a thread. `,
      isSlow ? h('b', {class: 'bad'}, 'Lanes meet in banks.') : 'No conflicts.'));
}

const firstRequest = (bits, element) => {
  const elements = Math.max(1, Math.round(bits / elementBits(element)));
  return (cell) => cell.warp === 0 && cell.block === 0 && cell.register < elements;
};

function drawTensor(tensor) {
  const bits = tensor.access?.vectorBits ?? tensor.banks?.vectorBits ?? 0;
  return [
    h('p', {class: 'layout-text'}, h('code', {}, tensor.layout.text || 'one value for all threads')),
    pictureOf(
      tensor.layout, tensor.shape, tensor.element,
      {label: `Layout of ${tensor.name}`, outlined: firstRequest(bits, tensor.element)}),
    h('p', {class: 'muted small'}, 'Framed: what the first instruction of warp 0 accesses.'),
    accessPart(tensor.access),
    banksPart('Shared memory', tensor.banks),
  ];
}

function drawConversion(conversion) {
  const cost = facts([
    ['Path', conversion.path],
    ['Cost', `${digits(conversion.cost)} cycles of a warp`],
    conversion.bytes > 0 && ['Shared memory', byteCount(conversion.bytes)],
    conversion.shuffles > 0 && ['Shuffles', String(conversion.shuffles)],
  ]);
  const side = (name, layout) =>
    h('div', {}, h('h3', {}, name), h('p', {class: 'layout-text'}, h('code', {}, layout.text)),
      pictureOf(layout, conversion.shape, conversion.element, {label: `${name} of the conversion`}));
  return [
    cost,
    h('div', {class: 'conversion'}, side('From', conversion.from),
      h('div', {class: 'arrow', 'aria-hidden': 'true'}, '→'), side('To', conversion.to)),
    h('div', {class: 'columns even'}, banksPart('The store to shared memory', conversion.store),
      banksPart('The load from shared memory', conversion.load))
  ];
}

function drawBuffer(buffer) {
  return [
    facts([
      ['Bytes', `${byteCount(buffer.size)} at ${buffer.offset}`],
      buffer.slots > 1 && ['Slots of the ring', String(buffer.slots)]
    ]),
    pictureOf(buffer.swizzle, buffer.shape, buffer.element, {label: `Banks of the buffer for ${purposeOf(buffer)}`}),
    h('p', {class: 'muted small'},
      'Colours are the 32 banks of 4 bytes. Where a column has many colours, lanes that read it meet few others in a ' +
        'bank: that is what the swizzle is for.'),
  ];
}

function drawLayoutItem(box) {
  const item = layoutView.items[layoutView.item];
  const colours = [['warp', 'Warp'], ['lane', 'Lane'], ['register', 'Register']];
  const line = item.line === null ? null : report.lines[item.line];
  const colourChoice = item.group !== 'Shared memory' && segmented('Colours', colours, layoutView.colour, (colour) => {
                         layoutView.colour = colour;
                         drawLayoutItem(box);
                       });
  const sizes = [['fit', 'Fit'], ['large', 'Numbers']];
  const sizeChoice = segmented('Size of cells', sizes, layoutView.isLarge ? 'large' : 'fit', (size) => {
    layoutView.isLarge = size === 'large';
    drawLayoutItem(box);
  });
  const title = item.group === 'Tensors' ? `${item.kind} ${item.title}` : item.title;
  const code = line && highlight(sourceText(line.file, line.line).trim(), 'tile');
  const parts = [
    h('div', {class: 'panel-head'}, h('h2', {}, title),
      h('span', {class: 'hint'}, `${shapeText(item.shape)} ${elementName(item.element)}, `, lineLink(item.line)),
      h('div', {class: 'tools'}, colourChoice, sizeChoice)),
    code && h('div', {class: 'snippet'}, h('code', {}, code)),
    item.draw(),
  ];
  box.replaceChildren(...parts.flat(Infinity).filter(Boolean));
}

function makeLayouts() {
  layoutView.items = layoutItems();
  if (layoutView.items.length === 0)
    return panel(
      'Layouts', {}, h('p', {class: 'muted'}, 'No tensor of this kernel is accessed in global or shared memory.'));
  const box = h('section', {class: 'panel', id: 'layout', 'aria-label': 'Layout'});
  const groups = [...new Set(layoutView.items.map((item) => item.group))];
  const option = (item) => {
    const index = layoutView.items.indexOf(item);
    const place = item.line !== null && ` · line ${report.lines[item.line].line}`;
    return h(
      'div',
      {role: 'option', id: `layout-${index}`, 'aria-selected': 'false', class: 'choice', onclick: () => choose(index)},
      h('span', {class: 'choice-title'}, item.title,
        item.mark && h('span', {class: item.mark[1] ? 'tag bad' : 'tag quiet-tag'}, item.mark[0])),
      h('span', {class: 'muted small'}, `${item.kind} · ${shapeText(item.shape)}`, place));
  };
  const list =
    h('div', {class: 'choices', role: 'listbox', tabindex: '0', 'aria-label': 'Tensors, conversions and buffers'},
      groups.map(
        (group) => h(
          'div', {role: 'group', 'aria-label': group}, h('div', {class: 'choice-group', 'aria-hidden': 'true'}, group),
          layoutView.items.filter((item) => item.group === group).map(option))));
  function choose(index) {
    layoutView.item = index;
    for (const element of list.querySelectorAll('[role="option"]'))
      element.setAttribute('aria-selected', String(element.id === `layout-${index}`));
    list.setAttribute('aria-activedescendant', `layout-${index}`);
    const chosen = list.querySelector('[aria-selected="true"]');
    if (chosen) revealIn(list, chosen);
    drawLayoutItem(box);
  }
  list.addEventListener('keydown', (event) => {
    const last = layoutView.items.length - 1;
    const steps = {ArrowDown: layoutView.item + 1, ArrowUp: layoutView.item - 1, Home: 0, End: last};
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(last, steps[event.key])));
  });
  choose(Math.max(0, layoutView.items.findIndex((item) => item.mark?.[1])));
  return h('div', {class: 'side-by-side'}, h('section', {class: 'panel list', 'aria-label': 'Choose'}, list), box);
}
