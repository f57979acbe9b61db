// The stories of the site: each frame names one line of its source, and the trees, the softmax and the
// banks do what was recorded of the kernels.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(HERE, '../..');
const SOURCE = fs.readFileSync(path.join(HERE, 'stories.js'), 'utf8');
const require = createRequire(import.meta.url);
const labRules = require('./lab_rules.js');
globalThis.storyShapes = require('./story_shapes.js');
globalThis.productStories = require('./product_stories.js');
const traces = fs.readFileSync(path.join(ROOT, 'docs/results/traces.jsonl'), 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line));

// The stories of a source.
function storiesOf(source) {
  const module = {exports: {}};
  vm.runInThisContext(`(function (module) {${source}\n})`)(module);
  return module.exports;
}
const stories = storiesOf(SOURCE);

function excerptOf({file, first, last}) {
  const lines = fs.readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.includes(first));
  assert(begin >= 0, `${file} has no ${first}`);
  const end = lines.findIndex((line, i) => i >= begin && (last === '}' ? line === '}' : line.includes(last)));
  assert(end >= begin, `${file} has no ${last}`);
  return lines.slice(begin, end + 1);
}

// [text] on frames that do not name one line of their source, and on drawings without size.
function faultsOf(stories) {
  return stories.NAMES.flatMap((name) => {
    const {source, frames, opens} = stories.story(name, labRules);
    const lines = excerptOf(source);
    const faults = opens > 0 && opens < frames.length ? [] : [`${name} opens on frame ${opens}`];
    for (const [i, {line, said, draw}] of frames.entries()) {
      const count = lines.filter((one) => new RegExp(line).test(one)).length;
      if (count !== 1) faults.push(`${name}, frame ${i}: ${count} lines are ${line}`);
      if (!said) faults.push(`${name}, frame ${i} says nothing`);
      for (const isNarrow of [false, true]) {
        const drawing = draw(isNarrow);
        const width = Number(/viewBox="0 0 (\d+)/.exec(drawing)[1]);
        if (width > (isNarrow ? 320 : 640)) faults.push(`${name}, frame ${i}: ${width} wide`);
        if (/NaN|undefined|Infinity/.test(drawing + said)) faults.push(`${name}, frame ${i}: not a number`);
      }
    }
    return faults;
  });
}

// [[lane, word]] of a request of warp 0.
function wordsOf(request) {
  const offsets = request.runs.flatMap(([first, stride, count]) =>
    Array.from({length: count}, (_, i) => first + i * stride));
  const lanes = [...Array(32).keys()].filter((lane) => request.lanes >>> lane & 1);
  return lanes.map((lane, i) => [lane, offsets[i] / 4]);
}

// [[thread, the word that it adds]] of warp 0 in each round: of a recorded run, and of a story.
function recordedRounds(variant) {
  const {requests} = traces.find((one) => one.variant === variant);
  const [first, ...tree] = requests.filter(({space}) => space === 'shared');
  assert.equal(first.kind, 'store');
  return Array.from({length: Math.floor(tree.length / 3)}, (_, i) => wordsOf(tree[3 * i + 1]));
}
const toldRounds = (stories, kind) => stories.roundsOf(kind, 256).map(({distance, adds}) =>
  adds.filter((thread) => thread < 32).map((thread) => [thread, thread + distance]));

const TREES = {reduce_interleaved: 'neighbors', reduce_shared: 'halves'};

// As the chapter has it: {maximum, sum} after each of its four elements.
function chaptersSums() {
  const text = fs.readFileSync(path.join(ROOT, 'steps/06_softmax_warp/README.md'), 'utf8');
  return [...text.matchAll(/^\| (\d) \| (\d) \| .* \| (?:.* = )?([\d.]+) \|$/gm)].map(([, x, max, sum]) =>
    [Number(x), Number(max), sum]);
}
const toldSums = (stories) => stories.online([1, 3, 2, 0]).map(({x, max, sum}) => [x, max, sum.toFixed(4)]);

test('each frame names one line of its source, and can be drawn', () => {
  assert.deepEqual(faultsOf(stories), []);
});

test('a tree adds what was recorded', () => {
  for (const [variant, kind] of Object.entries(TREES)) {
    assert.deepEqual(toldRounds(stories, kind), recordedRounds(variant), variant);
  }
});

test('each tree comes to the sum', () => {
  const values = Array.from({length: 32}, (_, i) => i * i % 11);
  const sum = values.reduce((one, other) => one + other);
  for (const kind of ['neighbors', 'halves', 'shuffle']) {
    assert.equal(stories.treeValues(kind, values).at(-1)[0], sum, kind);
  }
});

test('the softmax is the chapter\'s, and comes to the sum of exponentials', () => {
  assert.equal(chaptersSums().length, 4);
  assert.deepEqual(toldSums(stories), chaptersSums());
  const row = [-3, 0.5, 7, 2, 7, -1];
  const sum = row.reduce((total, x) => total + Math.exp(x - 7), 0);
  assert(Math.abs(stories.online(row).at(-1).sum - sum) < 1e-12);
});

test('a tile takes as many turns as were recorded', () => {
  const recorded = ['transpose_tile', 'transpose_tile_padded', 'transpose_tile_swizzled'].map((variant) =>
    traces.find((one) => one.variant === variant).requests.find(
        ({space, kind}) => space === 'shared' && kind === 'load').units);
  const {frames} = stories.story('bank_turns', labRules);
  const told = [...frames[0].draw(false).matchAll(/: 1 of (\d+)</g)].map(([, turns]) => Number(turns));
  assert.deepEqual(told, recorded);
  assert.equal(frames.length, Math.max(...recorded));
});

// [text] on slices that are multiplied before they have arrived, that share a stage with another, or
// that are waited for longer than needed.
function pipelineFaults(stories, stages) {
  const {slices, waits, end} = stories.pipeline(stages);
  const faults = [];
  slices.forEach(({start, arrival, from, to}, i) => {
    if (from < arrival) faults.push(`slice ${i} is multiplied before it has arrived`);
    if (i && from < slices[i - 1].to) faults.push(`slice ${i} is multiplied beside the one before`);
    if (i >= stages && start < slices[i - stages].to) faults.push(`slice ${i} is copied over one in use`);
    if (to > end) faults.push(`slice ${i} ends after the end`);
  });
  const waited = waits.reduce((sum, [from, to]) => sum + to - from, 0);
  if (Math.abs(waited + slices.length - end) > 1e-9) faults.push('time passes without work or waits');
  return faults;
}

// How many slices are copied before the first is multiplied: recorded, and told.
function copiedFirst(stories) {
  const {slices} = stories.pipeline(4);
  return slices.filter(({start}) => start <= slices[0].from).length;
}

test('a pipeline multiplies what has arrived, and overwrites nothing in use', () => {
  for (const stages of [2, 3, 4, 5]) assert.deepEqual(pipelineFaults(stories, stages), []);
  const folder = path.join(ROOT, 'steps/12_sgemm_warptile_zorder');
  const text = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
  const tile = /Tiling<([^>]*)>/.exec(text('4_sgemm_pipelined.cuh'))[1];
  const names = /template <([^>]*)>\s*struct Tiling/.exec(text('tiling.cuh'))[1];
  const at = names.split(',').findIndex((name) => name.includes('Stages'));
  assert.equal(tile.split(',')[at].trim(), '4', 'the story has as many stages as the kernel');
  // Per slice, warp 0 has four copies of A and one of B, and of each the load and the store. The
  // record has so many requests that fewer slices would show.
  const {requests} = traces.find((one) => one.variant === 'sgemm_pipelined');
  const first = requests.findIndex((one) => !one.copy);
  assert.equal(copiedFirst(stories), first / 10);
});

test('planted faults are found', () => {
  const planted = (before, after) => {
    assert.equal(SOURCE.split(before).length, 2, before);
    return storiesOf(SOURCE.replace(before, after));
  };
  assert(faultsOf(planted('__syncthreads\\\\(\\\\);$', '__syncthreads')).length);
  assert(faultsOf(planted('opens: 7', 'opens: 70')).length);
  assert(faultsOf(planted("const cell = isNarrow ? 9 : 6;", 'const cell = isNarrow ? 19 : 6;')).length);
  assert.notDeepEqual(toldRounds(planted('thread % (2 * distance)', 'thread % distance'), 'neighbors'),
      recordedRounds('reduce_interleaved'));
  assert.notEqual(copiedFirst(planted('const due = turn - (stages - 1);', 'const due = turn - stages;')), 4);
  assert(pipelineFaults(planted('        now = slices[due].arrival;\n', ''), 4).length);
  assert.notDeepEqual(toldSums(planted('sum * rescale + term', 'sum + term')), chaptersSums());
});
