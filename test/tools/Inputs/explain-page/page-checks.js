// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to hold in a page at its present width and in its present colours. Its value is a promise of a list
// of what does not. It looks at every view with everything open, and follows every link.

(async () => {
  const problems = [];
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  const isVisible = (element) => element.getClientRects().length > 0;
  const nameOf = (element) => `<${element.tagName.toLowerCase()}${element.id ? ` id=${element.id}` : ''} class="${
    element.getAttribute('class') ?? ''}"> '${element.textContent.trim().slice(0, 40)}'`;

  function checkWidth(view) {
    const page = document.scrollingElement;
    if (page.scrollWidth <= innerWidth) return;
    const wide = [...document.querySelectorAll('main *')].filter(
      (element) => isVisible(element) && element.getBoundingClientRect().right > innerWidth + 1 &&
        !element.parentElement.closest('.scroll, .code, .snippet, pre, svg, .hot, .choices, .plot'));
    problems.push(`${view}: ${page.scrollWidth} pixels wide of ${innerWidth}: ${wide.slice(0, 3).map(nameOf)}`);
  }

  function checkTexts(view, panel) {
    const walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      // The report's own texts may say anything.
      if (walker.currentNode.parentElement.closest('code, pre')) continue;
      const text = walker.currentNode.textContent;
      if (/\b(undefined|NaN|Infinity)\b|\[object /.test(text))
        problems.push(`${view}: the text '${text.slice(0, 60)}'`);
    }
  }

  function checkNames(view) {
    for (
      const element of document.querySelectorAll(
        'button, a, input, canvas, svg[role], [role="grid"], [role="listbox"], [role="treegrid"], [role="radiogroup"], dialog, [role="tabpanel"]')) {
      if (!isVisible(element)) continue;
      const label = element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') ||
        element.closest('label')?.textContent || element.textContent;
      if (!label.trim()) problems.push(`${view}: no accessible name: ${nameOf(element)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
    if (twice.length > 0) problems.push(`${view}: ids that are there twice: ${twice.slice(0, 5)}`);
    for (const element of document.querySelectorAll('[aria-activedescendant], [aria-controls]'))
      for (const name of ['aria-activedescendant', 'aria-controls'])
        if (element.hasAttribute(name) && !document.getElementById(element.getAttribute(name)))
          problems.push(`${view}: ${name} of ${nameOf(element)} names nothing`);
  }

  function checkPictures(view, panel) {
    for (const canvas of panel.querySelectorAll('canvas')) {
      if (!isVisible(canvas)) continue;
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      if (!data.some((value) => value !== 0))
        problems.push(`${view}: an empty picture: ${canvas.getAttribute('aria-label')}`);
    }
    for (const svg of panel.querySelectorAll('.plot svg')) {
      if (/NaN|undefined|Infinity/.test(svg.outerHTML))
        problems.push(`${view}: a coordinate that is no number: ${svg.getAttribute('aria-label')}`);
      if (isVisible(svg) && svg.getBoundingClientRect().width > innerWidth)
        problems.push(`${view}: a plot that is too wide: ${svg.getAttribute('aria-label')}`);
    }
  }

  // Colours as numbers, whatever the notation: the canvas knows them all.
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const colours = new Map();
  function rgba(text) {
    if (!colours.has(text)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = text;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  }
  function groundOf(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight(
      (below, [r, g, b, a]) => [r, g, b].map((value, i) => value * a + below[i] * (1 - a)), [255, 255, 255]);
  }
  const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((total, weight, i) => {
    const value = colour[i] / 255;
    return total + weight * (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0);
  function checkContrast(view, panel) {
    const seen = new Set();
    for (const element of panel.querySelectorAll('*')) {
      if (element.closest('svg, canvas, .absent') || !isVisible(element)) continue;
      if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim()))
        continue;
      const style = getComputedStyle(element), ground = groundOf(element);
      const ink = luminance(rgba(style.color)), below = luminance(ground);
      const ratio = (Math.max(ink, below) + 0.05) / (Math.min(ink, below) + 0.05);
      const key = `${style.color} on ${ground.map(Math.round)}`;
      if (ratio < 4.4 && !seen.has(key)) {
        seen.add(key);
        problems.push(`${view}: contrast ${ratio.toFixed(1)}, ${key}: ${nameOf(element)}`);
      }
    }
  }

  const tabs = [...document.querySelectorAll('[role="tab"]')];
  for (const tab of tabs) {
    const view = tab.textContent;
    tab.click();
    await drawn();
    const panel = document.getElementById(tab.getAttribute('aria-controls'));
    if (!isVisible(panel) || panel.childElementCount === 0) problems.push(`${view} shows nothing`);
    for (const details of panel.querySelectorAll('details:not(.menu)')) details.open = true;
    await drawn();
    checkWidth(view);
    checkTexts(view, panel);
    checkNames(view);
    checkPictures(view, panel);
    checkContrast(view, panel);
  }

  // Choices change what is shown: each of the first ones once.
  for (
    const [tab, choices] of [
      [
        'source',
        '[aria-label="Stage"] button, [aria-label="View of the calls"] button, [aria-label="What calls are weighed by"] button'
      ],
      ['layouts', '[role="option"]'], ['sizes', '[role="radio"], .series-key'], ['timings', '.link']]) {
    if (!document.getElementById(`tab-${tab}`)) continue;
    document.getElementById(`tab-${tab}`).click();
    await drawn();
    const panel = document.getElementById(tab), count = Math.min(10, panel.querySelectorAll(choices).length);
    for (let i = 0; i < count; ++i) {
      // One choice may leave fewer others.
      const choice = panel.querySelectorAll(choices)[i];
      if (!choice) break;
      const view = `${tab}, ${choice.textContent.slice(0, 40)}`;
      choice.click();
      await drawn();
      checkWidth(view);
      checkTexts(view, panel);
      checkPictures(view, panel);
    }
  }

  // Lists of choices: the second and the last one.
  for (const tab of tabs) {
    tab.click();
    await drawn();
    const panel = document.getElementById(tab.getAttribute('aria-controls'));
    for (let i = 0; i < panel.querySelectorAll('select').length; ++i)
      for (const at of [1, -1]) {
        const list = panel.querySelectorAll('select')[i], view = `${tab.textContent}, ${list.ariaLabel}`;
        list.value = [...list.options].at(at).value;
        list.dispatchEvent(new Event('change'));
        await drawn();
        checkWidth(view);
        checkTexts(view, panel);
        checkPictures(view, panel);
      }
  }

  // What is saved can be read: files are kept here instead of in the reader's folder.
  const saved = [];
  const {createObjectURL} = URL, {click} = HTMLAnchorElement.prototype;
  URL.createObjectURL = (blob) => (saved.push({blob}), 'about:blank');
  HTMLAnchorElement.prototype.click = function() {
    if (this.download)
      saved.at(-1).name = this.download;
    else
      click.call(this);
  };
  for (const button of document.querySelectorAll('button'))
    if (/^(SVG|CSV|speedscope|Perfetto)$|JSON|CSV| for /.test(button.textContent + button.title)) button.click();
  Object.assign(URL, {createObjectURL});
  HTMLAnchorElement.prototype.click = click;
  if (saved.length < 8) problems.push(`only ${saved.length} files can be saved`);
  for (const {blob, name} of saved) {
    const text = await blob.text();
    const says = (what) => problems.push(`${name}: ${what}: ${text.slice(0, 80)}`);
    if (name.endsWith('.svg') && new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror'))
      says('no SVG');
    if (name.endsWith('.csv') && !/^[^\n]+(\n[^\n]+)+\n$/.test(text.replaceAll(/"[^"]*"/g, ''))) says('no table');
    if (name.endsWith('.json') && Object.keys(JSON.parse(text)).length === 0) says('no data');
    if (/\bNaN\b|\bundefined\b/.test(text) && !name.endsWith('.json')) says('a value that is none');
  }

  const links = new Map([...document.querySelectorAll('a[href]')].map((link) => [link.getAttribute('href'), link]));
  for (const [href, link] of links) {
    if (!href.startsWith('#')) {
      problems.push(`a link out of the page: ${href}`);
      continue;
    }
    link.click();
    const target = document.getElementById(href.slice(1));
    if (!target)
      problems.push(`no target of ${href}`);
    else if (!isVisible(target))
      problems.push(`the target of ${href} is not shown`);
  }
  await drawn();
  return problems;
})()
