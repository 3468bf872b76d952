// Puts the page together.

function makeChips() {
  const {settings} = report.files[0];
  byId('chips').append(
    ...devices.map((device) => h('span', {class: 'chip'}, device)),
    h('span', {class: 'chip strong'}, plural(measuredRows.length, 'measurement')),
    ...(report.cases.length > 1 ? [h('span', {class: 'chip wide'}, plural(report.cases.length, 'case'))] : []),
    ...(
      settings.flushL2 ?
        [h('span', {class: 'chip wide'}, settings.flushL2 === 'true' ? 'cold L2 cache' : 'warm L2 cache')] :
        []));
}

const MEASURED_KEYS = {
  keys: [['← →', 'views, choices'], ['Enter, Space', 'sort by a column, switch a line, open timings']],
  note: 'docs/measurements.md of tilec says what files a page can show.'
};

function start() {
  startTheme();
  makeChips();
  addView('summary', 'Summary', makeSummary);
  if (report.cases.length > 1) addView('sizes', 'Sizes', makeSweep, {count: report.cases.length});
  addView('configurations', 'Configurations', makeConfigurations, {count: distinct(report.rows.map(nameOf)).length});
  addView('timings', 'Timings', makeTimings);
  addView('files', 'Data', makeFiles);
  startKeys(MEASURED_KEYS);
  startViews();
  document.documentElement.dataset.ready = 'true';
}

document.addEventListener('DOMContentLoaded', start);
