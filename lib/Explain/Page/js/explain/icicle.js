// Calls as a picture: below the kernel its lines as wide as their time, below a line the lines of what it calls.

const ICICLE_HEIGHT = 22;

const depthOf = (node) => 1 + Math.max(0, ...[...node.children.values()].map(depthOf));

/// Children in the order of the source.
function inSourceOrder(node) {
  const order = (child) => (child.place ? child.place.file * 1e6 + child.place.line : 0);
  return [...node.children.values()].sort((a, b) => order(a) - order(b));
}

function icicleLabel(node) {
  if (!node.place) return node.label;
  const line = node.place.file === 0 ? `${node.place.line}` : placeText(node.place.file, node.place.line);
  return node.label ? `${line} ${node.label}` : line;
}

function icicleTip(node) {
  if (!node.place) return [h('b', {}, node.label), ` ${percent(node.total)}`];
  const {file, line} = node.place;
  return [
    h('b', {}, percent(node.total)), ` ${placeText(file, line)}`, h('br'), sourceText(file, line).trim().slice(0, 120)
  ];
}

/// A node and what is below it, from `left` on.
function icicleParts(node, left, level, scale) {
  const width = node.total * scale;
  if (width < 1) return [];
  const top = level * ICICLE_HEIGHT, text = icicleLabel(node), room = Math.floor((width - 8) / 6.6);
  const go = () => node.place && show(rowId(node.place.file, node.place.line));
  const group = s(
    'g', {class: node.place ? 'icicle' : 'icicle is-function', onclick: go, style: `--heat: ${node.total.toFixed(3)}`},
    s('rect', {x: left, y: top, width: Math.max(1, width - 1), height: ICICLE_HEIGHT - 1, rx: 2}),
    room >= 2 &&
      s('text', {class: 'bar-text', x: left + 5, y: top + 15},
        text.length > room ? `${text.slice(0, room - 1)}…` : text));
  tip(group, () => icicleTip(node));
  let at = left;
  const below = inSourceOrder(node).map((child) => {
    const parts = icicleParts(child, at, level + 1, scale);
    at += child.total * scale;
    return parts;
  });
  return [group, below];
}

function drawIcicle(width) {
  const root = topDownCalls(), [kernel] = root.children.values();
  if (!kernel) return s('svg', {width, height: 0});
  const height = depthOf(kernel) * ICICLE_HEIGHT;
  return s(
    'svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart'},
    icicleParts(kernel, 0, 0, width / kernel.total));
}
