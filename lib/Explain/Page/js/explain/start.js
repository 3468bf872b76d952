// Puts the page together. Files are joined in the order of their names; nothing runs before all of them are there.

function makeChips() {
  const {kernel, gpu, time, launch} = report;
  byId('chips').append(
    h('span', {class: 'chip'}, placeLink(kernel.file, kernel.line)), h('span', {class: 'chip'}, gpu.name),
    h('span', {class: 'chip wide'}, kernel.target), h('span', {class: 'chip strong'}, microseconds(time.predicted)),
    h('span', {class: 'chip wide'}, `grid ${launch.grid.join(' × ')}`));
}

function searchSource() {
  show('source');
  byId('source-search').focus();
  byId('source-search').select();
}

const EXPLAIN_KEYS = {
  keys: [
    ['/', 'search the source'],
    ['↑ ↓ PgUp PgDn', 'lines of the source or of a stage, entries of a list'],
    ['← →', 'views; open and close functions; move the timeline'],
    ['Enter', 'from a line to the stage beside it; next match of a search'],
    ['+ − 0', 'zoom the timeline, show all of it'],
    ['Esc', 'clear a search'],
  ],
  actions: {'/': searchSource},
  note: 'Times are predicted from what the simulator counts; docs/explain.md of tilec says how.'
};

const searchButton = () => topButton(
  'search-button', 'Search the source', '/',
  'M10.5 4a6.5 6.5 0 1 0 4 11.6l5 5 1.4-1.4-5-5A6.5 6.5 0 0 0 10.5 4m0 2a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9',
  searchSource);

function start() {
  startTheme();
  makeChips();
  addView('summary', 'Summary', makeSummary);
  addView('source', 'Source', makeSource, {count: report.lines.length, reveal: revealSourceRow});
  addView('layouts', 'Layouts', makeLayouts, {count: report.tensors.length + report.conversions.length});
  addView('time', 'Time', makeTime);
  addView('launch', 'Launch', makeLaunch);
  if (report.against) addView('compare', 'Compare', makeCompare);
  startKeys({...EXPLAIN_KEYS, buttons: [searchButton()]});
  startViews();
  document.documentElement.dataset.ready = 'true';
}

document.addEventListener('DOMContentLoaded', start);
