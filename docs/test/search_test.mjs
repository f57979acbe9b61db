// Asks the search of a site that has been made: each query's first result is the one wanted.
// Skips (exit code 77) where the site cannot be made.
//
//   node search_test.mjs [SITE]
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const WANTED = {
  'coalescing': 'glossary.html#coalesced',
  'bank conflict': 'glossary.html#bank-conflict',
  'warp': 'glossary.html#warp',
  '__shfl_down_sync': '05_reduce_warp_shuffle.html',
  'float4': '02_vectorized_add.html',
  'judge': 'judge.html',
  'blockIdx': 'glossary.html#blockidx',
  'occupancy': 'glossary.html#occupancy',
  'stream-k': 'glossary.html#stream-k',
  'softmax': '06_softmax_warp.html',
  'out of bounds': 'faults.html#out-of-bounds',
  'race condition': 'glossary.html#race',
  'grid stride loops': 'glossary.html#grid-stride-loop',
  'shared memory': 'glossary.html#shared-memory',
  'exercises': 'exercises.html',
  'misaligned address': 'faults.html',
  'without gpu': 'index.html#without-a-gpu',
  'reduce_shuffle': 'code_05_reduce_warp_shuffle_1_reduce_shuffle_cuh.html',
  'deadlock': 'glossary.html#deadlock',
  'ocupancy': 'glossary.html#occupancy',
};

let site = process.argv[2];
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'search-test-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
if (!site) {
  site = path.join(work, 'site');
  const made = spawnSync('python3', [path.join(HERE, '../site/build.py'), site],
                         {encoding: 'utf8'});
  if (made.status === 77) {
    console.log(`skipped: ${made.stderr.trim()}`);
    process.exit(77);
  }
  assert.equal(made.status, 0, made.stderr);
}

const context = vm.createContext({});
for (const name of ['search-library.js', 'search.js', 'search-entries.js']) {
  vm.runInContext(fs.readFileSync(path.join(site, name), 'utf8'), context, {filename: name});
}
const {siteSearch, searchEntries} = context;
const addressOf = ({page, anchor}) => `${page}.html${anchor && `#${anchor}`}`;
const wrong = (index) => Object.entries(WANTED).flatMap(([query, wanted]) => {
  const {results} = siteSearch.searchFor(index, query);
  const first = results.length ? addressOf(results[0]) : 'nothing';
  // A page is meant with any of its sections; a section alone.
  const right = wanted.includes('#') ? first === wanted : first.split('#')[0] === wanted;
  return right ? [] :
    [`${query}: ${first}, not ${wanted} (then ${results.slice(1, 5).map(addressOf)})`];
});

const start = performance.now();
const index = siteSearch.makeIndex(searchEntries);
const made = performance.now() - start;
assert.equal(Object.keys(WANTED).length, 20);
assert.deepEqual(wrong(index), []);
// Entries whose first results are gone are missed.
const without = searchEntries.filter(([kind]) => kind !== 'term');
assert(wrong(siteSearch.makeIndex(without)).length >= 5);
// Answers are not given away, and names of the code come behind the pages about them.
assert(!searchEntries.some(([, page, , , entries]) => page.startsWith('exercise_') &&
    entries.some(([anchor]) => anchor === 'solutions')));
assert.equal(siteSearch.searchFor(index, 'qwertyuiop').count, 0);
assert.equal(siteSearch.searchFor(index, '').count, 0);
assert(siteSearch.searchFor(index, 'the').count > 0);
console.log(`${index.documentCount} entries, indexed in ${Math.round(made)} ms; ` +
    `${Object.keys(WANTED).length} queries`);
