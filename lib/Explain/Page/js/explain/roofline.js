// The roofline: what the GPU could do at this kernel's operations for each byte, and what the kernel does.

/// Compute roofs of the GPU; the kernel's own is marked.
function computeRoofs() {
  const {gpu, roofline} = report;
  const roofs = [...tensorRates(), ['fp32, no tensor cores', gpu.fp32Tflops]].map(
    ([name, value]) => ({name, value, isOwn: Math.abs(value / roofline.peak - 1) < 0.02}));
  if (!roofs.some((roof) => roof.isOwn) && roofline.peak > 0)
    roofs.push({name: 'peak', value: roofline.peak, isOwn: true});
  const own = roofs.find((roof) => roof.isOwn);
  // Roofs of other units only where they are near enough to say something; fp64 is about as high as fp32.
  const isNear = ({name, value}) => own && name !== 'fp64' && value < own.value * 4 && value > own.value / 40;
  return roofs.filter((roof) => roof.isOwn || roof.value === gpu.fp32Tflops || isNear(roof));
}

/// The plot's axes: where a number of operations for each byte and a rate lie.
function rooflineScales(width, roofs) {
  const {roofline, gpu} = report;
  const height = Math.round(Math.min(320, Math.max(220, width * 0.52)));
  const frame = {left: 46, right: width - 14, top: 14, bottom: height - 38};
  const memory = gpu.bandwidthGBs / 1e3, highest = Math.max(...roofs.map((roof) => roof.value));
  const xLow = Math.min(0.05, roofline.intensity / 3);
  const xHigh = Math.max(2000, roofline.intensity * 3, roofline.ridge * 4);
  const yLow = Math.min(memory * xLow, roofline.attained / 3, highest / 1e3), yHigh = highest * 2;
  const scale = (value, low, high, from, to) => from + Math.log10(value / low) / Math.log10(high / low) * (to - from);
  const x = (value) => scale(value, xLow, xHigh, frame.left, frame.right);
  const y = (value) => scale(Math.max(value, yLow), yLow, yHigh, frame.bottom, frame.top);
  return {height, frame, memory, xLow, xHigh, yLow, yHigh, x, y};
}

function rooflineGrid({frame, height, xLow, xHigh, yLow, yHigh, x, y}) {
  const xs = powersOfTen(xLow, xHigh), ys = powersOfTen(yLow, yHigh);
  const xStep = Math.ceil(xs.length / ((frame.right - frame.left) / 60)), yStep = Math.ceil(ys.length / 6);
  const text = (value) => String(Number(value.toPrecision(1)));
  return [
    xs.filter((_, i) => i % xStep === 0)
      .map(
        (value) =>
          [s('path', {class: 'grid-line', d: `M${x(value)} ${frame.top} V${frame.bottom}`}),
           s('text', {class: 'tick', x: x(value), y: frame.bottom + 15, 'text-anchor': 'middle'}, text(value)),
  ]),
    ys.filter((_, i) => i % yStep === 0)
      .map(
        (value) =>
          [s('path', {class: 'grid-line', d: `M${frame.left} ${y(value)} H${frame.right}`}),
           s('text', {class: 'tick', x: frame.left - 6, y: y(value) + 4, 'text-anchor': 'end'}, text(value)),
  ]),
    s('text', {class: 'axis', x: (frame.left + frame.right) / 2, y: height - 5, 'text-anchor': 'middle'},
      'operations for each byte of memory'),
  ];
}

/// The slopes of memory and second cache, and the levels of the units.
function rooflineRoofs(roofs, own, {frame, memory, xLow, yLow, x, y}) {
  const cache = report.gpu.cacheGBs / 1e3;
  const slope = (bandwidth, name) => {
    const from = Math.max(xLow, yLow / bandwidth);
    return s(
      'path', {class: name, d: `M${x(from)} ${y(bandwidth * from)} L${x(own.value / bandwidth)} ${y(own.value)}`});
  };
  const level = ({name, value, isOwn}) =>
    [s('path', {class: isOwn ? 'roof' : 'roof minor', d: `M${x(value / memory)} ${y(value)} H${frame.right}`}),
     s('text',
       {class: isOwn ? 'roof-label own' : 'roof-label', x: frame.right - 4, y: y(value) - 5, 'text-anchor': 'end'},
       `${name} ${digits(value)}`),
  ];
  const middle = Math.sqrt(Math.max(xLow, yLow / memory) * own.value / memory);
  const angle = Math.atan2(y(10 * yLow) - y(yLow), x(10 * xLow) - x(xLow)) * 180 / Math.PI;
  const at = `translate(${x(middle) - 4} ${y(memory * middle) - 6}) rotate(${angle})`;
  return [
    cache > 0 && slope(cache, 'roof minor'),
    slope(memory, 'roof'),
    roofs.map(level),
    s('text', {class: 'roof-label own', transform: at, 'text-anchor': 'middle'},
      `memory ${digits(report.gpu.bandwidthGBs)} GB/s`),
  ];
}

function rooflinePoint(roofs, own, {frame, memory, x, y}) {
  const {roofline} = report;
  const px = x(roofline.intensity), py = y(roofline.attained);
  // The label keeps clear of the edge, and of the name of a roof at the right.
  const isNearRoof = roofs.some((roof) => !roof.isOwn && Math.abs(y(roof.value) - 8 - py) < 18);
  const isLeft = px > frame.right - (isNearRoof ? 270 : 100) && px > frame.left + 110;
  const side = isLeft ? {x: px - 14, 'text-anchor': 'end'} : {x: px + 14, 'text-anchor': 'start'};
  return [
    s('path', {class: 'gap', d: `M${px} ${py} V${y(Math.min(own.value, memory * roofline.intensity))}`}),
    s('circle', {class: 'point-halo', cx: px, cy: py, r: 10}),
    s('circle', {class: 'point', cx: px, cy: py, r: 5}),
    s('text', {class: 'point-label', y: py + 4, ...side}, operationRate(roofline.attained)),
  ];
}

function drawRoofline(width) {
  const roofs = computeRoofs(), own = roofs.find((roof) => roof.isOwn) ?? roofs[0];
  const scales = rooflineScales(width, roofs), {height} = scales;
  return s(
    'svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart'}, rooflineGrid(scales),
    rooflineRoofs(roofs, own, scales), rooflinePoint(roofs, own, scales));
}

/// For a kernel without arithmetic: its bandwidth below the one of the memory.
function bandwidthBars() {
  const {roofline, gpu} = report;
  const bar = (name, value, className) =>
    h('li', {class: `term ${className}`},
      h('div', {class: 'bar-row'}, h('span', {class: 'term-name'}, name),
        h('span', {class: 'track', 'aria-hidden': 'true'},
          h('span', {class: 'bar', style: `width: ${value / gpu.bandwidthGBs * 100}%`})),
        h('span', {class: 'term-time'}, `${digits(value)} GB/s`)));
  return [
    h('ul', {class: 'terms'}, bar('This kernel', roofline.bandwidth, 'is-bound'),
      bar('A copy reaches', gpu.attainedBandwidthGBs, ''), bar('The memory', gpu.bandwidthGBs, '')),
    h('p', {class: 'muted small'}, 'The kernel has no floating-point operations, so its roof is the memory.')
  ];
}

function rooflinePanel() {
  const {roofline, gpu} = report;
  const hint = `${percent(roofline.ofLimit)} of the roof of ${gpu.name}`;
  if (!(roofline.intensity > 0)) return panel('Roofline', {id: 'roofline', hint}, bandwidthBars());
  const intensity = digits(roofline.intensity), share = percent(roofline.ofLimit);
  const label =
    `Roofline: ${intensity} operations for each byte, ${operationRate(roofline.attained)}, ${share} of the roof`;
  const box = plot(drawRoofline, label);
  const rows = () => [
    ['what', 'value', 'unit'], ['operations', roofline.flops, ''], ['bytes of memory', roofline.bytes, ''],
    ['intensity', roofline.intensity, 'operations per byte'], ['attained', roofline.attained, 'TFLOP/s'],
    ['bandwidth', roofline.bandwidth, 'GB/s'], ['peak', roofline.peak, 'TFLOP/s'],
    ['ridge', roofline.ridge, 'operations per byte']];
  return panel(
    'Roofline', {id: 'roofline', hint, tools: plotTools('roofline', box.svg, rows)}, box,
    h('p', {class: 'muted small'},
      `${compact(roofline.flops)} operations and ${byteCount(roofline.bytes)} of memory: ${intensity} for each byte; `,
      `below ${digits(roofline.ridge)} the memory is the roof. TFLOP/s above, on both axes logarithms. `,
      'Dashed: the second cache and other units.'));
}
