// Tables whose rows are sorted by the buttons in their head.

const byValue = (a, b) => {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return typeof a === 'string' ? a.localeCompare(b, 'en', {numeric: true}) : a - b;
};

/// Columns are {name, number, of, cell}: `of(row)` is what rows are sorted by, `cell(row)` what is shown, the same
/// without it; one without a name does not sort. What is not known comes last in both directions. `by`: the column that
/// rows are sorted by at first.
function sortableTable(columns, rows, {caption, by = null, isDown = false, most = 100} = {}) {
  const box = h('div', {class: 'sortable'});
  let shown = most;
  function sorted() {
    if (by === null) return rows;
    const {of} = columns[by], isKnown = (row) => of(row) !== null && of(row) !== undefined;
    const known = rows.filter(isKnown).sort((a, b) => byValue(of(a), of(b)));
    if (isDown) known.reverse();
    return [...known, ...rows.filter((row) => !isKnown(row))];
  }
  function sortBy(column) {
    isDown = by === column && !isDown;
    by = column;
    draw();
    box.querySelectorAll('thead th')[column].querySelector('button').focus();
    announce(`sorted by ${columns[column].name}, ${isDown ? 'descending' : 'ascending'}`);
  }
  function draw() {
    const
      list = sorted(),
      heads = columns.map(
        (column, i) => ({
          ...column,
          name: column.name &&
            h('button',
              {type: 'button', class: 'sort', title: column.long ?? `Sort by ${column.name}`, onclick: () => sortBy(i)},
              column.name,
              h('span', {class: 'sort-arrow', 'aria-hidden': 'true'}, i === by ? (isDown ? '▾' : '▴') : ''))
        }));
    const cells = (row) => columns.map(({of, cell}) => (cell ?? of)(row) ?? '–');
    const made = table(heads, list.slice(0, shown).map(cells), {caption});
    if (by !== null)
      made.querySelectorAll('thead th')[by].setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    const more = list.length > shown &&
      h('button', {
                   type: 'button',
                   class: 'quiet',
                   onclick: () => {
                     shown = Infinity;
                     draw();
                   }
                 },
        `Show all ${whole(list.length)} rows`);
    box.replaceChildren(made, ...(more ? [more] : []));
  }
  draw();
  return box;
}
