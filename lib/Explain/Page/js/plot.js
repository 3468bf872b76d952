// What the plots share: a frame that gives SVG and CSV away, and text of an SVG with its colours.

/// Saves text as a file of the reader's.
function download(name, text, type = 'text/plain') {
  const link = h('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  announce(`${name} saved`);
}

const fileStem = () => byId('page-title').textContent.slice(0, 80).replace(/[^\w.-]+/g, '_');

const csvCell = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const csvText = (rows) => rows.map((row) => row.map((value) => csvCell(value ?? '')).join(',')).join('\n') + '\n';

const EXPORTED_STYLES = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-size', 'font-family',
  'font-weight', 'text-anchor'
];

/// An SVG as a file of its own: the style sheet's values become attributes.
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll('*')], to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of EXPORTED_STYLES) to[i].setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute('xmlns', SVG_NAMESPACE);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

/// Buttons that export a plot: its picture, and its numbers as rows.
function plotTools(name, svg, rows) {
  return [
    svg &&
      h('button', {
        type: 'button',
        class: 'quiet',
        title: 'Save this plot as SVG',
        onclick: () => download(`${fileStem()}-${name}.svg`, svgText(svg()), 'image/svg+xml')
      },
        'SVG'),
    rows &&
      h('button', {
        type: 'button',
        class: 'quiet',
        title: 'Save these numbers as CSV',
        onclick: () => download(`${fileStem()}-${name}.csv`, csvText(rows()), 'text/csv')
      },
        'CSV'),
  ];
}

/// A plot that is drawn anew for each width: `draw(width)` gives an SVG.
function plot(draw, label) {
  const box = h('div', {class: 'plot'});
  onWidth(box, (width) => {
    const svg = draw(width);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    box.replaceChildren(svg);
  });
  box.svg = () => box.querySelector('svg');
  return box;
}
