// The keyboard, and the dialog that lists it.

/// The keys of every page around those of one kind.
const keyList = (own) =>
  [...own,
   [`1 – ${views.length}`, 'the views, from left to right'],
   ['Tab, Shift+Tab', 'from part to part'],
   ['t', 'light or dark'],
   ['?', 'this list'],
   ['Esc', 'close it'],
];

function makeHelp(keys, note) {
  const dialog =
    h('dialog', {class: 'help', 'aria-label': 'Keys'},
      h('div', {class: 'panel-head'}, h('h2', {}, 'Keys'),
        h('div', {class: 'tools'},
          h('button', {type: 'button', class: 'quiet', onclick: () => dialog.close()}, 'Close'))),
      h('dl', {class: 'key-list'},
        keyList(keys).map(([key, text]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)))),
      h('p', {class: 'muted small'}, note));
  document.body.append(dialog);
  return dialog;
}

/// A button at the top of the page: `content` is a text, or the path of an icon of 24 pixels.
function topButton(id, label, key, content, act) {
  const icon = /^M\d/.test(content) &&
    s('svg', {viewBox: '0 0 24 24', width: 17, height: 17, 'aria-hidden': 'true', class: 'icon'},
      s('path', {d: content}));
  return h(
    'button', {
      type: 'button',
      class: 'icon-button',
      id,
      'aria-label': label,
      title: key ? `${label} (${key})` : label,
      onclick: act
    },
    icon || content);
}

/// What one kind of page adds: `keys` as [key, text], `actions` by key, `buttons`, and a `note` below the list of keys.
function startKeys({keys = [], actions = {}, buttons = [], note = ''}) {
  const dialog = makeHelp(keys, note);
  byId('actions').append(
    ...buttons,
    topButton(
      'json-button', 'Save the report as JSON', null,
      'M11 3h2v9.2l3.3-3.3 1.4 1.4L12 16l-5.7-5.7 1.4-1.4 3.3 3.3V3M4 19h16v2H4z', saveJson),
    topButton(
      'theme-button', 'Light or dark', 't',
      'M12 3a9 9 0 1 0 9 9c0-.5 0-.9-.1-1.4A5.4 5.4 0 0 1 13.400 3.100 9 9 0 0 0 12 3', toggleTheme),
    topButton('help-button', 'Keys', '?', '?', () => dialog.showModal()));
  const all = {...actions, '?': () => dialog.showModal(), t: toggleTheme};
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, dialog');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const number = Number(event.key);
    if (event.key in all)
      all[event.key]();
    else if (number >= 1 && number <= views.length)
      show(views[number - 1].id);
    else
      return;
    event.preventDefault();
  });
}
