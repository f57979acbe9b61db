// Kernels told frame by frame: what each step does with values, and the line of code that does it.
// A story is {source, frames, opens, settings}. source: {file, first, last}, the lines of a file of
// the repository from the one that has the text `first` to the next that has `last`; frame: {line,
// said, draw(isNarrow)}, `line` a regular expression that one line of the source has; opens: the frame
// to begin with; settings, of some: what readers can change, [{name, label, least, most, step, value}].
//
// It needs story_shapes.js and product_stories.js. stories_test.mjs holds the stories to the sources and
// to recorded runs (docs/results/traces.jsonl).
'use strict';

const stories = (() => {
  const {text, rect, line, svg, plural} = storyShapes;

  // --- 04 and 05: a sum as a tree ------------------------------------------------------------------

  const LANES = 32;
  const VALUES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];

  // The rounds of a tree over `size` threads: [{distance, adds}], adds: the threads that add the value
  // of thread + distance to their own. kind: neighbors (every second thread, every fourth, ...),
  // halves (the first half of the threads), or shuffle (all, and lane 0's result counts).
  function roundsOf(kind, size) {
    const rounds = [];
    const threads = [...Array(size).keys()];
    for (let distance = kind === 'neighbors' ? 1 : size / 2; distance >= 1 && distance < size;
      distance *= kind === 'neighbors' ? 2 : 0.5) {
      const adds = {neighbors: (thread) => thread % (2 * distance) === 0,
        halves: (thread) => thread < distance, shuffle: () => true}[kind];
      rounds.push({distance, adds: threads.filter(adds)});
    }
    return rounds;
  }

  // The values after each round, the first as loaded. A shuffle from past the last lane gives a lane
  // its own value.
  function treeValues(kind, loaded) {
    const rows = [loaded];
    for (const {distance, adds} of roundsOf(kind, loaded.length)) {
      const before = rows.at(-1);
      rows.push(before.map((value, thread) =>
        (adds.includes(thread) ? value + (before[thread + distance] ?? value) : value)));
    }
    return rows;
  }

  // The threads whose values reach the sum, for each row of treeValues.
  function counting(kind, size) {
    const rounds = roundsOf(kind, size);
    const rows = [new Set([0])];
    for (const {distance} of rounds.toReversed()) {
      rows.unshift(new Set([...rows[0]].flatMap((thread) => [thread, thread + distance])));
    }
    return rows;
  }

  // A tree of which `shown` rows are there, the last one just now; `barriers` of the gaps below them.
  function drawTree(kind, shown, barriers, hasSum, isNarrow) {
    const size = VALUES.length;
    const rows = treeValues(kind, VALUES);
    const rounds = roundsOf(kind, size);
    const counts = counting(kind, size);
    const width = isNarrow ? 320 : 640;
    const cell = width / size;
    const high = 22;
    const pitch = 52;
    const place = (thread) => thread * cell + cell / 2;
    const parts = [...Array(size).keys()].map((thread) =>
      (!isNarrow || thread % 2 === 0 ? text(place(thread), 11, thread, 'soft') : ''));
    for (let row = 0; row < shown; ++row) {
      const y = 18 + row * pitch;
      const adds = row ? rounds[row - 1].adds : [...Array(size).keys()];
      const isNow = row === shown - 1;
      for (const thread of row ? adds : []) {
        if (!counts[row].has(thread)) continue;
        for (const from of [thread, thread + rounds[row - 1].distance]) {
          parts.push(line(place(from), y - pitch + high, place(thread), y, `edge${isNow ? ' now' : ''}`));
        }
      }
      rows[row].forEach((value, thread) => {
        const isActive = adds.includes(thread);
        const kindOf = !isActive ? 'idle' : !counts[row].has(thread) ? 'spare' : isNow ? 'now' : 'value';
        parts.push(rect(thread * cell + 1, y, cell - 2, high, kindOf) +
          text(place(thread), y + 15, value, kindOf === 'idle' ? 'soft' : kindOf === 'spare' ? '' : 'on'));
      });
      if (row < barriers) {
        const below = y + high + 9;
        parts.push(line(0, below, width, below, 'barrier'));
      }
    }
    const end = 18 + rows.length * pitch;
    if (hasSum) {
      parts.push(line(place(0), end - pitch + high, place(0), end, 'edge now') +
        rect(1, end, 2.4 * cell, high, 'now') + text(1.2 * cell, end + 15, rows.at(-1)[0], 'on') +
        text(2.4 * cell + 8, end + 15, 'added to *sum by one atomic', 'start'));
    }
    return svg(width, end + high + 4, `A tree over ${size} threads`, parts);
  }

  // How a round looks in a block of 256 threads.
  function inABlock(kind, index) {
    const {adds} = roundsOf(kind, 256)[index];
    const warps = new Set(adds.map((thread) => Math.floor(thread / LANES))).size;
    return `In a block of 256 this round has ${plural(adds.length, 'addition')}, in ${plural(warps, 'warp')}.`;
  }

  function blockTree(kind, file, adding) {
    const rounds = roundsOf(kind, VALUES.length);
    const frames = [
      {line: 'partial\\[threadIdx.x\\] = i < n', said: 'Each of 16 threads stores its element.',
        draw: (isNarrow) => drawTree(kind, 1, 0, false, isNarrow)},
      {line: '__syncthreads\\(\\);$', said: 'The first barrier: all 16 words are there.',
        draw: (isNarrow) => drawTree(kind, 1, 1, false, isNarrow)}];
    rounds.forEach(({distance, adds}, i) => {
      const who = adds.length === 1 ? 'Thread 0 adds' : `${adds.length} of 16 threads add`;
      frames.push({line: adding,
        said: `Round ${i + 1}: ${who} the word ${distance} further on. ${inABlock(kind, i)}`,
        draw: (isNarrow) => drawTree(kind, i + 2, i + 1, false, isNarrow)});
      frames.push({line: '// outside the if', said: `A barrier ends round ${i + 1}, for all 16 threads.`,
        draw: (isNarrow) => drawTree(kind, i + 2, i + 2, false, isNarrow)});
    });
    const sum = treeValues(kind, VALUES).at(-1)[0];
    frames.push({line: 'atomicAdd\\(sum', said: `Thread 0 adds the block's sum, ${sum}: one atomic per block.`,
      draw: (isNarrow) => drawTree(kind, rounds.length + 1, rounds.length + 1, true, isNarrow)});
    return {source: {file, first: '__global__ void', last: '}'}, frames, opens: 4};
  }

  function shuffleTree() {
    const rounds = roundsOf('shuffle', VALUES.length);
    const frames = [{line: 'warp_sum\\(float value\\)', said: 'Each of 16 lanes has a value in a register. ' +
        'A warp has 32, and one round more.',
    draw: (isNarrow) => drawTree('shuffle', 1, 0, false, isNarrow)}];
    rounds.forEach(({distance}, i) => frames.push({line: '__shfl_down_sync',
      said: `Round ${i + 1}: every lane adds the register of the lane ${distance} further on. ` +
          (i + 1 < rounds.length ? 'Pale sums never reach lane 0. No barrier follows.' :
            `Lane 0 has the sum, ${treeValues('shuffle', VALUES).at(-1)[0]}.`),
      draw: (isNarrow) => drawTree('shuffle', i + 2, 0, false, isNarrow)}));
    frames.push({line: 'return value', said: 'The other lanes return sums of something else.',
      draw: (isNarrow) => drawTree('shuffle', rounds.length + 1, 0, false, isNarrow)});
    return {source: {file: 'steps/05_reduce_warp_shuffle/warp_sum.cuh', first: 'inline float warp_sum',
      last: '}'}, frames, opens: 2};
  }

  // --- 06: maximum and sum in one pass -------------------------------------------------------------

  const ROW = [1, 3, 2, 0, 5, 4];

  // After each element of a row: {x, max, rescale, term, sum}
  function online(row) {
    let max = -Infinity;
    let sum = 0;
    return row.map((x) => {
      const larger = Math.max(max, x);
      const rescale = Math.exp(max - larger);
      const term = Math.exp(x - larger);
      max = larger;
      sum = sum * rescale + term;
      return {x, max, rescale, term, sum};
    });
  }

  const fixed = (value) => value.toFixed(4);

  // The row, the running maximum as a line over its bars, and the sum so far in parts.
  function drawOnline(count, isNarrow) {
    const states = online(ROW);
    const {max, sum} = states[count - 1];
    const width = isNarrow ? 320 : 640;
    const cell = width / ROW.length;
    const unit = 20;
    const base = 130;
    const parts = [];
    ROW.forEach((x, i) => {
      const kind = i === count - 1 ? 'now' : i < count ? 'value' : 'idle';
      parts.push(rect(i * cell + 6, base - x * unit - 2, cell - 12, x * unit + 2, kind) +
        text(i * cell + cell / 2, base + 16, `x = ${x}`, i < count ? '' : 'soft'));
    });
    parts.push(line(0, base - max * unit - 2, width, base - max * unit - 2, 'limit') +
      text(4, base - max * unit - 7, `maximum ${max}`, 'start strong'));
    // The sum, each part by the exponential that it stands for now.
    const scale = (width - 12) / 3;
    let x = 6;
    ROW.slice(0, count).forEach((value, i) => {
      const part = Math.exp(value - max) * scale;
      parts.push(rect(x, base + 34, Math.max(part - 1, 0.5), 22, i === count - 1 ? 'now' : 'value'));
      x += part;
    });
    parts.push(text(6, base + 74, `sum ${fixed(sum)} of exp(x − ${max})`, 'start strong'));
    const label = `Maximum ${max} and sum ${fixed(sum)} after ${plural(count, 'element')}`;
    return svg(width, base + 82, label, parts);
  }

  function onlineSoftmax() {
    const states = online(ROW);
    const frames = states.flatMap(({x, max, rescale, term, sum}, i) => {
      const draw = (isNarrow) => drawOnline(i + 1, isNarrow);
      const before = i ? states[i - 1] : null;
      if (!before || max === before.max) {
        return [{line: 'add_term\\(part', draw, said: before ?
          `${x} is no new maximum. The sum grows by exp(${x} − ${max}) = ${fixed(term)} to ${fixed(sum)}.` :
          `The first element, ${x}, is the maximum, and adds exp(${x} − ${max}) = 1.`}];
      }
      const scaled = before.sum * rescale;
      return [{line: 'const float rescale', draw, said:
        `${x} is a new maximum. The sum so far, ${fixed(before.sum)}, is scaled by ` +
        `exp(${before.max} − ${max}) = ${fixed(rescale)} to ${fixed(scaled)}; then 1 is added: ${fixed(sum)}.`}];
    });
    return {source: {file: 'steps/06_softmax_warp/15_softmax_online_scalar.cuh', first: 'float seen_max =',
      last: 'seen_max = new_max'}, frames, opens: 1};
  }

  // --- 08: the turns of three tiles ----------------------------------------------------------------

  const TILES = [['tile[32][32]', 'memory=shared&offset=5&shape=1x32'],
    ['tile[32][32 + 1]', 'memory=shared&offset=5&shape=1x32&pad=1'],
    ['column ^ row', 'memory=shared&offset=5&shape=1x32&swizzle=xor']];

  // The three tiles by the rules of the lab: a warp reads column 5 of each.
  const tilesBy = (rules) => TILES.map(([name, text]) => ({name, view: rules.view(rules.parse(text))}));

  function drawTiles(tiles, turn, isNarrow) {
    const cell = isNarrow ? 9 : 6;
    const high = isNarrow ? 4 : 9;
    const side = 32 * cell;
    const parts = tiles.map(({name, view}, i) => {
      const left = isNarrow ? 0 : i * (side + 32);
      const top = isNarrow ? i * (32 * high + 34) : 0;
      const taken = Math.min(turn + 1, view.turns.length);
      const words = view.turns.flatMap(({lanes}, at) => lanes.map((lane) => {
        const word = view.request.at[lane] / 4;
        const kind = at > turn ? 'wait' : at === turn ? 'now' : 'value';
        return rect(left + word % 32 * cell, top + 20 + lane * high, cell - 1, high - 1, kind);
      }));
      return text(left, top + 13, `${name}: ${taken} of ${view.turns.length}`, 'start strong') +
        rect(left, top + 20, side - 1, 32 * high - 1, 'frame') + words.join('');
    });
    const width = isNarrow ? side : 3 * side + 64;
    const height = isNarrow ? 3 * (32 * high + 34) : 32 * high + 22;
    return svg(width, height, `Turn ${turn + 1}`, parts);
  }

  function bankTurns(rules) {
    const tiles = tilesBy(rules);
    const most = Math.max(...tiles.map(({view}) => view.turns.length));
    const frames = Array.from({length: most}, (_, turn) => {
      const left = tiles.filter(({view}) => view.turns.length > turn).length;
      return {line: '= tile\\[threadIdx.x\\]\\[threadIdx.y\\]',
        draw: (isNarrow) => drawTiles(tiles, turn, isNarrow),
        said: `Turn ${turn + 1} of ${most}: ` + (left === tiles.length ?
          'bank 5 gives lane 0 of the plain tile its word. Of the padded and the swizzled tile, all 32 banks ' +
          'give a word each, and that was the last turn.' :
          `bank 5 gives lane ${turn} its word, the other banks are idle.`)};
    });
    return {source: {file: 'steps/08_transpose_shared/1_transpose_tile.cuh',
      first: 'const std::size_t row = first_row + threadIdx.x;', last: 'out[col * rows + row]'}, frames, opens: 7};
  }

  // --- 12: slices copied, waited for and multiplied ------------------------------------------------

  const SLICES = 8;
  const COPY = 2.5;  // the time of a copy; to multiply a slice takes 1

  // What sgemm_pipelined's loop does, with `stages` of shared memory: for each slice when its copy
  // starts and arrives, and when it is multiplied, [{start, arrival, from, to}]; and when the block
  // waits, [[from, to]].
  function pipeline(stages) {
    const slices = [];
    const waits = [];
    let now = 0;
    for (let turn = 0; turn < SLICES + stages - 1; ++turn) {
      const due = turn - (stages - 1);
      if (due >= 0 && slices[due].arrival > now) {
        waits.push([now, slices[due].arrival]);
        now = slices[due].arrival;
      }
      if (turn < SLICES) slices.push({start: now, arrival: now + COPY});
      if (due >= 0) {
        slices[due] = {...slices[due], from: now, to: now + 1};
        now += 1;
      }
    }
    return {slices, waits, end: now};
  }

  const DEPTHS = [2, 4];

  // A row per stage, with its slices' copies and products up to a time, and a row of waits below.
  function drawPipelines(time, isNarrow) {
    const width = isNarrow ? 320 : 640;
    const high = 20;
    const pipelines = DEPTHS.map((stages) => ({stages, ...pipeline(stages)}));
    const scale = (width - 2) / Math.max(...pipelines.map(({end}) => end));
    const parts = [];
    const bar = (from, to, y, kind, said) => {
      if (from >= time) return;
      const shown = (Math.min(to, time) - from) * scale;
      parts.push(rect(from * scale + 1, y, Math.max(shown - 1, 1), high - 3, kind) +
        (shown > 8 * String(said).length ? text(from * scale + shown / 2, y + 13, said, 'on') : ''));
    };
    let y = 0;
    for (const {stages, slices, waits} of pipelines) {
      const done = slices.filter(({to}) => to <= time).length;
      parts.push(text(0, y + 13, `${stages} stages: ${plural(done, 'slice')} multiplied`, 'start strong'));
      y += 22;
      slices.forEach(({start, arrival, from, to}, slice) => {
        const row = y + slice % stages * high;
        bar(start, arrival, row, 'value', slice);
        bar(from, to, row, 'now', slice);
      });
      y += stages * high;
      for (const [from, to] of waits) bar(from, to, y, 'waits', isNarrow ? '' : 'wait');
      y += high + 14;
    }
    parts.push(line(time * scale, 16, time * scale, y - 12, 'limit'));
    return svg(width, y - 8, `What two and four stages have done at time ${time}`, parts);
  }

  function timeline() {
    const [few, many] = DEPTHS.map(pipeline);
    const at = (time) => (isNarrow) => drawPipelines(time, isNarrow);
    const ahead = DEPTHS[1] - 1;
    const frames = [
      {line: 'sgemm_pipelined_copy_slice', draw: at(1), said: `With four stages, ${ahead} slices ` +
        `are on their way at once; with two, one. A copy is drawn ${COPY} times as long as a product.`},
      {line: '__pipeline_wait_prior', draw: at(many.slices[0].arrival),
        said: 'Both wait for their first slice.'}];
    many.slices.forEach(({from, to}, slice) => {
      const flying = many.slices.flatMap(({start, arrival}, i) =>
        (start < to && arrival > from && i > slice ? [i] : []));
      const are = flying.length === 1 ? 'is' : 'are';
      const behind = few.slices.filter((one) => one.to <= to).length;
      frames.push({line: 'for \\(int k = 0; k < BK', draw: at(to), said: `Four stages multiply slice ${slice}` +
        (flying.length ? ` while ${flying.join(', ')} ${are} on the way. ` : '. ') +
        `Two stages have multiplied ${behind}.`});
    });
    frames.push({line: '__pipeline_wait_prior', draw: at(few.end),
      said: `Two stages need ${few.end} units of time and wait before every slice; ` +
          `four need ${many.end}, and wait once.`});
    return {source: {file: 'steps/12_sgemm_warptile_zorder/4_sgemm_pipelined.cuh', first: 'int stage = 0;',
      last: 'stage = (stage + 1) %'}, frames, opens: 5};
  }

  const STORIES = {
    reduce_interleaved: () => blockTree('neighbors', 'steps/04_reduce_shared/1_reduce_interleaved.cuh',
        'partial\\[threadIdx.x \\+ stride\\]'),
    reduce_shared: () => blockTree('halves', 'steps/04_reduce_shared/2_reduce_shared.cuh',
        'partial\\[threadIdx.x \\+ half\\]'),
    warp_sum: shuffleTree,
    softmax_online: onlineSoftmax,
    bank_turns: bankTurns,
    timeline,
    ...productStories.STORIES,
  };

  // The story of a name; `rules`: labRules; `values`: {NAME: NUMBER} of settings that are not their first.
  const story = (name, rules, values = {}) => STORIES[name](rules, values);

  return {NAMES: Object.keys(STORIES), story, roundsOf, treeValues, online, pipeline};
})();

if (typeof module !== 'undefined') module.exports = stories;
