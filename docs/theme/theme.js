// Runs before anything is drawn, so that a page never flashes in the other theme.
'use strict';

try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Where nothing may be stored, the system decides.
}
