// Light and dark: the system's choice unless the reader chose. The choice is kept where the browser allows it.

const themeListeners = [];

function storedTheme() {
  try {
    return localStorage.getItem('tilec-theme');
  } catch {
    return null;
  }
}

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};

/// Calls `draw` when the colours change: what is on a canvas does not follow the style sheet.
const onTheme = (draw) => themeListeners.push(draw);

const redraw = () => themeListeners.forEach((draw) => draw());

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('tilec-theme', theme);
  } catch { /* A page opened from disk may have no storage. */
  }
  redraw();
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark');
  announce(`${isDark() ? 'Dark' : 'Light'} colours`);
}

function startTheme() {
  const stored = storedTheme();
  if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
