// The keyboard, and the dialog that lists it.

const keyList = () => [
  ['/', 'search the source'],
  [`1 – ${views.length}`, 'the views, from left to right'],
  ['Tab, Shift+Tab', 'from part to part'],
  ['↑ ↓ PgUp PgDn', 'lines of the source or of a stage, entries of a list'],
  ['← →', 'views; open and close functions; move the timeline'],
  ['Enter', 'from a line to the stage beside it; next match of a search'],
  ['+ − 0', 'zoom the timeline, show all of it'],
  ['t', 'light or dark'],
  ['?', 'this list'],
  ['Esc', 'close it, clear a search'],
];

function makeHelp() {
  const dialog =
    h('dialog', {class: 'help', 'aria-label': 'Keys'},
      h('div', {class: 'panel-head'}, h('h2', {}, 'Keys'),
        h('div', {class: 'tools'},
          h('button', {type: 'button', class: 'quiet', onclick: () => dialog.close()}, 'Close'))),
      h('dl', {class: 'key-list'},
        keyList().map(([key, text]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)))),
      h('p', {class: 'muted small'},
        'Times are predicted from what the simulator counts; docs/explain.md of tilec says how.'));
  document.body.append(dialog);
  return dialog;
}

function searchSource() {
  show('source');
  byId('source-search').focus();
  byId('source-search').select();
}

function startKeys() {
  const dialog = makeHelp();
  const icon = (path) =>
    s('svg', {viewBox: '0 0 24 24', width: 17, height: 17, 'aria-hidden': 'true', class: 'icon'}, s('path', {d: path}));
  byId('actions').append(
    h('button', {
      type: 'button',
      class: 'icon-button',
      id: 'search-button',
      'aria-label': 'Search the source',
      title: 'Search the source (/)',
      onclick: searchSource
    },
      icon(
        'M10.5 4a6.5 6.5 0 1 0 4 11.6l5 5 1.4-1.4-5-5A6.5 6.5 0 0 0 10.5 4m0 2a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9')),
    h('button', {
      type: 'button',
      class: 'icon-button',
      id: 'json-button',
      'aria-label': 'Save the report as JSON',
      title: 'Save the report as JSON',
      onclick: saveJson
    },
      icon('M11 3h2v9.2l3.3-3.3 1.4 1.4L12 16l-5.7-5.7 1.4-1.4 3.3 3.3V3M4 19h16v2H4z')),
    h('button', {
      type: 'button',
      class: 'icon-button',
      id: 'theme-button',
      'aria-label': 'Light or dark',
      title: 'Light or dark (t)',
      onclick: toggleTheme
    },
      icon('M12 3a9 9 0 1 0 9 9c0-.5 0-.9-.1-1.4A5.4 5.4 0 0 1 13.400 3.100 9 9 0 0 0 12 3')),
    h('button', {
      type: 'button',
      class: 'icon-button',
      id: 'help-button',
      'aria-label': 'Keys',
      title: 'Keys (?)',
      onclick: () => dialog.showModal()
    },
      '?'));
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, dialog');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {'/': searchSource, '?': () => dialog.showModal(), t: toggleTheme};
    const number = Number(event.key);
    if (event.key in actions)
      actions[event.key]();
    else if (number >= 1 && number <= views.length)
      show(views[number - 1].id);
    else
      return;
    event.preventDefault();
  });
}
