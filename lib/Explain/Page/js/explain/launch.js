// The launch and its numbers: arguments, options, resources, the GPU, counters.

function argumentsPanel() {
  const {launch} = report;
  const rows = launch.arguments.map(
    (argument) =>
      [h('code', {}, argument.name), h('code', {}, argument.type), argument.kind,
       argument.kind === 'number' ? argument.value : `${argument.dtype} ${shapeText(argument.shape)}`,
       argument.bytes ? byteCount(argument.bytes) : '']);
  return panel(
    'Arguments', {id: 'arguments'},
    table(['Name', 'Type', 'Kind', 'Value or shape', {name: 'Size', number: true}], rows, {caption: 'Arguments'}),
    launch.constants.length > 0 &&
      [h('h3', {}, 'Constants'), facts(launch.constants.map(({name, value}) => [name, h('code', {}, value)]))]);
}

function configurationPanel() {
  const {launch, kernel, resources, version} = report;
  return panel(
    'Launch', {id: 'launch-facts'}, facts([
      ['Kernel', placeLink(kernel.file, kernel.line, kernel.name)],
      ['Grid', launch.grid.join(' × ')],
      ['Programs', whole(launch.programs)],
      ['CTAs', whole(launch.ctas)],
      ['Threads of a CTA', String(launch.threadsPerCta)],
      ['Cluster', launch.cluster.join(' × ')],
      launch.splitK > 1 && ['Split of K', String(launch.splitK)],
      ['Persistent', launch.isPersistent ? 'yes' : 'no'],
      launch.sampled && ['Simulated programs', `${launch.sampled.programs} of ${launch.sampled.of}`],
      ...Object.entries(kernel.options).map(([name, value]) => [name, String(value)]),
      ['Registers', resources.registers === null ? 'unknown: needs ptxas' : String(resources.registers)],
      ['Spilled', resources.spillBytes === null ? 'unknown: needs ptxas' : byteCount(resources.spillBytes)],
      [
        'Shared memory',
        `${byteCount(resources.dynamicSharedBytes)} dynamic, ${byteCount(resources.staticSharedBytes)} static`
      ],
      ['Target', kernel.target],
      ['Run on', kernel.device === 'sim' ? 'the simulator' : kernel.device],
      ['tilec', version],
    ]));
}

function gpuPanel() {
  const {gpu} = report;
  return panel(gpu.name, {id: 'gpu'}, facts([
                 ['Multiprocessors', String(gpu.multiprocessors)],
                 ['Clock', `${digits(gpu.clockGHz)} GHz`],
                 ['Memory', `${digits(gpu.bandwidthGBs)} GB/s`],
                 ['A copy reaches', `${digits(gpu.attainedBandwidthGBs)} GB/s`],
                 ['Second cache', `${digits(gpu.cacheGBs)} GB/s`],
                 ['fp32', `${digits(gpu.fp32Tflops)} TFLOP/s`],
                 ...tensorRates().map(([name, value]) => [`Tensor cores, ${name}`, `${digits(value)} TFLOP/s`]),
                 ['An empty kernel', microseconds(gpu.launchUs)],
                 ['Latency of memory', microseconds(gpu.latencyUs)],
               ]));
}

const COUNTER_NAMES = {
  bulkLoadBytes: ['Bytes of bulk loads (TMA)', byteCount],
  bulkStoreBytes: ['Bytes of bulk stores (TMA)', byteCount],
  asyncCopies: ['Asynchronous copies'],
  atomics: ['Atomics'],
  hottestAtomics: ['Atomics at one address'],
  sharedAtomics: ['Atomics on shared memory'],
  shuffles: ['Shuffles'],
  votes: ['Votes'],
  reduxes: ['Reductions in a warp'],
  barriers: ['Barriers'],
  mmas: ['mma'],
  wgmmas: ['wgmma'],
  multiplyAdds: ['Multiply-adds of dots'],
};

/// All counters as rows of name, number and text, for tables and comparisons.
function counterRows(counters) {
  const rows = [];
  const add = (name, value, text = compact) => value !== undefined && rows.push({name, value, text: text(value)});
  for (const [key, name] of [
         ['globalLoad', 'Global loads'], ['globalStore', 'Global stores'], ['sharedLoad', 'Shared loads'],
         ['sharedStore', 'Shared stores']]) {
    const access = counters[key];
    if (!access) continue;
    const unit = key.startsWith('global') ? 'sectors' : 'wavefronts';
    add(`${name}: requests`, access.requests);
    add(`${name}: ${unit}`, access.cost);
    add(`${name}: ${unit} that its bytes need`, access.ideal);
    add(`${name}: bytes`, access.bytes, byteCount);
    add(`${name}: lanes masked off`, access.masked);
  }
  for (const [key, [name, text]] of Object.entries(COUNTER_NAMES)) add(name, counters[key], text);
  for (const [name, value] of Object.entries(counters.instructions ?? {})) add(`Instructions: ${name}`, value);
  add('Different bytes read', counters.footprint?.read, byteCount);
  add('Different bytes written', counters.footprint?.written, byteCount);
  return rows;
}

function countersPanel() {
  const rows = counterRows(report.totals);
  const csv = () => [['counter', 'value'], ...rows.map(({name, value}) => [name, value])];
  return panel(
    'Counters of the launch', {
      id: 'counters',
      hint: report.launch.sampled ? 'of a sample, multiplied' : 'every program counted',
      tools: plotTools('counters', null, csv)
    },
    table(
      ['Counter', {name: 'Value', number: true}, {name: 'Exactly', number: true}],
      rows.map(({name, value, text}) => [name, text, whole(value)]), {caption: 'Counters'}));
}

function remarksPanel() {
  if (report.remarks.length === 0) return null;
  return panel(
    'Remarks', {id: 'remarks', hint: plural(report.remarks.length, 'remark')},
    h('ul', {class: 'plain remarks'},
      mergeRemarks(report.remarks)
        .map(
          ({remark, count}) =>
            h('li', {}, placeLink(remark.file, remark.line), ' ', h('span', {class: 'tag'}, remark.category), ' ',
              remark.message, count > 1 && h('span', {class: 'muted'}, ` (${count} times)`),
              remark.notes.map((note) => h('p', {class: 'note'}, note)),
              Object.keys(remark.metrics).length > 0 &&
                h('details', {class: 'more'}, h('summary', {}, 'Numbers'),
                  facts(Object.entries(remark.metrics).map(([name, value]) => [name, h('code', {}, value)])))))));
}

function makeLaunch() {
  return [
    h('div', {class: 'columns even'}, h('div', {class: 'stack'}, configurationPanel(), argumentsPanel(), gpuPanel()),
      h('div', {class: 'stack'}, countersPanel())),
    remarksPanel(), exportsPanel()
  ];
}
