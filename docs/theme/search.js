// The search: entries (search-entries.js) ranked by MiniSearch (search-library.js). It needs no
// page, so that a test can ask it, too.
'use strict';

// Terms before chapters, chapters before other pages, these before tables and names of the code.
const WEIGHTS = {term: 4, guide: 2.2, chapter: 2.2, step: 2.2, background: 2, exercise: 1.2,
  further: 1, kernel: 1, fault: 0.7, function: 0.5, reference: 0.5, results: 0.25, interface: 0.25};
const LABELS = {term: 'Term', exercise: 'Exercise', kernel: 'Kernel', function: 'Function',
  fault: 'Wrong on purpose', results: 'Record', interface: 'Interface', further: 'Going further'};
const COMMON = new Set(
    'a an and are as at be by do for how i in is it my of on or the to what why with'.split(' '));
const MOST = 30;

const tokens = (text) => text.match(/[\p{L}_][\p{L}\p{N}_]*|\p{N}+/gu) ?? [];
const stem = (word) => (/^[a-z]+$/.test(word) ? stemmer(word) : word);
const stems = (text) => tokens(text.toLowerCase()).map(stem);

// `reduce_shuffle` is found by its whole name and by its parts.
function indexed(token) {
  const word = token.toLowerCase();
  const parts = word.split('_').filter((part) => part.length > 1);
  return parts.length > 1 ? [word, ...parts.map(stem)] : stem(word);
}

// Of the groups that docs/site/search.py makes.
function makeIndex(groups) {
  const index = new MiniSearch({
    fields: ['name', 'title', 'text'],
    storeFields: ['kind', 'page', 'anchor', 'number', 'title', 'name', 'text'],
    tokenize: tokens,
    processTerm: indexed,
    searchOptions: {
      processTerm: (token) => stem(token.toLowerCase()),
      boost: {name: 8, title: 2},
      prefix: (term) => term.length > 2,
      weights: {prefix: 0.3, fuzzy: 0.1},
      combineWith: 'AND',
      boostDocument: (id, term, {kind}) => WEIGHTS[kind],
    },
  });
  let id = 0;
  index.addAll(groups.flatMap(([kind, page, number, title, entries]) => entries.map(
      ([anchor, name, text]) => ({id: id++, kind, page, number, title, anchor, name, text}))));
  return index;
}

// A term may have further names: "race (race condition)".
const namesOf = ({name, text, kind}) => [name,
  ...(kind === 'term' && text.match(/^\(([^)]*)\)/)?.[1].split(', ') || [])];

// A name that is the whole query counts most: a term's, then a page's, then a section's. A page
// whose title has the query in it comes before its sections.
function rank(result, wanted) {
  const names = namesOf(result).map((name) => stems(name).join(' '));
  if (names.includes(wanted)) return result.kind === 'term' ? 30 : result.anchor ? 6 : 12;
  return !result.anchor && names.some((name) => ` ${name} `.includes(` ${wanted} `)) ? 4 : 1;
}

// {results, count}: the best entries for a query, best first, and how many there are.
function searchFor(index, query) {
  const words = tokens(query.toLowerCase());
  const telling = words.filter((word) => !COMMON.has(word));
  const asked = (telling.length ? telling : words).join(' ');
  if (!asked) return {results: [], count: 0};
  const attempts = [{}, {fuzzy: (term) => (term.length > 3 ? 0.25 : false)}, {combineWith: 'OR'}];
  let found = [];
  for (const options of attempts) {
    if (!found.length) found = index.search(asked, options);
  }
  const wanted = stems(asked).join(' ');
  const ranked = found.map((one) => ({...one, score: one.score * rank(one, wanted)}));
  ranked.sort((a, b) => b.score - a.score || a.id - b.id);
  return {results: ranked.slice(0, MOST), count: ranked.length};
}

globalThis.siteSearch = {makeIndex, searchFor, LABELS};
