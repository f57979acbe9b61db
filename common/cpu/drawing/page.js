'use strict';
// Everything is in the page: the data, and a template for each picture (page.cpp).
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const grouped = (number) => number.toLocaleString('en-US');
const NUMBERS = 5;  // of a request, in a warp's list
const PACE = 600;   // milliseconds, of a turn

// `at`: which request of the warp; -1: none of them, but a pattern's first. `turn`: -1: all at once.
const state = {launch: 0, block: 0, warp: 0, at: -1, line: 0, access: 0, use: 0, turn: -1};
let playing = null;

// --- what is chosen ---
const launch = () => data.launches[state.launch];
const block = () => launch().blocks[state.block];
const warp = () => block()?.warps[state.warp] ?? [0];
const line = () => launch().lines[state.line];
const access = () => line().accesses[state.access];
const requests = () => (warp().length - 1) / NUMBERS;

function requestAt(index) {
  const [line, access, picture, memory, offset] = warp().slice(1 + NUMBERS * index, 6 + NUMBERS * index);
  return {line, access, picture, memory, offset};
}

// The request on show: the warp's, or the first that has the pattern.
function shown() {
  if (state.at >= 0) return {...requestAt(state.at), block: block().block, warp: state.warp};
  const [picture, , blockNumber, warpNumber, memory, offset] = access().patterns[state.use] ?? [-1];
  return {picture, memory, offset, block: blockNumber, warp: warpNumber};
}

function indexOf(linear) {
  const [x, y] = launch().grid;
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))];
}

// --- choosing ---
function choose(change) {
  stop();
  Object.assign(state, {turn: -1}, change);
  draw();
}

function chooseRequest(index) {
  if (index < 0 || index >= requests()) return;
  const {line, access, picture} = requestAt(index);
  const use = launch().lines[line].accesses[access].patterns.findIndex(([one]) => one === picture);
  choose({at: index, line, access, use});
}

// The first request like that, in this warp or another one that is recorded.
function choosePattern(lineNumber, accessNumber, use) {
  const picture = launch().lines[lineNumber].accesses[accessNumber].patterns[use]?.[0];
  const isIt = (numbers, at) => numbers[at] === lineNumber && numbers[at + 1] === accessNumber &&
    numbers[at + 2] === picture;
  const places = [[state.block, state.warp], ...launch().blocks.flatMap(
    (one, number) => one.warps.map((_, warpNumber) => [number, warpNumber]))];
  for (const [blockNumber, warpNumber] of places) {
    const numbers = launch().blocks[blockNumber]?.warps[warpNumber] ?? [];
    for (let at = 1; at < numbers.length; at += NUMBERS) {
      if (!isIt(numbers, at)) continue;
      choose({block: blockNumber, warp: warpNumber, at: (at - 1) / NUMBERS, line: lineNumber,
        access: accessNumber, use});
      return;
    }
  }
  choose({at: -1, line: lineNumber, access: accessNumber, use});
}

function chooseLaunch(number) {
  state.launch = number;
  Object.assign(state, {block: 0, warp: 0, at: -1, line: 0, access: 0, use: 0});
  fillSource();
  if (launch().lines.length) choosePattern(0, 0, 0);
  else choose({});
}

function chooseWarp(blockNumber, warpNumber) {
  Object.assign(state, {block: blockNumber, warp: warpNumber, at: -1});
  if (requests() > 0) chooseRequest(0);
  else choose({});
}

// --- turns ---
const turns = () => Number($('picture').firstElementChild?.dataset.turns ?? 0);

function step(by) {
  const count = turns();
  state.turn = state.turn + by;
  if (state.turn < -1) state.turn = count - 1;
  if (state.turn >= count) state.turn = -1;
  markTurn();
}

function stop() {
  clearInterval(playing);
  playing = null;
  $('play').textContent = 'Play';
}

function play() {
  if (playing !== null) {
    stop();
    return;
  }
  state.turn = -1;
  $('play').textContent = 'Stop';
  const next = () => {
    step(1);
    if (state.turn < 0) stop();
  };
  playing = setInterval(next, PACE);
  next();
}

function markTurn() {
  for (const cell of $('picture').querySelectorAll('[data-t]')) {
    const own = cell.dataset.t.split(' ').filter((text) => text !== '').map(Number);
    const all = state.turn < 0;
    cell.classList.toggle('now', !all && own.includes(state.turn));
    cell.classList.toggle('later', !all && own.length > 0 && own.every((turn) => turn > state.turn));
  }
  const count = turns();
  $('turn').textContent = state.turn < 0 ? `all ${count} at once` : `${state.turn + 1} of ${count}`;
}

// A lane's words, or a word's lanes.
function markSame(target) {
  const lanes = target?.closest?.('[data-l]')?.dataset.l.split(' ') ?? [];
  for (const cell of $('picture').querySelectorAll('[data-l]')) {
    cell.classList.toggle('same', cell.dataset.l.split(' ').some((lane) => lanes.includes(lane)));
  }
}

// --- what is seen ---
function element(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function fillSelect(select, names, chosen) {
  select.replaceChildren(...names.map((name, number) => element('option', {value: number}, name)));
  select.value = chosen;
  select.disabled = names.length < 2;
}

function costName(one) {
  const each = one.units / one.requests;
  const unit = one.space === 'global' ? 'sector' : 'wavefr.';
  return `${Number(each.toFixed(2))} ${unit}${one.space === 'global' && each !== 1 ? 's' : ''}`;
}

function fillSource() {
  const lines = launch().lines;
  const most = lines[0]?.cost ?? 1;
  const files = [...new Set(lines.map((one) => one.file))];
  $('source').replaceChildren(...files.flatMap((file) => {
    const known = new Map(data.files[file].lines);
    const own = new Map(lines.map((one, number) => [one.file === file ? one.line : -1, number]));
    own.delete(-1);
    // The lines around those of this launch; a file that could not be read has only those.
    const near = [...known.keys()].filter((line) => [...own.keys()].some((one) => Math.abs(one - line) <= 6));
    const numbers = [...new Set([...near, ...own.keys()])].sort((a, b) => a - b);
    const rows = numbers.map((number) => {
      const text = known.get(number) ?? '';
      const parts = (badge) => [element('span', {class: 'number'}, number),
        element('span', {class: 'badge'}, badge), element('span', {}, text)];
      if (!own.has(number)) return element('li', {}, element('div', {}, ...parts('')));
      const one = lines[own.get(number)];
      const button = element('button', {'data-line': own.get(number),
        style: `--share: ${100 * one.cost / most}%`}, ...parts(costName(one.accesses[0])));
      button.addEventListener('click', () => choosePattern(own.get(number), 0, 0));
      return element('li', {}, button);
    });
    return [element('h2', {}, data.files[file].name), element('ol', {}, ...rows)];
  }));
}

function chip(name, isOn, onClick) {
  const button = element('button', {'aria-pressed': isOn}, name);
  button.addEventListener('click', onClick);
  return button;
}

function drawChoices() {
  fillSelect($('launch'), data.launches.map((one, number) => `${number + 1}: ${one.title}`), state.launch);
  fillSelect($('block'), launch().blocks.map((one) => `(${indexOf(one.block).join(', ')})`), state.block);
  fillSelect($('warp'), (block()?.warps ?? []).map((one, number) =>
    one.length > 1 ? `${number}` : `${number}: no request`), state.warp);
}

function drawSource() {
  for (const button of $('source').querySelectorAll('button')) {
    const isOn = Number(button.dataset.line) === state.line;
    button.setAttribute('aria-current', isOn);
    if (!isOn) continue;
    // Without moving the page.
    const list = $('source');
    const top = button.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - 80;
  }
}

function drawPicture() {
  const {picture, memory, offset, block: blockNumber, warp: warpNumber} = shown();
  const template = $(`picture-${picture}`);
  const isLeftOut = template === null;
  $('picture').replaceChildren(isLeftOut
    ? 'This request has no picture: the page holds those of the costliest patterns only.'
    : template.content.cloneNode(true));
  for (const label of $('picture').querySelectorAll('[data-at]'))
    label.textContent = grouped(offset + Number(label.dataset.at));
  $('unit').textContent = access().space === 'global' ? 'Sector' : 'Wavefront';
  const bytes = launch().memories[memory];
  const NAMED = {'-1': 'the heap of kernels', '-2': 'static shared memory', '-3': 'dynamic shared memory'};
  const place = memory < 0 ? NAMED[memory] : `allocation ${memory + 1} by address, of ${grouped(bytes)} bytes`;
  const which = state.at < 0 ? 'the first request like this'
    : `request ${state.at + 1} of ${requests()}` +
      (warp()[0] > 0 ? ` (${grouped(warp()[0])} later ones are not recorded)` : '');
  $('place').textContent = isLeftOut && blockNumber === undefined ? ''
    : `Block (${indexOf(blockNumber).join(', ')}), warp ${warpNumber}: ${which}, in ${place}.`;
}

function draw() {
  drawChoices();
  const hasRequest = launch().lines.length > 0;
  $('request').hidden = !hasRequest;
  if (!hasRequest) {
    $('source').replaceChildren('This launch accesses neither global nor shared memory.');
    return;
  }
  drawSource();
  $('where').textContent = `${data.files[line().file].name}:${line().line}`;
  $('accesses').replaceChildren(...line().accesses.map((one, number) =>
    chip(one.name, number === state.access, () => choosePattern(state.line, number, 0))));
  $('cost').textContent = access().cost;
  drawPicture();
  const patterns = access().patterns;
  $('patterns').replaceChildren(...(patterns.length + (access().left_out > 0) < 2 ? [] : patterns.map(
    ([, count], number) => chip(`pattern ${number + 1}: ${grouped(count)}×`, number === state.use,
      () => choosePattern(state.line, state.access, number)))));
  if (access().left_out > 0) $('patterns').append(`and others: ${grouped(access().left_out)}×`);
  $('at').max = Math.max(requests(), 1);
  $('at').value = state.at + 1;
  $('at').disabled = requests() < 2;
  markTurn();
}

// --- what the reader does ---
$('plain').hidden = $('tool') !== null;
if ($('tool') !== null) {
  $('tool').hidden = false;
  $('launch').addEventListener('change', (event) => chooseLaunch(Number(event.target.value)));
  $('block').addEventListener('change', (event) => chooseWarp(Number(event.target.value), 0));
  $('warp').addEventListener('change', (event) => chooseWarp(state.block, Number(event.target.value)));
  $('at').addEventListener('input', (event) => chooseRequest(Number(event.target.value) - 1));
  $('back').addEventListener('click', () => chooseRequest(Math.max(state.at, 0) - 1));
  $('forth').addEventListener('click', () => chooseRequest(state.at + 1));
  $('turn-back').addEventListener('click', () => { stop(); step(-1); });
  $('turn-forth').addEventListener('click', () => { stop(); step(1); });
  $('play').addEventListener('click', play);
  $('picture').addEventListener('pointerover', (event) => markSame(event.target));
  $('picture').addEventListener('pointerleave', () => markSame(null));
  const KEYS = {ArrowLeft: () => $('back').click(), ArrowRight: () => $('forth').click(),
    a: () => $('turn-back').click(), d: () => $('turn-forth').click(), ' ': play};
  document.addEventListener('keydown', (event) => {
    const isControl = event.target.closest('select, input, button') !== null;
    const isForControl = isControl && !['a', 'd'].includes(event.key);
    if (!(event.key in KEYS) || isForControl || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  chooseLaunch(data.costliest);
}
