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

/// What only one of both knows cannot be compared.
function pairsOfBoth(here, there) {
  const known = (rows, others) => rows.filter(({name}) => others.some((other) => other.name === name));
  return [known(here, there), known(there, here)];
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

/// Whether the simulator ran both. What Triton has compiled is known from its code, and from a GPU.
const areCounted = (other) => other.time.predicted !== null;

/// The predicted times are left out where one of both has none.
const timeRows = (data, isPredicted) =>
  [...(isPredicted ? [{name: 'Predicted', value: data.time.predicted, text: microseconds(data.time.predicted)}] : []),
   ...(
     data.time.measured === null ?
       [] :
       [{name: 'Measured', value: data.time.measured, text: microseconds(data.time.measured)}]),
   ...(
     data.time.measuredWarm === null ?
       [] :
       [{name: 'Measured, warm cache', value: data.time.measuredWarm, text: microseconds(data.time.measuredWarm)}]),
   ...(isPredicted ? data.time.terms : [])
     .map((term) => ({name: termName(term.name), value: term.time, text: microseconds(term.time)}))];

/// Instructions of the code, each once, however often it runs.
const codeRows = ({code}) => code === null ? [] : [
  {name: 'Instructions', value: code.instructions, text: whole(code.instructions)},
  ...code.classes.map(({text, count}) => ({name: capital(text), value: count, text: whole(count)}))
];

const resourceRows =
  (data) => [['Registers of a thread', data.resources.registers, String],
             ['Spilled bytes', data.resources.spillBytes, byteCount],
             ['Local bytes of a thread', data.resources.localBytes, byteCount],
             ['Shared memory', data.resources.staticSharedBytes + data.resources.dynamicSharedBytes, byteCount],
             ['Warps on a multiprocessor', data.occupancy.warps, String],
             ['CTAs on a multiprocessor', data.occupancy.ctas, String], ['Waves', data.waves.count, digits],
             ['Threads of a CTA', data.launch.threadsPerCta, String], ['CTAs', data.launch.ctas, compact],
             ['Attained TFLOP/s', data.roofline?.attained, digits],
             ['Bandwidth, GB/s', data.roofline?.bandwidth, digits]]
              .filter(([, value]) => value !== null && value !== undefined)
              .map(([name, value, text]) => ({name, value, text: text(value)}));

const placeOfLine = (name, line) => `${baseName(name)}:${line}`;
const isSampled = (data) => (data.samples?.count ?? 0) > 0 && data.time.measured !== null;

/// What lines are compared by, {title, of, text, change}: predicted times, else those that samples of both say, else
/// instructions of both codes.
function lineValue(here, there) {
  if (areCounted(there))
    return {title: 'Time of lines', of: () => (line) => line.time, text: microseconds, change: changeOfTime};
  if (isSampled(here) && isSampled(there)) {
    const of = (data) => (line) => data.time.measured * (line.samples?.self ?? 0) / data.samples.count;
    return {title: 'Measured time of lines', of, text: microseconds, change: changeOfTime};
  }
  if (here.code === null || there.code === null) return null;
  const of = () => (line) => sumWithoutExchanges(line.code);
  return {title: 'Instructions of lines', of, text: whole, change: changeOfTime};
}

/// Lines are the same where their text is; the number tells repeated texts apart.
function lineRows(data, isHere, {of, text: textOf}) {
  const seen = new Map(), valueOf = of(data);
  return data.lines.filter((line) => valueOf(line) > 0).map((line) => {
    const {name, firstLine, lines} = data.files[line.file];
    const text = (lines[line.line - firstLine] ?? placeOfLine(name, line.line)).trim(),
          count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    const code = h('code', {}, text);
    return {
      name: count > 1 ? `${text} #${count}` : text,
      value: valueOf(line),
      text: textOf(valueOf(line)),
      link: isHere ? [placeLink(line.file, line.line, `line ${line.line}`), ' ', code] : code
    };
  });
}

/// Of both the same: predicted, else measured where both were.
function knownTime(data) {
  const {time} = data, isMeasured = !areCounted(report.against) && report.against.time.measured !== null;
  const shown = isMeasured ? time.measured : time.predicted;
  return shown === null ? 'Time not known' : microseconds(shown);
}

function compareHead(name, data) {
  return h(
    'section', {class: 'panel', 'aria-label': name},
    h('div', {class: 'panel-head'}, h('h2', {}, name),
      h('span', {class: 'hint'}, `${baseName(data.files[0].name)}, ${data.kernel.name}`)),
    h('p', {class: 'bound'}, knownTime(data)), h('p', {}, prose(data.verdict.text)), facts([
      ['Compiler', data.compiler === 'triton' ? `Triton ${data.version}` : `tilec ${data.version}`],
      ['GPU', data.gpu.name], ['Grid', data.launch.grid.join(' × ')],
      ...Object.entries(data.kernel.options).map(([option, value]) => [option, String(value)]),
      ...data.launch.constants.map((constant) => [constant.name, h('code', {}, constant.value)])
    ]));
}

function headlineOf(other) {
  const isMeasured = !areCounted(other);
  const times = [report, other].map(({time}) => (isMeasured ? time.measured : time.predicted));
  if (times.includes(null))
    return 'Which is faster is not known without a launch on a GPU: resources and code are compared.';
  const what = isMeasured ? 'was measured to be' : 'is predicted to be', ratio = times[1] / times[0];
  if (Math.abs(ratio - 1) < 0.01)
    return isMeasured ? 'Both take the same time.' : 'Both are predicted to take the same time.';
  return ratio > 1 ? `This ${what} ${digits(ratio)}× faster than the other.` :
                     `The other ${what} ${digits(1 / ratio)}× faster than this.`;
}

/// What both kernels have written on a GPU.
function outputsPanel({outputs}) {
  if (!outputs) return null;
  const number = (value) => (value === null ? 'no number' : digits(value));
  return panel(
    'Arrays behind both', {id: 'compare-outputs'},
    table(
      [
        'Array', {name: 'Elements', number: true}, {name: 'Different', number: true},
        {name: 'By at most', number: true}, {name: 'Of the value', number: true}
      ],
      outputs.map(
        ({name,
          elements,
          different,
          largest,
          largestRelative}) => [name, whole(elements), whole(different), number(largest), number(largestRelative)]),
      {caption: 'Arrays behind both'}));
}

function compareLines(other) {
  const value = lineValue(report, other);
  if (!value) return null;
  const lines = pairUp(lineRows(report, true, value), lineRows(other, false, value));
  const linked = lines.map((pair) => ({...pair, link: pair.link ?? h('code', {}, pair.name)}));
  return differenceTable(value.title, linked, {change: value.change, id: 'compare-lines', caption: 'Line'});
}

function makeCompare() {
  const other = report.against, isCounted = areCounted(other);
  const times = [report, other].map((data) => timeRows(data, isCounted));
  const hasTimes = times.every((rows) => rows.length > 0);
  const time =
    hasTimes && differenceTable('Time', pairUp(...times), {change: changeOfTime, id: 'compare-time', caption: 'Term'});
  const resources = differenceTable(
    'Resources', pairUp(...pairsOfBoth(resourceRows(report), resourceRows(other))),
    {change: changeOfCount, id: 'compare-resources', caption: 'Resource'});
  const counters = isCounted &&
    differenceTable('Counters', pairUp(counterRows(report.totals), counterRows(other.totals)),
                    {change: changeOfCount, id: 'compare-counters', caption: 'Counter'});
  const code =
    report.code !== null && other.code !== null &&
    differenceTable(
      'Code', pairUp(codeRows(report), codeRows(other)), {change: changeOfTime, id: 'compare-code', caption: 'Class'});
  return [
    h('section', {class: 'panel', 'aria-label': 'Comparison'}, h('p', {class: 'headline'}, headlineOf(other))),
    h('div', {class: 'columns even'}, compareHead('This', report), compareHead('Other', other)),
    h('div', {class: 'columns even'}, h('div', {class: 'stack'}, time, resources, outputsPanel(other)),
      h('div', {class: 'stack'}, counters, code)),
    compareLines(other),
    comparedStages(report, other),
  ];
}
