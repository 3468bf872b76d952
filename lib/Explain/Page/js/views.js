// The views as tabs. Every link in the page goes through show(), which opens the tab that its target is in.

const views = [];

/// Adds a view; `make` is called when it is shown for the first time. `reveal` brings an element of it into sight where
/// it is not the page that scrolls; false: that it does not know.
function addView(id, name, make, {count, reveal} = {}) {
  views.push({id, name, make, count, reveal, isMade: false});
}

const viewOf = (element) => views.find((view) => view.panel.contains(element));

function openView(view) {
  if (!view.isMade) {
    view.isMade = true;
    view.panel.append(...[view.make()].flat().filter(Boolean));
  }
  for (const other of views) {
    const isOpen = other === view;
    other.panel.hidden = !isOpen;
    other.tab.setAttribute('aria-selected', String(isOpen));
    other.tab.tabIndex = isOpen ? 0 : -1;
  }
  view.tab.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

/// Opens the view of the element with this id and brings it into sight.
function show(id, {isUser = true} = {}) {
  const view = views.find((candidate) => candidate.id === id);
  if (view) {
    openView(view);
    scrollTo({top: 0});
    return true;
  }
  // Rows of the source and parts of views exist once their view is made.
  for (const candidate of views) {
    if (!candidate.isMade) openView(candidate);
    if (byId(id)) break;
  }
  const element = byId(id);
  if (!element) return false;
  const owner = viewOf(element);
  if (owner) openView(owner);
  if (!owner?.reveal?.(element)) element.scrollIntoView({block: 'start'});
  if (isUser && element.tabIndex >= 0) element.focus({preventScroll: true});
  return true;
}

function startViews() {
  const tabs = byId('tabs'), main = byId('main');
  for (const view of views) {
    view.tab =
      h('a', {
        role: 'tab',
        href: `#${view.id}`,
        id: `tab-${view.id}`,
        'aria-controls': view.id,
        'aria-selected': 'false',
        tabindex: '-1',
      },
        view.name, view.count ? h('span', {class: 'count'}, String(view.count)) : null);
    view.panel =
      h('div', {role: 'tabpanel', id: view.id, 'aria-labelledby': `tab-${view.id}`, class: 'view', hidden: true});
    tabs.append(view.tab);
    main.append(view.panel);
  }
  moveByArrows(tabs, () => views.map((view) => view.tab), (tab) => tab.click());
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const id = link.getAttribute('href').slice(1);
    if (id === 'main')
      byId('main').focus();
    else if (show(id) && location.hash !== `#${id}`)
      history.pushState(null, '', `#${id}`);
  });
  const follow = () => show(location.hash.slice(1) || views[0].id, {isUser: false}) || openView(views[0]);
  addEventListener('popstate', follow);
  addEventListener('hashchange', follow);
  follow();
}
