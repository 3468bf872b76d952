// Puts the page together. Files are joined in the order of their names; nothing runs before all of them are there.

function makeChips() {
  const {kernel, gpu, time, launch} = report;
  byId('chips').append(
    h('span', {class: 'chip'}, placeLink(kernel.file, kernel.line)), h('span', {class: 'chip'}, gpu.name),
    h('span', {class: 'chip wide'}, kernel.target), h('span', {class: 'chip strong'}, microseconds(time.predicted)),
    h('span', {class: 'chip wide'}, `grid ${launch.grid.join(' × ')}`));
}

function start() {
  startTheme();
  makeChips();
  addView('summary', 'Summary', makeSummary);
  addView('source', 'Source', makeSource, {count: report.lines.length});
  addView('layouts', 'Layouts', makeLayouts, {count: report.tensors.length + report.conversions.length});
  addView('time', 'Time', makeTime);
  addView('launch', 'Launch', makeLaunch);
  if (report.against) addView('compare', 'Compare', makeCompare);
  startKeys();
  startViews();
  document.documentElement.dataset.ready = 'true';
}

document.addEventListener('DOMContentLoaded', start);
