// Two stories of step 12: the floats that each lane of a warp holds, and Stream-K's shares. Readers
// can change their settings. It needs story_shapes.js; layouts_test.py holds the numbers to the
// kernels' sources.
'use strict';

const productStories = (() => {
  const {text, rect, line, bars, svg, plural} = storyShapes;
  const FOLDER = 'steps/12_sgemm_warptile_zorder';
  const LANES = 32;

  // --- fragments: which floats a lane reads -----------------------------------------------------

  // Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1> of tiling.cuh.
  const TILE = {WM: 128, WN: 32, TM: 16, TN: 8, BM: 128, BN: 256};
  const STEP_M = TILE.WM / (TILE.TM / 4);
  const STEP_N = TILE.WN / (TILE.TN / 4);

  const evenBits = (x) => (x & 1) | (x >> 1 & 2) | (x >> 2 & 4);
  // zorder_place, for a warp that is taller than wide.
  const placeOf = (lane) => ({row: evenBits(lane) * 4, col: evenBits(lane >> 1) * 4});

  // The loads of load_fragments, in its order: {of: 'a' or 'b', first, at}. first: the first of the
  // four registers; at: for each lane, the first of four rows of A, or columns of B, of the tile.
  function loads() {
    const lanes = [...Array(LANES).keys()].map(placeOf);
    const ofA = [...Array(TILE.TM / 4).keys()].map((m) =>
      ({of: 'a', first: 4 * m, at: lanes.map(({row}) => row + m * STEP_M)}));
    const ofB = [...Array(TILE.TN / 4).keys()].map((n) =>
      ({of: 'b', first: 4 * n, at: lanes.map(({col}) => col + n * STEP_N)}));
    return [...ofA, ...ofB];
  }

  // The lanes that each wavefront of a load serves, by the rules of the lab.
  const turnsOf = ({at}, rules) => rules.cost(
      {space: 'shared', kind: 'load', bytes: 16, at: at.map((first) => 4 * first)}).turns
      .map(({lanes}) => lanes);

  // 1, 2, 3 and 7 -> "1 to 3, 7"
  function spans(numbers) {
    const runs = [];
    for (const one of numbers) {
      if (runs.length && runs.at(-1)[1] === one - 1) runs.at(-1)[1] = one;
      else runs.push([one, one]);
    }
    return runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
  }

  const ROWS = TILE.WM / 4;  // of cells, each four rows
  const COLUMNS = TILE.WN / 4;

  // A on the left and B above: a cell per four floats, by whether they have come by a turn, and
  // which are a lane's own.
  function drawOperands({wavefronts, turn, lane}, side) {
    const kindOf = (of, first) => {
      const mine = wavefronts.flatMap((one, i) =>
        (one.of === of && one.lanes.some((other) => one.at[other] === first) ? [i] : []));
      const isOwn = wavefronts.some((one) => one.of === of && one.at[lane] === first);
      const state = turn === null || mine.every((i) => i < turn) ? 'value' :
        mine.includes(turn) ? 'now' : mine.some((i) => i < turn) ? 'value' : 'wait';
      return state + (isOwn ? ' own' : '');
    };
    const ofA = [...Array(ROWS).keys()].map((row) => rect(0, side.top + row * side.high, side.a,
        side.high - 1, kindOf('a', 4 * row)));
    const ofB = [...Array(COLUMNS).keys()].map((column) => rect(side.left + column * side.cell, 18,
        side.cell - 2, side.top - 38, kindOf('b', 4 * column)));
    return text(side.left, 12, 'B, 32 columns at one k', 'start soft') +
      text(0, side.top - 6, side.a < 60 ? 'A' : 'A, 128 rows', 'start soft') +
      ofA.join('') + ofB.join('');
  }

  // The warp's tile of C between them, a cell per lane and quadrant: the lanes of this turn.
  function drawTile({wavefronts, turn, lane}, side) {
    const now = turn === null ? null : wavefronts[turn];
    const cells = {value: [], now: [], wait: []};
    const above = [];  // what lies above the cells
    const cellOf = (one, m, n) => {
      const {row, col} = placeOf(one);
      const x = side.left + (col + n / 4 * STEP_N) / 4 * side.cell;
      const y = side.top + (row + m / 4 * STEP_M) / 4 * side.high;
      const isFor = now && now.first === (now.of === 'a' ? m : n);
      const isServed = !now || isFor && now.lanes.includes(one);
      cells[isServed ? 'now' : isFor ? 'value' : 'wait'].push({x, y, width: side.cell - 2});
      // Numbers once, in the first quadrant that is meant.
      if (now ? isFor && (now.of === 'a' ? n : m) === 0 : m + n === 0) {
        above.push(text(x + side.cell / 2 - 1, y + side.high - 2, one, 'on small'));
      }
      if (one === lane) above.push(rect(x, y, side.cell - 2, side.high - 1, 'picked'));
    };
    for (let m = 0; m < TILE.TM; m += 4) {
      for (let n = 0; n < TILE.TN; n += 4) {
        for (let one = 0; one < LANES; ++one) cellOf(one, m, n);
      }
    }
    const right = side.left + COLUMNS * side.cell;
    const bottom = side.top + ROWS * side.high;
    const middle = (side.left + right) / 2 - 1;
    const edges = [1, 2, 3].map((m) => side.top + m * (bottom - side.top) / 4 - 0.5)
        .map((y) => line(0, y, right, y, 'edge'));
    return Object.entries(cells).map(([kind, all]) => bars(all, side.high - 1, kind)).join('') +
      above.join('') + edges.join('') + line(middle, side.top - 20, middle, bottom, 'edge');
  }

  // `state`: {wavefronts, turn, lane}: a turn is the index of a wavefront; null: all have come.
  function drawFragments(state, isNarrow) {
    const side = isNarrow ? {a: 40, left: 46, cell: 33, top: 60, high: 11} :
      {a: 92, left: 104, cell: 40, top: 74, high: 12};
    const bottom = side.top + ROWS * side.high;
    const held = heldBy(state);
    const said = held.map(({of, first, at}) => `${of}[${first}…${first + 3}]: ` +
      `${of === 'a' ? 'rows' : 'columns'} ${at[state.lane]}–${at[state.lane] + 3}`);
    // Below, in two columns; or on the right.
    const placeOfLine = isNarrow ? (i) => [i % 2 * 160, bottom + 36 + Math.floor(i / 2) * 18] :
      (i) => [side.left + COLUMNS * side.cell + 24, side.top + 34 + i * 22];
    const [x, y] = placeOfLine(0);
    const parts = [drawOperands(state, side), drawTile(state, side),
      text(x, y - (isNarrow ? 18 : 22), `Lane ${state.lane} holds`, 'start strong'),
      ...said.map((one, i) => text(...placeOfLine(i), one, 'start'))];
    const label = `The tile of a warp: lane ${state.lane} holds ` +
      plural(4 * held.length, 'float');
    return svg(isNarrow ? 320 : 640, bottom + (isNarrow ? 80 : 2), label, parts);
  }

  // The loads whose floats a lane has by now.
  const heldBy = ({wavefronts, turn, lane}) => loads().filter(({of, first}) => turn === null ||
    wavefronts.slice(0, turn + 1).some((one) =>
      one.of === of && one.first === first && one.lanes.includes(lane)));

  function fragments(rules, {lane = 5}) {
    const wavefronts = loads().flatMap((load) => {
      const turns = turnsOf(load, rules);
      return turns.map((lanes, i) => ({...load, lanes, i, count: turns.length}));
    });
    const frames = wavefronts.map(({of, first, at, lanes, i, count}, turn) => {
      const read = [...new Set(lanes.map((one) => at[one]))].sort((one, other) => one - other);
      const what = of === 'a' ? 'rows' : 'columns';
      const from = read[0];
      const to = read.at(-1) + 3;
      const mine = !lanes.includes(lane) ? `Lane ${lane} is not among them.` :
        `Lane ${lane} gets ${what} ${at[lane]} to ${at[lane] + 3}.`;
      return {line: `copy4\\(&${of}\\[`, said:
        `Load of ${of}[${first}…${first + 3}], wavefront ${i + 1} of ${count}: ` +
        `${what} ${from} to ${to} go to lanes ${spans(lanes)}, each float to ${lanes.length / read.length} of them. ${mine}`,
      draw: (isNarrow) => drawFragments({wavefronts, turn, lane}, isNarrow)};
    });
    const [floats, products] = [TILE.TM + TILE.TN, TILE.TM * TILE.TN];
    frames.push({line: 'sum\\[m\\]\\[n\\] \\+= a\\[m\\] \\* b\\[n\\]', said:
      `After ${wavefronts.length} wavefronts each lane holds ${floats} floats, and has ` +
      `${products} FMAs to do with them. The warp read ${TILE.WM + TILE.WN} different floats; ` +
      `${LANES * floats} registers hold them.`,
    draw: (isNarrow) => drawFragments({wavefronts, turn: null, lane}, isNarrow)});
    return {
      source: {file: `${FOLDER}/fragments.cuh`, first: '// Fragment load', last: '+= a[m] * b[n];'},
      frames, opens: 4,
      settings: [{name: 'lane', label: 'Lane', least: 0, most: LANES - 1, step: 1, value: lane}]};
  }

  // --- Stream-K: which block computes which slices ----------------------------------------------

  const [BM, BN, BK] = [128, 256, 16];  // the tile of sgemm_stream_k
  const SIZE = {least: 256, most: 6144, step: 64};

  // As sgemm_stream_k_launch, with a block per SM.
  function partitionOf({m, n, k, sms}) {
    const tiles = (Math.floor((m - 1) / BM) + 1) * (Math.floor((n - 1) / BN) + 1);
    const slices = Math.floor(Math.max(k - 1, 0) / BK) + 1;
    const shared = tiles % sms;
    return {tiles, slices, shared, sharers: Math.min(sms, shared * slices)};
  }
  // As Partition::begin, and Partition::sharer_of.
  function begin({slices, shared, sharers}, block) {
    if (block < sharers) return Math.floor(block * shared * slices / sharers);
    return shared * slices + (block - sharers) * slices;
  }
  const sharerOf = ({slices, shared, sharers}, slice) =>
    Math.floor(((slice + 1) * sharers - 1) / (shared * slices));

  // As tile_place: the first row and column that a tile owns.
  const GROUP = 8;
  function tilePlace(tile, {m, n}) {
    const inGroup = GROUP * (Math.floor((n - 1) / BN) + 1);
    const group = Math.floor(tile / inGroup);
    const rows = Math.min(GROUP, Math.floor((m - 1) / BM) + 1 - group * GROUP);
    return {row: (group * GROUP + tile % inGroup % rows) * BM,
      col: Math.floor(tile % inGroup / rows) * BN};
  }

  // The parts of tiles that the blocks compute: [{block, sm, tile, from, to}] in time, a slice
  // taking one unit. Each block starts on the SM that is free first, and after it the next.
  function schedule(partition, sms) {
    const free = new Array(sms).fill(0);
    const blocks = partition.tiles - partition.shared + partition.sharers;
    const work = [];
    for (let block = 0; block < blocks; ++block) {
      const sm = free.indexOf(Math.min(...free));
      const end = begin(partition, block + 1);
      for (let at = begin(partition, block); at < end;) {
        const tile = Math.floor(at / partition.slices);
        const count = Math.min((tile + 1) * partition.slices, end) - at;
        work.push({block, sm, tile, from: free[sm], to: free[sm] + count});
        free[sm] += count;
        at += count;
      }
    }
    return work;
  }
  const inWaves = (partition, sms) => schedule({...partition, shared: 0, sharers: 0}, sms);
  const endOf = (work) => Math.max(...work.map(({to}) => to));

  // The tile of the shared ones that the most blocks compute: {tile, first, last}, its blocks.
  function mostCut(partition) {
    const cuts = [...Array(partition.shared).keys()].map((tile) => ({tile,
      first: sharerOf(partition, tile * partition.slices),
      last: sharerOf(partition, (tile + 1) * partition.slices - 1)}));
    return cuts.reduce((most, one) => (one.last - one.first > most.last - most.first ? one : most));
  }

  // Rows of SMs over time, a bar per part of a tile. `kindOf(part)`: null: it is not shown yet.
  function drawChart(work, {sms, y, high, left, scale, kindOf}) {
    const kinds = {};
    for (const part of work) {
      const kind = kindOf(part);
      if (!kind) continue;
      const width = Math.max((part.to - part.from) * scale - 0.7, 0.4);
      (kinds[kind] ??= []).push({x: left + part.from * scale, y: y + part.sm * high, width});
    }
    return rect(left, y, endOf(work) * scale, sms * high, 'frame') +
      Object.entries(kinds)
          .map(([kind, all]) => bars(all, high > 3 ? high - 1 : high, kind)).join('');
  }

  // C with its tiles, those that are shared in another color. Its corner can be dragged.
  function drawMatrix({m, n}, partition, x, y, side) {
    const scale = side / SIZE.most;
    const all = [...Array(partition.tiles).keys()].map((tile) => {
      const {row, col} = tilePlace(tile, {m, n});
      return {tile, x: x + col * scale, y: y + row * scale,
        width: Math.min(BN, n - col) * scale - 0.5};
    });
    const barsOf = (kind, isShared) =>
      bars(all.filter(({tile}) => tile < partition.shared === isShared), BM * scale - 0.5, kind);
    return rect(x, y, side, side, 'wait') + barsOf('value', false) + barsOf('cut0', true) +
      `<circle class="handle" data-x="n" data-y="m" data-scale="${1 / scale}" ` +
      `cx="${Math.round(x + n * scale)}" cy="${Math.round(y + m * scale)}" r="9"/>`;
  }

  function drawShares(setting, stage, isNarrow) {
    const {sms} = setting;
    const partition = partitionOf(setting);
    const waves = inWaves(partition, sms);
    const shares = schedule(partition, sms);
    const longest = endOf(waves);
    const width = isNarrow ? 320 : 640;
    const side = isNarrow ? 120 : 136;
    const left = isNarrow ? 0 : side + 34;
    const scale = (width - left - 1) / longest;
    const high = Math.min(12, Math.floor(1600 / sms) / 10);
    const parts = [text(0, 12, `C, ${setting.m} × ${setting.n}`, 'start strong'),
      drawMatrix(setting, partition, 0, 20, side)];
    let y = isNarrow ? side + 46 : 0;
    const cut = stage === 3 && partition.shared > 0 ? mostCut(partition) : null;
    const charts = [
      ['In waves', waves, ({tile}) =>
        (tile >= partition.tiles - partition.shared ? 'cut0' : 'value')],
      ['Stream-K', shares, ({tile, block}) => {
        if (block >= partition.sharers) return stage >= 2 ? 'value' : null;
        if (stage < 1) return null;
        return cut?.tile === tile ? 'now' : `cut${tile % 2}`;
      }]];
    for (const [name, work, kindOf] of charts) {
      const end = endOf(work);
      parts.push(text(left, y + 12, `${name}: ${plural(end, 'slice')} long`, 'start strong'),
          drawChart(work, {sms, y: y + 20, high, left, scale, kindOf}),
          line(left + end * scale, y + 18, left + end * scale, y + 22 + sms * high, 'limit'));
      y += sms * high + 42;
    }
    parts.push(text(width, y - 4, `time; a row per SM, ${sms} SMs`, 'end soft'));
    const label = `${plural(partition.tiles, 'tile')} on ${plural(sms, 'SM')}: ` +
      `${longest} slices in waves, ${endOf(shares)} with Stream-K`;
    return svg(width, Math.max(y + 4, side + 30), label, parts);
  }

  function streamK(rules, values) {
    const setting = {m: 3008, n: 3008, k: 3008, sms: 132, ...values};
    const {sms} = setting;
    const partition = partitionOf(setting);
    const {tiles, slices, shared, sharers} = partition;
    const draw = (stage) => (isNarrow) => drawShares(setting, stage, isNarrow);
    const waves = endOf(inWaves(partition, sms));
    const end = endOf(schedule(partition, sms));
    const full = Math.floor(tiles / sms);
    const sizes = Array.from({length: sharers}, (_, block) =>
      begin(partition, block + 1) - begin(partition, block));
    const size = [...new Set([Math.min(...sizes), Math.max(...sizes)])].join(' or ');
    const said = shared === 0 ? [
      `${plural(tiles, 'tile')} fill ${plural(sms, 'SM')} ${plural(full, 'time')}, and none is ` +
        'left over to share.',
      'There are no shares. Change a size by one tile, and the last wave is nearly empty.',
      `Every tile gets a block of its own. All SMs end together, after ${plural(end, 'slice')}.`,
      'No tile is cut, so there is nothing to add up.'] : [
      `${plural(tiles, 'tile')} on ${plural(sms, 'SM')} are ${plural(full, 'full wave')} and ` +
        `${plural(shared, 'tile')} more. In the last wave ${plural(sms - shared, 'SM')} would ` +
        `stand idle. So ${plural(shared, 'tile')}, ${plural(shared * slices, 'slice')}, are shared.`,
      `The shares come first: ${plural(sharers, 'block')}, each with ${size} slices.`,
      `The other ${plural(tiles - shared, 'tile')} get a block each. Stream-K ends after ` +
        `${plural(end, 'slice')} instead of ${waves.toLocaleString('en')}: ` +
        `${(waves / end).toFixed(2)} times as fast, if adding up cost nothing.`,
      (({tile, first, last}) => (first === last ?
        `No share ends inside a tile: tile ${tile} has one block.` :
        `Tile ${tile} is cut into ${last - first + 1} parts, by blocks ${first} to ${last}. ` +
        'A second kernel adds them up.'))(mostCut(partition))];
    const lines = ['shared_slices = std::int64_t', 'if \\(block < sharers\\)',
      'return shared_slices \\+', 'return static_cast<int>'];
    const dimensions = ['m', 'n', 'k'].map((name) =>
      ({name, label: name.toUpperCase(), ...SIZE, value: setting[name]}));
    return {source: {file: `${FOLDER}/partition.cuh`, first: 'struct Partition', last: '};'},
      frames: lines.map((one, i) => ({line: one, said: said[i], draw: draw(i)})), opens: 2,
      settings: [...dimensions, {name: 'sms', label: 'SMs', least: 2, most: 132, step: 1, value: sms}]};
  }

  return {STORIES: {fragments, stream_k: streamK}, loads, turnsOf, partitionOf, begin, sharerOf,
    tilePlace, schedule, inWaves, endOf};
})();

if (typeof module !== 'undefined') module.exports = productStories;
