// Where the measurements come from, and all of them as a table.

function filePanel(file) {
  const hidden = new Set(['device', 'kernel']);
  return panel(fileName(file), {hint: file.kind}, facts([
                 ['File', file.name], ['Device', file.device || 'unknown'],
                 ...Object.entries(file.settings).filter(([name]) => !hidden.has(name))
               ]));
}

function limitsPanel() {
  if (!gpu) return null;
  return panel(
    'Limits of the GPU', {id: 'limits', hint: gpu.name}, facts([
      ['Memory', `${digits(gpu.bandwidthGBs)} GB/s`], ['A copy reaches', `${digits(gpu.attainedBandwidthGBs)} GB/s`],
      ['fp32, no tensor cores', `${digits(gpu.fp32Tflops)} TFLOP/s`],
      ...Object.entries(gpu.tensorTflops).filter(([, rate]) => rate > 0).map(([
                                                                               name, rate
                                                                             ]) => [name, `${digits(rate)} TFLOP/s`]),
      ['Empty launch', microseconds(gpu.launchUs)]
    ]));
}

function allRows() {
  const parameters = distinct(report.rows.flatMap((row) => Object.keys(row.parameters)));
  return [
    [
      'file', 'kernel', 'case', 'provider', 'configuration', ...parameters, 'state', 'reason',
      ...presentMetrics.map((metric) => metric.id)
    ],
    ...report.rows.map(
      (row) =>
        [fileOf(row).name, caseOf(row).kernel, caseOf(row).size, row.provider, row.configuration,
         ...parameters.map((name) => row.parameters[name]), row.state, row.reason,
         ...presentMetrics.map((metric) => metric.of(row))])
  ];
}

function makeFiles() {
  const columns = [
    report.cases.length > 1 && {name: 'Case', of: (row) => caseText(caseOf(row))}, {name: 'Configuration', of: nameOf},
    {name: 'State', of: (row) => row.state},
    ...presentMetrics.map((metric) => ({
                            name: metric.name,
                            long: metric.long,
                            number: true,
                            of: metric.of,
                            cell: (row) => (metric.of(row) === null ? null : metric.text(metric.of(row)))
                          }))
  ].filter(Boolean);
  return [
    h('div', {class: 'columns even'}, h('div', {class: 'stack'}, report.files.map(filePanel)), limitsPanel()),
    panel(
      'All rows', {id: 'rows', hint: plural(report.rows.length, 'row'), tools: plotTools('all', null, allRows)},
      sortableTable(columns, report.rows, {caption: 'All rows'}))
  ];
}
