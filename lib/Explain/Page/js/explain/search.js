// A search box over rows of text: Enter goes to the next row, Shift+Enter to the one before.

/// `source` has find(matches) -> rows, reveal(row) and mark(rows).
function searchBox(id, label, source) {
  let found = [], at = -1;
  const count = h('output', { class: 'search-count', for: id });
    const input = h(
      'input', {type: 'search', id, placeholder: label, 'aria-label': label, autocomplete: 'off', spellcheck: 'false'});
    function update() {
      const text = input.value.trim().toLowerCase();
      found = text ? source.find((line) => line.toLowerCase().includes(text)) : [];
      at = -1;
      source.mark(found);
      count.textContent = text ? String(found.length) : '';
    }
    function step(by) {
      if (found.length === 0) return;
      at = (at + by + found.length) % found.length;
      count.textContent = `${at + 1}/${found.length}`;
      source.reveal(found[at]);
    }
    input.addEventListener('input', () => {
      update();
      if (found.length > 0) step(1);
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        step(event.shiftKey ? -1 : 1);
      } else if (event.key === 'Escape') {
        input.value = '';
        update();
      }
    });
    const box = h('div', {class: 'search', role: 'search'}, input, count);
    box.refresh = update;
    return box;
}
