// What a page does beyond showing its text. Every page is readable without it.
'use strict';

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

// --- light or dark ---
one('#theme').addEventListener('click', () => {
  const dark = getComputedStyle(root).colorScheme === 'dark' ||
      (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'light' : 'dark';
  try {
    localStorage.setItem('theme', root.dataset.theme);
  } catch {
    // Where nothing may be stored, the choice is for this page.
  }
});

// --- the list of pages, on a phone ---
const menu = one('#menu');
const pages = one('#pages');
function showPages(open) {
  pages.classList.toggle('open', open);
  menu.setAttribute('aria-expanded', open);
}
menu.addEventListener('click', () => showPages(!pages.classList.contains('open')));
one('[aria-current]', pages)?.scrollIntoView({block: 'center'});
scrollTo({top: location.hash ? scrollY : 0});

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

// --- search: every word must begin a word of the section; headings count more ---
const dialog = one('#search');
const input = one('input', dialog);
const list = one('ol', dialog);
const state = one('.state', dialog);
let index;

function loadIndex() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = 'search.js';
    script.onload = () => resolve(searchIndex.map(([page, anchor, number, title, heading, text]) => (
        {page, anchor, number, title, heading, text,
         head: `${number} ${title} ${heading}`.toLowerCase(), body: text.toLowerCase()})));
    script.onerror = reject;
    document.head.append(script);
  });
  return index;
}

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const startOf = (word) => new RegExp(`(?<![a-z0-9])${escaped(word)}`, 'g');

function found(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const patterns = words.map(startOf);
  const scored = [];
  for (const section of sections) {
    let score = 0;
    const hit = patterns.every((pattern) => {
      const inHead = section.head.match(pattern)?.length ?? 0;
      const inBody = section.body.match(pattern)?.length ?? 0;
      score += 12 * inHead + Math.min(inBody, 6);
      return inHead + inBody > 0;
    });
    if (hit) scored.push({section, score: score + (section.number ? 2 : 0)});
  }
  scored.sort((a, b) => b.score - a.score);
  return {words, sections: scored.slice(0, 30).map(({section}) => section), count: scored.length};
}

function marked(text, words) {
  const node = document.createElement('p');
  const pattern = new RegExp(`((?<![a-z0-9])(?:${words.map(escaped).join('|')}))`, 'gi');
  const first = Math.max(0, text.search(pattern) - 50);
  for (const [i, part] of text.slice(first, first + 170).split(pattern).entries()) {
    node.append(i % 2 ? Object.assign(document.createElement('mark'), {textContent: part}) : part);
  }
  if (first) node.prepend('… ');
  return node;
}

async function search() {
  const query = input.value.trim();
  list.replaceChildren();
  state.textContent = '';
  if (query.length < 2) return;
  const {words, sections, count} = found(await loadIndex(), query);
  if (query !== input.value.trim()) return;
  state.textContent = count ? `${count} ${count === 1 ? 'section' : 'sections'}` : 'Nothing found';
  list.replaceChildren(...sections.map((section) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `${section.page}.html${section.anchor && `#${section.anchor}`}`;
    const title = document.createElement('b');
    title.textContent = [section.number, section.title].filter(Boolean).join(' ');
    link.append(title, section.heading ? ` · ${section.heading}` : '', marked(section.text, words));
    link.addEventListener('click', () => dialog.close());
    item.append(link);
    return item;
  }));
}

function openSearch() {
  loadIndex();
  dialog.showModal();
  input.select();
}
one('#find').addEventListener('click', openSearch);
input.addEventListener('input', search);
one('form', dialog).addEventListener('submit', (event) => {
  if (event.submitter === one('.button', dialog)) return;
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
