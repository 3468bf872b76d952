// Occupancy with what limits it, and how the grid spreads over the GPU in waves.

function occupancyPanel() {
  const {occupancy, resources, launch} = report;
  const warpsOfCta = occupancy.ctas > 0 ? occupancy.warps / occupancy.ctas : Math.ceil(launch.threadsPerCta / 32);
  const limits = [
    [
      'registers', 'Registers', occupancy.limits.registers,
      resources.registers === null ? 'unknown' : `${resources.registers} a thread`
    ],
    [
      'shared memory', 'Shared memory', occupancy.limits.sharedMemory,
      byteCount(resources.staticSharedBytes + resources.dynamicSharedBytes)
    ],
    ['threads', 'Threads', occupancy.limits.threads, `${launch.threadsPerCta} a CTA`],
    ['CTAs', 'CTAs', occupancy.limits.ctas, 'of the hardware'],
  ];
  const share = percent(occupancy.warps / (occupancy.maxWarps || 1));
  const largest = Math.min(64, Math.max(...limits.map(([, , value]) => value), 1));
  const warps = Array.from(
    {length: occupancy.maxWarps},
    (_, i) => h('i', {class: i < occupancy.warps ? `used cta-${Math.floor(i / warpsOfCta) % 2}` : ''}));
  return panel(
    'Occupancy',
    {id: 'occupancy', hint: `${plural(occupancy.ctas, 'CTA')} on a multiprocessor, limited by ${occupancy.limitedBy}`},
    h('div', {class: 'warps', role: 'img', 'aria-label': `${occupancy.warps} of ${occupancy.maxWarps} warps`}, warps),
    h('p', {class: 'muted small'},
      `${occupancy.warps} of ${occupancy.maxWarps} warps: ${share}. The CTAs that each limit alone would allow:`),
    h('ul', {class: 'terms'},
      limits.map(
        ([id, name, value, detail]) => h(
          'li', {class: `term ${id === occupancy.limitedBy ? 'is-bound' : ''}`},
          h('div', {class: 'bar-row'}, h('span', {class: 'term-name'}, name, h('span', {class: 'muted small'}, detail)),
            h('span', {class: 'track', 'aria-hidden': 'true'},
              h('span', {class: 'bar', style: `width: ${Math.min(1, value / largest) * 100}%`})),
            h('span', {class: 'term-time'}, value >= 1000 ? 'any' : String(value)))))));
}

function drawWaves(width) {
  const {waves} = report;
  const height = 150, bottom = height - 26, top = 10, left = 8;
  const hasTail = waves.tail > 0, total = waves.full + (hasTail ? 1 : 0);
  const shown = Math.min(total, Math.max(2, Math.floor((width - 2 * left) / 26)));
  const step = (width - 2 * left) / shown, bar = Math.min(64, step - 4);
  // Of many waves the first ones and the last one.
  const numbers = Array.from({length: shown}, (_, i) => (shown < total && i >= shown - 1 ? total - 1 : i));
  return s(
    'svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart'},
    s('path', {class: 'grid-line', d: `M${left} ${bottom} H${width - left}`}), numbers.map((number, i) => {
      const isTail = hasTail && number === total - 1, share = isTail ? waves.tail / waves.perWave : 1;
      const x = left + i * step + (step - bar) / 2, size = (bottom - top) * share;
      const isGap = shown < total && i === shown - 2;
      if (isGap) return s('text', {class: 'tick', x: x + bar / 2, y: (top + bottom) / 2, 'text-anchor': 'middle'}, '…');
      return [
        s('rect', {class: 'wave-idle', x, y: top, width: bar, height: bottom - top, rx: 3}),
        s('rect',
          {class: isTail ? 'wave-tail' : 'wave', x, y: bottom - size, width: bar, height: Math.max(1, size), rx: 3}),
        s('text', {class: 'tick', x: x + bar / 2, y: height - 10, 'text-anchor': 'middle'}, String(number + 1))
      ];
    }));
}

/// CTAs of the last wave on each multiprocessor, when they are given out evenly.
function lastWaveCells() {
  const {waves, gpu} = report;
  const ctas = waves.tail || Math.min(waves.perWave, report.launch.ctas),
        slots = Math.max(1, Math.round(waves.perWave / gpu.multiprocessors));
  return h(
    'div', {
      class: 'multiprocessors',
      role: 'img',
      'aria-label': `${ctas} CTAs of the last wave on ${gpu.multiprocessors} multiprocessors`
    },
    Array.from({length: gpu.multiprocessors}, (_, i) => {
      const count = Math.floor(ctas / gpu.multiprocessors) + (i < ctas % gpu.multiprocessors ? 1 : 0);
      return h('i', {
        style: `--heat: ${Math.min(1, count / slots)}`,
        class: count === 0 ? 'idle' : '',
        title: plural(count, 'CTA')
      });
    }));
}

function wavesText() {
  const {waves, launch} = report;
  const ctas = plural(launch.ctas, 'CTA');
  if (waves.full === 0) return `${ctas}, all in one wave, which has places for ${compact(waves.perWave)}.`;
  const last = waves.tail > 0 ? ` and a last one of ${compact(waves.tail)}` : '';
  return `${ctas}: ${plural(waves.full, 'full wave')} of ${compact(waves.perWave)}${last}.`;
}

function wavesPanel() {
  const {waves, gpu} = report;
  const last = waves.tail === 0 ? 'the last one is full' : `the last one has ${waves.tail}`;
  const box = plot(drawWaves, `${waveCount(waves.count)} waves of ${waves.perWave} CTAs; ${last}`);
  const busy = Math.min(gpu.multiprocessors, waves.tail || gpu.multiprocessors);
  return panel(
    'Waves and tail', {
      id: 'waves',
      hint: `${percent(waves.efficiency)} of the places of its waves are used`,
      tools: plotTools('waves', box.svg, null)
    },
    box, h('p', {}, wavesText()), h('h3', {}, 'The last wave over the multiprocessors'), lastWaveCells(),
    h('p', {class: 'muted small'}, `${busy} of ${gpu.multiprocessors} have a CTA of it.`));
}
