// Another report beside this one: what differs, the largest difference first.

/// How much the other one has more: of times in microseconds, of counts as a logarithm, so that half and double are as
/// far away; what only one has is more than 64 times as much.
const changeOfTime = ({here, there}) => there - here;
const changeOfCount = ({here, there}) => Math.max(-6, Math.min(6, Math.log2((there || 1e-9) / (here || 1e-9))));

function ratioText(a, b) {
  if (a === b) return 'same';
  if (!(a > 0)) return 'only other';
  if (!(b > 0)) return 'only this';
  const ratio = b / a;
  return ratio >= 1 ? `${digits(ratio)}×` : `1/${digits(1 / ratio)}`;
}

/// Pairs of rows by name: {name, here, there, text}.
function pairUp(here, there) {
  const names = [...new Set([...here, ...there].map((row) => row.name))];
  return names.map((name) => {
    const a = here.find((row) => row.name === name), b = there.find((row) => row.name === name);
    return {
      name,
      here: a?.value ?? 0,
      there: b?.value ?? 0,
      hereText: a?.text ?? '0',
      thereText: b?.text ?? '0',
      link: a?.link
    };
  });
}

/// `change` gives the size of a difference with its sign: rows are in its order, and bars as long.
function differenceTable(title, pairs, {change, id, caption}) {
  const rows = pairs.filter((pair) => pair.here !== pair.there);
  rows.sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
  const same = pairs.length - rows.length;
  const most = rows.length > 0 ? Math.abs(change(rows[0])) : 1;
  const bar = (pair) => {
    const share = change(pair) / most;
    return h(
      'span', {class: 'change', 'aria-hidden': 'true'},
      h('i', {class: share > 0 ? 'more' : 'less', style: `width: ${Math.abs(share) * 50}%`}));
  };
  const part = (some) => table(
    [caption, {name: 'This', number: true}, {name: 'Other', number: true}, {name: 'Other / this', number: true}, ''],
    some.map(
      (pair) => [pair.link ?? pair.name, pair.hereText, pair.thereText, ratioText(pair.here, pair.there), bar(pair)]),
    {caption: title, className: 'compare'});
  return panel(
    title, {id, hint: same > 0 ? `${same} are the same` : ''},
    rows.length === 0 ? h('p', {class: 'muted'}, 'No difference.') : part(rows.slice(0, 16)),
    rows.length > 16 &&
      h('details', {class: 'more'}, h('summary', {}, `${rows.length - 16} more`), part(rows.slice(16))));
}

const timeRows = (data) =>
  [{name: 'Predicted', value: data.time.predicted, text: microseconds(data.time.predicted)},
   ...(
     data.time.measured === null ?
       [] :
       [{name: 'Measured', value: data.time.measured, text: microseconds(data.time.measured)}]),
   ...(
     data.time.measuredWarm === null ?
       [] :
       [{name: 'Measured, warm cache', value: data.time.measuredWarm, text: microseconds(data.time.measuredWarm)}]),
   ...data.time.terms.map((term) => ({name: termName(term.name), value: term.time, text: microseconds(term.time)}))];

const resourceRows =
  (data) => [['Registers of a thread', data.resources.registers, String],
             ['Spilled bytes', data.resources.spillBytes, byteCount],
             ['Shared memory', data.resources.staticSharedBytes + data.resources.dynamicSharedBytes, byteCount],
             ['Warps on a multiprocessor', data.occupancy.warps, String],
             ['CTAs on a multiprocessor', data.occupancy.ctas, String], ['Waves', data.waves.count, digits],
             ['Threads of a CTA', data.launch.threadsPerCta, String], ['CTAs', data.launch.ctas, compact],
             ['Attained TFLOP/s', data.roofline.attained, digits], ['Bandwidth, GB/s', data.roofline.bandwidth, digits]]
              .filter(([, value]) => value !== null)
              .map(([name, value, text]) => ({name, value, text: text(value)}));

/// Lines are the same where their text is; the number tells repeated texts apart.
function lineRows(data, isHere) {
  const seen = new Map();
  return data.lines.filter((line) => line.time > 0).map((line) => {
    const {firstLine, lines} = data.files[line.file];
    const text = (lines[line.line - firstLine] ?? '').trim(), count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    const code = h('code', {}, text);
    return {
      name: count > 1 ? `${text} #${count}` : text,
      value: line.time,
      text: microseconds(line.time),
      link: isHere ? [placeLink(line.file, line.line, `line ${line.line}`), ' ', code] : code
    };
  });
}

function compareHead(name, data) {
  return h(
    'section', {class: 'panel', 'aria-label': name},
    h('div', {class: 'panel-head'}, h('h2', {}, name),
      h('span', {class: 'hint'}, `${baseName(data.files[0].name)}, ${data.kernel.name}`)),
    h('p', {class: 'bound'}, microseconds(data.time.predicted)), h('p', {}, prose(data.verdict.text)), facts([
      ['GPU', data.gpu.name], ['Grid', data.launch.grid.join(' × ')],
      ...Object.entries(data.kernel.options).map(([option, value]) => [option, String(value)]),
      ...data.launch.constants.map((constant) => [constant.name, h('code', {}, constant.value)])
    ]));
}

function headlineOf(ratio) {
  if (Math.abs(ratio - 1) < 0.01) return 'Both are predicted to take the same time.';
  return ratio > 1 ? `This is predicted to be ${digits(ratio)}× faster than the other.` :
                     `The other is predicted to be ${digits(1 / ratio)}× faster than this.`;
}

function makeCompare() {
  const other = report.against;
  const lines = pairUp(lineRows(report, true), lineRows(other, false));
  const linked = lines.map((pair) => ({...pair, link: pair.link ?? h('code', {}, pair.name)}));
  const time = differenceTable(
    'Time', pairUp(timeRows(report), timeRows(other)), {change: changeOfTime, id: 'compare-time', caption: 'Term'});
  const resources = differenceTable(
    'Resources', pairUp(resourceRows(report), resourceRows(other)),
    {change: changeOfCount, id: 'compare-resources', caption: 'Resource'});
  const counters = differenceTable(
    'Counters', pairUp(counterRows(report.totals), counterRows(other.totals)),
    {change: changeOfCount, id: 'compare-counters', caption: 'Counter'});
  return [
    h('section', {class: 'panel', 'aria-label': 'Comparison'},
      h('p', {class: 'headline'}, headlineOf(other.time.predicted / report.time.predicted))),
    h('div', {class: 'columns even'}, compareHead('This', report), compareHead('Other', other)),
    h('div', {class: 'columns even'}, h('div', {class: 'stack'}, time, resources), counters),
    differenceTable('Time of lines', linked, {change: changeOfTime, id: 'compare-lines', caption: 'Line'}),
  ];
}
