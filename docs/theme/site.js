// What a page does beyond showing its text. Every page is readable without it.
'use strict';

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

const icon = (drawing) => `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" ` +
    `stroke="currentColor" stroke-width="1.6" stroke-linecap="round">${drawing}</svg>`;
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
// What may be kept on this machine; without leave to store, it is for this page.
const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Not kept.
    }
  },
};

// --- the bar at the top: what needs a script ---
const bar = one('.top');
const button = (id, label, drawing, more = {}) => {
  const node = make('button', {class: 'button', id, 'aria-label': label, ...more});
  node.innerHTML = icon(drawing);
  return node;
};
const menu = button('menu', 'Contents', '<path d="M3 5h14M3 10h14M3 15h14"/>',
    {'aria-expanded': 'false', 'aria-controls': 'pages'});
const find = button('find', 'Search', '<circle cx="9" cy="9" r="5.5"/><path d="m13 13 4 4"/>',
    {'aria-keyshortcuts': '/'});
find.classList.add('find');
find.append(make('span', {}, 'Search'), make('kbd', {}, '/'));
const theme = button('theme', 'Light or dark',
    '<circle cx="10" cy="10" r="7"/><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/>');
bar.prepend(menu);
bar.append(find, theme);

theme.addEventListener('click', () => {
  const dark = getComputedStyle(root).colorScheme === 'dark' ||
      (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'light' : 'dark';
  kept.set('theme', root.dataset.theme);
});

// --- the list of pages, which all pages share ---
const pages = one('#pages');
const {page: here, owner} = document.body.dataset;
const visited = new Set((kept.get('visited') ?? '').split(' ').filter(Boolean));
visited.add(here);
kept.set('visited', [...visited].join(' '));

function pageLink(name, number, title) {
  const link = make('a', {href: `${name}.html`});
  if (name === here) link.setAttribute('aria-current', 'page');
  if (number !== undefined) link.append(make('span', {class: 'n'}, number));
  link.append(make('span', {}, title));
  if (visited.has(name) && name !== here) {
    link.append(make('span', {class: 'seen', role: 'img', 'aria-label': 'visited'}, '✓'));
  }
  return link;
}
function foldsOf(name) {
  return (siteNavigation.below[name] ?? []).map(([label, children]) => {
    const fold = make('details', {class: 'fold'}, make('summary', {}, `${label} (${children.length})`),
        make('ul', {}, ...children.map(([child, title]) => make('li', {}, pageLink(child, undefined, title)))));
    fold.open = children.some(([child]) => child === here);
    return fold;
  });
}
if (globalThis.siteNavigation) {
  pages.replaceChildren(...siteNavigation.groups.flatMap(([group, members]) => [
    make('h2', {}, group),
    make('ul', {}, ...members.map(([name, number, title, kind]) => make('li', {class: kind},
        pageLink(name, kind === 'step' ? number : undefined, title),
        ...(name === here || name === owner ? foldsOf(name) : [])))),
  ]));
}
function showPages(open) {
  pages.classList.toggle('open', open);
  menu.setAttribute('aria-expanded', open);
}
menu.addEventListener('click', () => showPages(!pages.classList.contains('open')));
one('[aria-current]', pages)?.scrollIntoView({block: 'center'});
scrollTo({top: location.hash ? scrollY : 0});

// --- the contents of the page: beside the text they are open, above it folded ---
const contents = one('.contents details');
if (contents && !one('.reading.wide')) {
  const beside = matchMedia('(min-width: 84.01rem)');
  const fit = () => { contents.open = beside.matches; };
  beside.addEventListener('change', fit);
  fit();
}

// --- links to headings; where on the page one is ---
for (const heading of all('article :is(h2, h3)[id]')) {
  const link = document.createElement('a');
  link.className = 'anchor';
  link.href = `#${heading.id}`;
  link.textContent = '#';
  link.setAttribute('aria-label', `Link to ${heading.textContent.trim()}`);
  heading.append(link);
}
const entries = new Map(all('.contents a').map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
if (entries.size) {
  const headings = [...entries.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const passed = headings.filter((h) => h.getBoundingClientRect().top < 120);
    const here = passed.at(-1) ?? headings[0];
    for (const [id, a] of entries) a.classList.toggle('here', id === here.id);
  };
  addEventListener('scroll', mark, {passive: true});
  mark();
}

// --- what goes on at the right fades out there ---
const fade = (node) => node.classList.toggle('more', node.scrollLeft + node.clientWidth < node.scrollWidth - 1);
const sizes = new ResizeObserver((changes) => changes.forEach(({target}) => fade(target)));
for (const node of all('article [tabindex="0"]')) {
  node.addEventListener('scroll', () => fade(node), {passive: true});
  sizes.observe(node);
}

// --- copy ---
const COPY = '<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor"' +
    ' stroke-width="1.5"><rect x="7" y="7" width="9" height="9" rx="2"/><path d="M4 13V5a1 1 0 0 1 1-1h8"/></svg>';
for (const block of all('.block')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.innerHTML = COPY;
  button.setAttribute('aria-label', 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(one('code', block).textContent.replace(/^\$ /gm, ''));
    button.classList.add('done');
    button.setAttribute('aria-label', 'Copied');
    setTimeout(() => {
      button.classList.remove('done');
      button.setAttribute('aria-label', 'Copy');
    }, 1500);
  });
  block.append(button);
}

// --- search: docs/theme/search.js ranks; its entries are loaded when they are first needed ---
const input = make('input', {type: 'search', 'aria-label': 'Search', placeholder: 'Search all pages',
  autocomplete: 'off', spellcheck: 'false'});
const list = make('ol');
const state = make('p', {class: 'state', role: 'status'});
const close = make('button', {class: 'button'}, 'Close');
const dialog = make('dialog', {id: 'search', 'aria-label': 'Search'},
    make('form', {method: 'dialog'}, input, close), state, list);
document.body.append(dialog);
let index;

const load = (src) => new Promise((resolve, reject) => {
  const script = make('script', {src});
  script.onload = resolve;
  script.onerror = reject;
  document.head.append(script);
});
const loadIndex = () => (index ??= Promise.all(
    ['search-library.js', 'search.js', 'search-entries.js'].map(load)).then(
    () => siteSearch.makeIndex(searchEntries)));

const SHOWN = 170;  // letters of a text

// The part of a text around the first word that begins as one of the words that were found.
function marked(text, words) {
  const node = make('p');
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`((?<![a-z0-9])(?:${escaped.join('|') || '(?!)'}))`, 'gi');
  const first = text.length < SHOWN ? 0 : Math.max(0, text.search(pattern) - 50);
  for (const [i, part] of text.slice(first, first + SHOWN).split(pattern).entries()) {
    node.append(i % 2 ? make('mark', {}, part) : part);
  }
  if (first) node.prepend('… ');
  return node;
}

async function search() {
  const query = input.value.trim();
  list.replaceChildren();
  state.textContent = '';
  if (query.length < 2) return;
  const made = await loadIndex();
  const {results, count} = siteSearch.searchFor(made, query);
  if (query !== input.value.trim()) return;
  state.textContent = count ? `${count} ${count === 1 ? 'place' : 'places'}` : 'Nothing found';
  list.replaceChildren(...results.map(({page, anchor, number, title, name, kind, text, terms}) => {
    const link = make('a', {href: `${page}.html${anchor && `#${anchor}`}`},
        make('b', {}, [number, title || name].filter(Boolean).join(' ')), title ? ` · ${name}` : '');
    const label = siteSearch.LABELS[kind];
    if (label) link.append(make('span', {class: 'kind'}, label));
    link.append(marked(text, terms));
    link.addEventListener('click', () => dialog.close());
    return make('li', {}, link);
  }));
}

function openSearch() {
  loadIndex();
  dialog.showModal();
  input.select();
}
find.addEventListener('click', openSearch);
input.addEventListener('input', search);
one('form', dialog).addEventListener('submit', (event) => {
  if (event.submitter === close) return;
  event.preventDefault();
  one('a', list)?.click();
});
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.target === input) {
    event.preventDefault();
    one('a', list)?.click();
    return;
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = all('a', list);
  const next = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  (links[next] ?? input).focus();
});

// --- keys ---
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  if (event.target.closest('input, select, textarea, .player, [contenteditable]')) return;
  if (event.key === 'Escape') showPages(false);
  if (event.key === '/') {
    event.preventDefault();
    openSearch();
  }
  // Where something scrolls sideways, the arrows are for that.
  const scrolls = event.target.closest('[tabindex="0"]');
  if (scrolls && scrolls.scrollWidth > scrolls.clientWidth) return;
  const relation = {ArrowLeft: 'prev', ArrowRight: 'next'}[event.key];
  if (relation) one(`.neighbors [rel=${relation}]`)?.click();
});

// --- figures that play ---
for (const player of all('.player')) {
  const frames = all('.frame', player);
  const captions = all('.captions > *', player);
  const range = one('input', player);
  const play = one('.play', player);
  let at = 0;
  let timer;
  const show = (frame) => {
    at = (frame + frames.length) % frames.length;
    for (const [i, node] of frames.entries()) node.toggleAttribute('hidden', i !== at);
    for (const [i, node] of captions.entries()) node.hidden = i !== at;
    range.value = at;
    range.setAttribute('aria-valuetext', `${at + 1} of ${frames.length}`);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.setAttribute('aria-label', 'Play');
    play.classList.remove('on');
  };
  const start = () => {
    if (at === frames.length - 1) show(0);
    play.setAttribute('aria-label', 'Pause');
    play.classList.add('on');
    timer = setInterval(() => {
      show(at + 1);
      if (at === frames.length - 1) stop();
    }, Number(player.dataset.pace) || 900);
  };
  play.addEventListener('click', () => (timer ? stop() : start()));
  one('.back', player).addEventListener('click', () => (stop(), show(at - 1)));
  one('.forward', player).addEventListener('click', () => (stop(), show(at + 1)));
  range.addEventListener('input', () => (stop(), show(Number(range.value))));
  player.addEventListener('keydown', (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || event.target === range) return;
    event.preventDefault();
    stop();
    show(at + step);
  });
  show(0);
}
