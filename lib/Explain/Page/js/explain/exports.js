// The data in the formats of other tools.

/// Calls as sampled profiles of speedscope: a sample for each place, as heavy as its time, and as its samples of a GPU.
function saveSpeedscope() {
  const frames = [], indexes = new Map();
  const frameOf = (frame) => {
    const name = `${frame.function} (${placeText(frame.file, frame.line)})`;
    if (!indexes.has(name)) {
      indexes.set(name, frames.length);
      frames.push({name, file: report.files[frame.file].name, line: frame.line});
    }
    return indexes.get(name);
  };
  const samples = report.calls.map((call) => call.stack.map(frameOf));
  const profileOf = (name, unit, weightOf) => {
    const weights = report.calls.map(weightOf);
    return {
      type: 'sampled',
      name,
      unit,
      startValue: 0,
      endValue: weights.reduce((total, weight) => total + weight, 0),
      samples,
      weights
    };
  };
  const profiles = [profileOf(report.kernel.name, 'microseconds', (call) => call.time)];
  if (hasSamples()) profiles.push(profileOf(`${report.kernel.name}, samples`, 'none', (call) => call.samples));
  const text = JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    shared: {frames},
    profiles,
    name: report.kernel.name,
    exporter: `tilec ${report.version}`
  });
  download(`${fileStem()}.speedscope.json`, text, 'application/json');
}

/// The timeline as Chrome's trace events, which Perfetto opens: a thread for each warp, one more for its dots in
/// flight.
function saveTrace() {
  const events = [];
  for (const warp of report.timeline.warps) {
    const thread = (warp.number + 1) * 16;
    const name = `warp ${warp.number}${warp.role ? `, ${warp.role}` : ''}`;
    events.push({ph: 'M', name: 'thread_name', pid: warp.cta, tid: thread, args: {name}});
    const add = (span, tid) => {
      const [index, begin, end, , number] = span, event = report.timeline.events[index],
                                  line = event.line === null ? null : report.lines[event.line];
      events.push({
        ph: 'X',
        name: event.text,
        cat: event.kind,
        pid: warp.cta,
        tid,
        ts: begin,
        dur: end - begin,
        args: {number, line: line && placeText(line.file, line.line)}
      });
    };
    warp.spans.forEach((span) => add(span, thread));
    for (const span of warp.flights) {
      const tid = thread + 1 + span[3];
      events.push({ph: 'M', name: 'thread_name', pid: warp.cta, tid, args: {name: `${name}: dots in flight`}});
      add(span, tid);
    }
  }
  download(
    `${fileStem()}.trace.json`, JSON.stringify({traceEvents: events, displayTimeUnit: 'ns'}), 'application/json');
}

function exportsPanel() {
  const item = (name, text, act) =>
    h('li', {}, h('button', {type: 'button', onclick: act}, name), h('span', {class: 'muted'}, text));
  return panel(
    'Take it with you', {id: 'exports'},
    h('ul', {class: 'exports'}, item('Report as JSON', 'everything that is on this page', saveJson),
      item(
        'Lines as CSV', 'all counters of each line of the source',
        () => download(`${fileStem()}-lines.csv`, csvText(linesCsv()), 'text/csv')),
      item('Calls for speedscope', 'open it at speedscope.app', saveSpeedscope),
      report.timeline?.warps.length > 0 &&
        item('Timeline for Perfetto', 'open it at ui.perfetto.dev or chrome:tracing', saveTrace)));
}
