// Layouts as pictures: the corner of a tensor, cell by cell, on a canvas. A layout is linear over bits: each bit of a
// register, lane or warp number adds its basis, by exclusive or, to the coordinates.

/// Bits of an element, by its type's name.
function elementBits(element) {
  const match = element.match(/(\d+)/);
  if (/i1\b/.test(element)) return 8;
  return match ? Number(match[1]) : 32;
}

/// Coordinates of each number of one input dimension.
function spanOf(bases, rank) {
  let all = [new Array(rank).fill(0)];
  for (const basis of bases ?? []) all = all.concat(all.map((at) => at.map((value, axis) => value ^ basis[axis])));
  return all;
}

/// How a tensor lies on the page: the last dimension along a row, the others below each other; a vector is wrapped.
function foldOf(shape) {
  if (shape.length < 2) {
    const columns = Math.min(shape[0] ?? 1, 64);
    return {
      rows: Math.ceil((shape[0] ?? 1) / columns),
      columns,
      at: ([i]) => [Math.floor((i ?? 0) / columns), (i ?? 0) % columns]
    };
  }
  const columns = shape.at(-1), rows = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  return {
    rows,
    columns,
    at: (coordinates) =>
      [coordinates.slice(0, -1).reduce((row, value, axis) => row * shape[axis] + value, 0), coordinates.at(-1)]
  };
}

/// Which part of a picture is drawn: a corner, as a layout repeats beyond it by the same rule.
function cornerOf(fold, most) {
  return {rows: Math.min(fold.rows, most.rows), columns: Math.min(fold.columns, most.columns)};
}

const xor = (a, b) => a.map((value, axis) => value ^ b[axis]);

/// The cells of the corner: for each, who holds it first, and how many do.
function holdersOf(layout, shape, corner) {
  const rank = Math.max(1, shape.length), fold = foldOf(shape);
  const registers = spanOf(layout.register, rank), lanes = spanOf(layout.lane, rank), warps = spanOf(layout.warp, rank),
        blocks = spanOf(layout.block, rank);
  const cells = new Array(corner.rows * corner.columns);
  blocks.forEach((blockAt, block) => warps.forEach((warpAt, warp) => lanes.forEach((laneAt, lane) => {
    const base = xor(xor(blockAt, warpAt), laneAt);
    registers.forEach((registerAt, register) => {
      const coordinates = xor(base, registerAt), [row, column] = fold.at(coordinates);
      if (row >= corner.rows || column >= corner.columns) return;
      const cell = cells[row * corner.columns + column] ??= {coordinates, register, lane, warp, block, count: 0};
      ++cell.count;
    });
  })));
  return cells;
}

/// The cells of a buffer: the offset in elements and the bank of each.
function offsetsOf(layout, shape, corner, bytes) {
  const rank = Math.max(1, shape.length), fold = foldOf(shape);
  const cells = new Array(corner.rows * corner.columns);
  spanOf(layout.offset, rank).forEach((coordinates, offset) => {
    const [row, column] = fold.at(coordinates);
    if (row >= corner.rows || column >= corner.columns) return;
    cells[row * corner.columns + column] ??= {coordinates, offset, bank: Math.floor(offset * bytes / 4) % 32};
  });
  return cells;
}

const hsl = (hue, saturation, light) => `hsl(${hue} ${saturation}% ${light}%)`;

/// Colours by what a cell has.
const CELL_COLOURS = {
  warp: (cell, counts) => hsl(
    210 + cell.warp * 360 / counts.warp, isDark() ? 42 : 62, isDark() ? 24 + cell.lane * 0.75 : 88 - cell.lane * 0.9),
  lane: (cell) => hsl(cell.lane * 11.25 + 10, isDark() ? 45 : 65, isDark() ? 38 : 76),
  register: (cell, counts) => hsl(40 + cell.register / counts.register * 300, isDark() ? 45 : 65, isDark() ? 38 : 77),
  bank: (cell) => hsl(cell.bank * 11.25 + 10, isDark() ? 45 : 65, isDark() ? 38 : 76),
};

const CELL_LABELS = {
  warp: (cell) => `W${cell.warp}`,
  lane: (cell) => `T${cell.lane}`,
  register: (cell) => `r${cell.register}`,
  bank: (cell) => String(cell.bank),
};

function cellText(cell) {
  const at = `[${cell.coordinates.join(', ')}]`;
  if (cell.bank !== undefined) return `${at}: offset ${cell.offset}, bank ${cell.bank}`;
  const more = cell.count > 1 ? `, and ${plural(cell.count - 1, 'more holder')}` : '';
  const block = cell.block ? `, CTA ${cell.block} of the cluster` : '';
  return `${at}: warp ${cell.warp}, lane ${cell.lane}, register ${cell.register}${block}${more}`;
}

/// A picture of cells that the pointer and the arrow keys read. `outlined` says which cells get a frame.
function cellPicture({cells, corner, colour, counts, label, size, outlined}) {
  const canvas = h('canvas', {tabindex: '0', role: 'img', 'aria-label': `${label}; arrow keys read the elements`});
  let cursor = -1;
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = corner.columns * size.width * ratio;
    canvas.height = corner.rows * size.height * ratio;
    canvas.style.width = `${corner.columns * size.width}px`;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '10px ui-monospace, monospace';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const ink = isDark() ? '#f4f6f9' : '#10151c', gap = size.width > 5 ? 1 : 0;
    for (let i = 0; i < corner.rows * corner.columns; ++i) {
      const cell = cells[i], x = (i % corner.columns) * size.width, y = Math.floor(i / corner.columns) * size.height;
      context.fillStyle = cell ? CELL_COLOURS[colour](cell, counts) : isDark() ? '#222831' : '#eceff3';
      context.fillRect(x, y, size.width - gap, size.height - gap);
      if (cell && outlined?.(cell)) {
        context.strokeStyle = ink;
        context.lineWidth = 1.5;
        context.strokeRect(x + 0.75, y + 0.75, size.width - gap - 1.5, size.height - gap - 1.5);
      }
      if (cell && size.width >= 22) {
        context.fillStyle = ink;
        context.fillText(CELL_LABELS[colour](cell), x + size.width / 2, y + size.height / 2);
      }
      if (i === cursor) {
        context.strokeStyle = isDark() ? '#ffd166' : '#c2340c';
        context.lineWidth = 2;
        context.strokeRect(x, y, size.width, size.height);
      }
    }
  }
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * corner.columns),
          row = Math.floor((event.clientY - box.top) / box.height * corner.rows);
    return cells[row * corner.columns + column];
  };
  tip(canvas, (event) => {
    const cell = cellAt(event);
    return cell && cellText(cell);
  });
  canvas.addEventListener('keydown', (event) => {
    const steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: corner.columns, ArrowUp: -corner.columns};
    if (!(event.key in steps)) return;
    event.preventDefault();
    cursor = Math.max(0, Math.min(cells.length - 1, cursor + (cursor < 0 ? 1 : steps[event.key])));
    draw();
    if (cells[cursor]) announce(cellText(cells[cursor]));
    const box = canvas.getBoundingClientRect();
    if (cells[cursor])
      showTip(cellText(cells[cursor]), {
        clientX: box.left + (cursor % corner.columns) * size.width,
        clientY: box.top + Math.floor(cursor / corner.columns) * size.height
      });
  });
  canvas.addEventListener('blur', () => {
    cursor = -1;
    hideTip();
    draw();
  });
  canvas.redraw = draw;
  draw();
  return canvas;
}
