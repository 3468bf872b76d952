// Making elements, and small parts that several views share.

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/// An HTML element: attributes by name, listeners as 'onclick', children as nodes and texts.
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/// The same of SVG.
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);

function byId(id) {
  return document.getElementById(id);
}

/// Says something to screen readers.
function announce(text) {
  byId('status').textContent = text;
}

/// A box with a heading. `tools` stand at the right of the heading.
function panel(title, {id, tools, className, hint} = {}, ...children) {
  return h(
    'section', {class: `panel ${className ?? ''}`, id, 'aria-label': title},
    h('div', {class: 'panel-head'}, h('h2', {}, title), hint && h('span', {class: 'hint'}, hint),
      tools && h('div', {class: 'tools'}, tools)),
    children);
}

/// A table from texts and nodes; columns are names, or {name, number} for what stands at the right.
function table(columns, rows, {caption, className} = {}) {
  const isNumber = columns.map((column) => Boolean(column.number));
  return h(
    'div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption ?? 'table'},
    h('table', {class: className}, caption && h('caption', {class: 'hidden'}, caption),
      h('thead', {},
        h('tr', {},
          columns.map((column, i) => h('th', {scope: 'col', class: isNumber[i] && 'number'}, column.name ?? column)))),
      h('tbody', {},
        rows.map(
          (row) =>
            h('tr', {},
              row.map(
                (cell, i) =>
                  h(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: isNumber[i] && 'number'}, cell)))))));
}

/// A part of a limit as half a circle.
function gauge(share) {
  const radius = 52, length = Math.PI * radius;
  return s(
    'svg', {viewBox: '0 0 128 76', class: 'gauge', role: 'img', 'aria-label': `${percent(share)} of the limit`},
    s('path', {class: 'gauge-track', d: `M12 68 A${radius} ${radius} 0 0 1 116 68`}), s('path', {
      class: 'gauge-value',
      d: `M12 68 A${radius} ${radius} 0 0 1 116 68`,
      'stroke-dasharray': `${Math.min(1, share) * length} ${length}`
    }),
    s('text', {x: 64, y: 56, class: 'gauge-text'}, percent(share)),
    s('text', {x: 64, y: 72, class: 'gauge-label'}, 'of the limit'));
}

/// A name with a value, and what it means.
function stat(name, value, detail) {
  return h('div', {class: 'stat'}, h('dt', {}, name), h('dd', {}, value), detail && h('dd', {class: 'detail'}, detail));
}

/// Names and values below each other.
const facts = (pairs) =>
  h('dl', {class: 'facts'},
    pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined)
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

/// Buttons of which one is on: choices are [value, text, disabled reason].
function segmented(label, choices, current, choose) {
  const buttons = choices.map(
    ([value, text, absent]) =>
      h('button', {
        type: 'button',
        role: 'radio',
        'aria-checked': String(value === current),
        'data-value': value,
        title: absent,
        class: absent && 'absent',
        tabindex: value === current ? '0' : '-1',
        onclick: () => set(value, true),
      },
        text));
  function set(value, isChosen) {
    for (const button of buttons) {
      const isOn = button.dataset.value === String(value);
      button.setAttribute('aria-checked', String(isOn));
      button.tabIndex = isOn ? 0 : -1;
    }
    if (isChosen) choose(value);
  }
  const group = h('div', {class: 'segmented', role: 'radiogroup', 'aria-label': label}, buttons);
  moveByArrows(group, () => buttons, (button) => button.click());
  group.set = (value) => set(value, false);
  return group;
}

/// A list of which one is chosen: choices are [value, text].
function select(label, choices, current, choose) {
  const list =
    h('select', {'aria-label': label, title: label, onchange: () => choose(list.value)},
      choices.map(([value, text]) => h('option', {value, selected: String(value) === String(current)}, text)));
  return list;
}

/// Draws what is in a box anew, and gives the focus back to the choice of the same name.
function redrawKeepingFocus(box, draw) {
  const at = document.activeElement.closest('select, [role="radiogroup"]');
  const label = at && box.contains(at) && at.getAttribute('aria-label');
  draw();
  const again = label && box.querySelector(`[aria-label="${label}"]`);
  if (again) (again.querySelector('[aria-checked="true"]') ?? again).focus();
}

/// Arrow keys, Home and End move the focus among the elements of a group.
function moveByArrows(group, elements, arrive, {isVertical = false} = {}) {
  group.addEventListener('keydown', (event) => {
    const list = elements(), at = list.indexOf(event.target);
    const steps =
      {ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: list.length - 1};
    if (at < 0 || !(event.key in steps) || (isVertical && /Left|Right/.test(event.key))) return;
    event.preventDefault();
    const next = list[(steps[event.key] + list.length) % list.length];
    next.focus();
    arrive(next);
  });
}

/// Shows a text beside the pointer while it is over an element.
function tip(element, content) {
  element.addEventListener(
    'pointermove', (event) => showTip(typeof content === 'function' ? content(event) : content, event));
  element.addEventListener('pointerleave', hideTip);
}

function showTip(content, event) {
  const box = byId('tip');
  if (!content) return hideTip();
  box.replaceChildren(...[content].flat());
  box.hidden = false;
  const {width, height} = box.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 8);
  const top = event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

function hideTip() {
  byId('tip').hidden = true;
}

/// Calls `draw` with the width of an element now and whenever it changes; after the layout, as drawing changes it.
function onWidth(element, draw) {
  let last = -1;
  new ResizeObserver(() => requestAnimationFrame(() => {
                       const width = Math.floor(element.clientWidth);
                       if (width > 0 && width !== last) draw(last = width);
                     }))
    .observe(element);
}
