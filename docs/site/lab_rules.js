// The rules of the access lab: which bytes each lane of a warp accesses at a setting, what that
// request costs, turn by turn, and the code that makes it. Nothing here knows of a page.
//
// The costs are those of common/cpu/trace/rules.cpp; lab_test.py holds them to what ncu counted on a
// GPU and to what the CPU counts.
'use strict';

const labRules = (() => {
  const LANES = 32;
  const SECTOR = 32;  // bytes
  const LINE = 128;   // bytes
  const BANKS = 32;
  const WORD = 4;  // bytes
  const ALL_LANES = 0xffffffff;

  // --- what a request costs -----------------------------------------------------------------------
  // A request is {space, kind, way, bytes, at}. `at` (32): the first byte of each lane, null where a
  // lane takes no part; multiples of `bytes`. kind: load, store, atomic, or copy (from global to
  // shared memory, with `from` (32) beside `at`). way: of atomics in shared memory, how hardware
  // carries them out: plain, count (adds the constant 1), swap (compares and swaps), or loop.

  const bankOf = (address) => Math.floor(address / WORD) % BANKS;
  const wordOf = (address) => Math.floor(address / WORD);
  const lanesOf = (at) => [...at.keys()].filter((lane) => at[lane] !== null);
  const countOf = (values) => new Set(values).size;

  // Each lane's place among those that have the same key, and among these the place of its value:
  // lanes with the same value share a place.
  function places(lanes, keyOf, valueOf) {
    const seen = new Map();
    return new Map(lanes.map((lane) => {
      const key = keyOf(lane);
      if (!seen.has(key)) seen.set(key, []);
      const values = seen.get(key);
      const value = valueOf(lane);
      const known = values.indexOf(value);
      return [lane, known >= 0 ? known : values.push(value) - 1];
    }));
  }

  // Lanes by their places: [[lane]]
  function byPlace(placeOf) {
    const turns = Array.from({length: Math.max(-1, ...placeOf.values()) + 1}, () => []);
    for (const [lane, place] of placeOf) turns[place].push(lane);
    return turns;
  }

  // Neighboring lanes that are served together, [[lane]], groups of which no lane takes part left out.
  function groupsOf(lanes, size) {
    const groups = new Map();
    for (const lane of lanes) {
      const group = Math.floor(lane / size);
      groups.set(group, [...(groups.get(group) ?? []), lane]);
    }
    return [...groups.values()];
  }

  // As many lanes as one pass over the banks can serve: 32 words together.
  const lanesAtOnce = (bytes) => LANES / Math.max(1, bytes / WORD);

  function sectorsOf(at, lanes) {
    const sectors = new Map();
    for (const lane of lanes) {
      const sector = Math.floor(at[lane] / SECTOR);
      sectors.set(sector, [...(sectors.get(sector) ?? []), lane]);
    }
    return [...sectors].sort(([one], [other]) => one - other);
  }

  // Sectors: a turn each. Of an atomic function, a sector takes as many turns as lanes meet at one
  // element of it.
  function globalCost({kind, bytes, at}) {
    const lanes = lanesOf(at);
    const turns = sectorsOf(at, lanes).flatMap(([sector, inSector]) => {
      const shared = kind !== 'atomic' ? [inSector] :
          byPlace(places(inSector, (lane) => at[lane], (lane) => lane));
      return shared.map((those) => ({sector, lanes: those}));
    });
    const used = countOf(lanes.map((lane) => at[lane])) * bytes;
    const efficiency = turns.length ? used / (turns.length * SECTOR) : 0;
    return {turns, counters: {[`global_${kind}`]:
        {requests: lanes.length ? 1 : 0, sectors: turns.length, efficiency}}};
  }

  const passesByWord = (at, lanes) =>
      byPlace(places(lanes, (lane) => bankOf(at[lane]), (lane) => wordOf(at[lane])));
  const passesByLane = (at, lanes) =>
      byPlace(places(lanes, (lane) => bankOf(at[lane]), (lane) => lane));

  // Whether lanes whose numbers differ by `distance` alone have the same address.
  const inPairs = (at, lanes, distance) => lanes.every((lane) =>
    at[lane ^ distance] === null || at[lane ^ distance] === at[lane]);

  // Passes of ordinary loads and stores: {turns, conflicts}
  function plainPasses(kind, bytes, at, lanes) {
    let size = lanesAtOnce(bytes);
    // Loads of two groups become one where lanes share in pairs.
    if (kind === 'load' && size < LANES && (inPairs(at, lanes, 1) || inPairs(at, lanes, 2))) size *= 2;
    const groups = groupsOf(lanes, size).map((group) => passesByWord(at, group));
    const turns = groups.flat().map((those) => ({step: kind, lanes: those}));
    return {turns, conflicts: turns.length - groups.length};
  }

  const figures = (requests, {turns, conflicts}) =>
      ({requests, wavefronts: turns.length, conflicts});

  // Lanes take turns on either side, the L1 cache or shared memory, also for the same word.
  function copyPasses(bytes, at, from) {
    const lanes = lanesOf(at);
    if (bytes > 8) return plainPasses('store', bytes, at, lanes);
    const turns = [];
    let conflicts = 0;
    for (const group of groupsOf(lanes, lanesAtOnce(bytes))) {
      const sides = [at, from].map((side) =>
        places(group, (lane) => bankOf(side[lane]), (lane) => lane));
      const passes = byPlace(new Map(group.map((lane) =>
        [lane, Math.max(...sides.map((placeOf) => placeOf.get(lane)))])));
      // The cache looks up four lines in each pass: that many passes are no conflict.
      const needed = Math.ceil(countOf(group.map((lane) => Math.floor(from[lane] / LINE))) / 4);
      const count = passes.length;
      turns.push(...passes.map((those) => ({step: 'copy', lanes: those})));
      conflicts += count - Math.min(count, needed);
    }
    return {turns, conflicts};
  }

  const inTwoSteps = (lanes) => ['compare', 'swap'].map((step) => ({step, lanes}));

  // Of lanes that compare and swap at once, those that find what they had loaded before: the first
  // of a group that comes to a bank, unless a group before has changed the word.
  function winnersOf(at, groups) {
    const winners = [];
    for (const group of groups) {
      const banks = new Set();
      const first = group.filter((lane) => {
        const bank = bankOf(at[lane]);
        return !banks.has(bank) && banks.add(bank);
      });
      const changed = new Set(winners.map((lane) => at[lane]));
      winners.push(...first.filter((lane) => !changed.has(at[lane])));
    }
    return new Set(winners);
  }

  // Load, compute, compare and swap; those that lose go round again.
  function loopCost(bytes, at) {
    const cost = {turns: [], load: {requests: 0, wavefronts: 0, conflicts: 0},
      atomic: {requests: 0, wavefronts: 0, conflicts: 0}};
    for (let left = at; lanesOf(left).length;) {
      const lanes = lanesOf(left);
      const loads = plainPasses('load', bytes, left, lanes);
      const groups = groupsOf(lanes, lanesAtOnce(bytes));
      const winners = winnersOf(left, groups);
      const swaps = groups.flatMap((group) => inTwoSteps(group));
      cost.turns.push(...loads.turns, ...swaps);
      cost.load.requests += 1;
      cost.load.wavefronts += loads.turns.length;
      cost.load.conflicts += loads.conflicts;
      cost.atomic.requests += 1;
      cost.atomic.wavefronts += swaps.length;
      left = left.map((address, lane) => (winners.has(lane) ? null : address));
    }
    return {turns: cost.turns, counters: {shared_load: cost.load, shared_atomic: cost.atomic}};
  }

  function sharedAtomicCost({way, bytes, at}) {
    if (way === 'loop') return loopCost(bytes, at);
    const passesOf = way === 'count' ? passesByWord : passesByLane;
    const groups = groupsOf(lanesOf(at), lanesAtOnce(bytes)).map((group) => passesOf(at, group));
    const passes = groups.flat();
    const turns = passes.flatMap((lanes) =>
      (way === 'swap' ? inTwoSteps(lanes) : [{step: 'atomic', lanes}]));
    const requests = passes.length ? 1 : 0;
    return {turns, counters: {shared_atomic:
        {requests, wavefronts: turns.length, conflicts: passes.length - groups.length}}};
  }

  // {turns, counters}: what happens one after the other, [{lanes, sector | step}], and the counts by
  // the names of the CPU's counters.
  function cost(request) {
    const {space, kind, bytes, at} = request;
    if (space === 'global') return globalCost(request);
    if (kind === 'atomic') return sharedAtomicCost(request);
    const lanes = lanesOf(at);
    const requests = lanes.length ? 1 : 0;
    const passes = kind === 'copy' ? copyPasses(bytes, at, request.from) :
      plainPasses(kind, bytes, at, lanes);
    const counter = kind === 'load' ? 'shared_load' : 'shared_store';
    return {turns: passes.turns, counters: {[counter]: figures(requests, passes)}};
  }

  // --- settings -----------------------------------------------------------------------------------

  const TYPES = {1: 'unsigned char', 2: 'unsigned short', 4: 'float', 8: 'float2', 16: 'float4'};
  // What the code does. `only`: widths that there are.
  const OPERATIONS = {
    load: {kind: 'load', only: [1, 2, 4, 8, 16], code: (place) => `value = ${place};`},
    store: {kind: 'store', only: [1, 2, 4, 8, 16], code: (place) => `${place} = value;`},
    copy: {kind: 'copy', only: [4, 8]},
    add_one: {kind: 'atomic', way: 'count', only: [4], type: 'int',
      code: (place) => `atomicAdd(&${place}, 1);`},
    add_int: {kind: 'atomic', way: 'plain', only: [4], type: 'int',
      code: (place) => `atomicAdd(&${place}, value);`},
    add_float: {kind: 'atomic', way: 'loop', only: [4],
      code: (place) => `atomicAdd(&${place}, value);`},
    cas: {kind: 'atomic', way: 'swap', only: [4], type: 'int',
      code: (place) => `atomicCAS(&${place}, 0, value);`},
  };
  // What can be set, and where it begins: one of `values`, or a whole number up to `most`.
  const FIELDS = {
    memory: {first: 'global', values: ['global', 'shared']},
    op: {first: 'load', values: Object.keys(OPERATIONS)},
    bytes: {first: 4, values: [1, 2, 4, 8, 16]},
    stride: {first: 1, most: 33},   // elements from a lane to the next one across
    offset: {first: 0, most: 64},   // elements before the first lane's
    // Lanes across x lanes down; z: in Z order, as in step 12.
    shape: {first: '32x1', values: ['32x1', '16x2', '8x4', '4x8', '2x16', '1x32', '8x4z', '4x8z']},
    row: {first: 32, most: 64},     // elements per row
    pad: {first: 0, most: 8},       // elements after each row
    swizzle: {first: 'none', values: ['none', 'xor', 'xor4']},
    lanes: {first: ALL_LANES},      // a bit per lane
  };
  const DEFAULTS = Object.fromEntries(Object.entries(FIELDS).map(([name, {first}]) => [name, first]));

  const across = (shape) => parseInt(shape, 10);
  const down = (shape) => LANES / across(shape);
  const isPowerOfTwo = (n) => n > 1 && (n & (n - 1)) === 0;

  // The fields that make a difference at a setting, and the widths and swizzles that there are.
  const matters = (setting) => ({
    stride: across(setting.shape) > 1,
    row: down(setting.shape) > 1,
    pad: down(setting.shape) > 1,
    swizzle: down(setting.shape) > 1 && isPowerOfTwo(setting.row),
    bytes: OPERATIONS[setting.op].only,
  });

  function valid(name, value) {
    const {first, values, most} = FIELDS[name];
    if (values) return values.find((one) => String(one) === String(value)) ?? first;
    const number = name === 'lanes' ? parseInt(value, 16) : Number.parseInt(value, 10);
    if (!Number.isFinite(number)) return first;
    return name === 'lanes' ? number >>> 0 : Math.min(Math.max(number, 0), most);
  }

  // A setting from the form that addresses and pages have: 'memory=shared&stride=2', each field that
  // is not as it begins. What cannot be is brought to what can.
  function parse(text) {
    const given = new URLSearchParams(text);
    const setting = Object.fromEntries(Object.keys(FIELDS).map((name) =>
      [name, given.has(name) ? valid(name, given.get(name)) : DEFAULTS[name]]));
    return consistent(setting);
  }
  function consistent(setting) {
    const can = matters(setting);
    return {...setting, bytes: can.bytes.includes(setting.bytes) ? setting.bytes : 4,
      swizzle: can.swizzle ? setting.swizzle : 'none'};
  }
  function format(setting) {
    const shown = (name) => (name === 'lanes' ? setting.lanes.toString(16) : setting[name]);
    return Object.keys(FIELDS).filter((name) => setting[name] !== DEFAULTS[name])
        .map((name) => `${name}=${shown(name)}`).join('&');
  }

  // Bits 0, 2 and 4 of n, moved together: undoes the interleaving of Z order.
  const evenBits = (n) => (n & 1) | (n >> 1 & 2) | (n >> 2 & 4);

  // Column and row of a lane.
  function placeOf(lane, shape) {
    const width = across(shape);
    if (!shape.endsWith('z')) return {x: lane % width, y: Math.floor(lane / width)};
    const isTall = down(shape) > width;
    return {x: evenBits(isTall ? lane >> 1 : lane), y: evenBits(isTall ? lane : lane >> 1)};
  }

  // The element that a lane accesses.
  function elementOf(setting, lane) {
    const {x, y} = placeOf(lane, setting.shape);
    const column = setting.offset + setting.stride * x;
    const by = {none: 0, xor: y, xor4: y >> 2}[setting.swizzle];
    const swizzled = by === 0 ? column : column ^ by % setting.row;
    return y * (setting.row + setting.pad) + swizzled;
  }

  const takesPart = (setting, lane) => (setting.lanes >>> lane & 1) === 1;

  function requestOf(setting) {
    const {kind, way} = OPERATIONS[setting.op];
    const lanes = [...Array(LANES).keys()];
    const by = (elementAt) => lanes.map((lane) =>
      (takesPart(setting, lane) ? elementAt(lane) * setting.bytes : null));
    const at = by((lane) => elementOf(setting, lane));
    const request = {space: setting.memory, kind, way, bytes: setting.bytes, at};
    if (kind !== 'copy') return request;
    // The other side of a copy has the lanes' elements side by side.
    if (setting.memory === 'global') return {...request, kind: 'load'};
    return {...request, from: by((lane) => lane)};
  }

  // --- the code ------------------------------------------------------------------------------------

  // a * name, as one would write it: '' for 0.
  const times = (factor, name) => (factor === 0 ? '' : factor === 1 ? name : `${factor} * ${name}`);
  const sum = (...terms) => terms.filter(Boolean).join(' + ') || '0';

  function guardOf(mask) {
    if (mask === ALL_LANES) return '';
    for (let n = 1; n < LANES; ++n) {
      if (mask === 2 ** n - 1) return `if (lane < ${n}) `;
      if (mask === (ALL_LANES ^ 2 ** n - 1) >>> 0) return `if (lane >= ${n}) `;
    }
    for (const step of [2, 4, 8]) {
      for (let first = 0; first < step; ++first) {
        const every = [...Array(LANES).keys()].filter((lane) => lane % step === first);
        const bits = every.reduce((sum, lane) => sum + 2 ** lane, 0);
        if (mask === bits) return `if (lane % ${step} == ${first}) `;
      }
    }
    const lane = Math.log2(mask);
    if (Number.isInteger(lane)) return `if (lane == ${lane}) `;
    return `if (0x${mask.toString(16)}u >> lane & 1) `;
  }

  // Names of a lane's column and row in the code, and what they are defined as.
  function axes(shape) {
    const width = across(shape);
    if (width === LANES) return {x: 'lane', y: '', defined: {}};
    if (width === 1) return {x: '', y: 'lane', defined: {}};
    const [x, y] = !shape.endsWith('z') ? [`lane % ${width}`, `lane / ${width}`] :
      down(shape) > width ? ['even_bits(lane / 2)', 'even_bits(lane)'] :
      ['even_bits(lane)', 'even_bits(lane / 2)'];
    return {x: 'x', y: 'y', defined: {x, y}};
  }
  // The line that defines those of them that `place` uses.
  function definitions({defined}, place) {
    const used = Object.entries(defined).filter(([name]) => new RegExp(`\\b${name}\\b`).test(place));
    if (!used.length) return [];
    return [`const int ${used.map(([name, code]) => `${name} = ${code}`).join(', ')};`];
  }

  function columnCode(setting, {x, y}) {
    const column = sum(x && times(setting.stride, x), setting.offset ? String(setting.offset) : '');
    if (setting.swizzle === 'none') return column;
    const by = setting.swizzle === 'xor4' ? `${y} / 4` : y;
    const most = setting.swizzle === 'xor4' ? (down(setting.shape) - 1) >> 2 : down(setting.shape) - 1;
    const within = most < setting.row ? by : `${by} % ${setting.row}`;
    const operand = (code) => (/^\w+$/.test(code) ? code : `(${code})`);
    return `${operand(column)} ^ ${operand(within)}`;
  }

  // The lines that make the request, of a thread whose number in its warp is `lane`; `data` is in
  // global memory, `tile` in shared, and `value` a variable of the elements' type.
  function codeOf(setting) {
    const operation = OPERATIONS[setting.op];
    const type = operation.type ?? TYPES[setting.bytes];
    const names = axes(setting.shape);
    const column = columnCode(setting, names);
    const pitch = setting.row + setting.pad;
    const all = [...Array(LANES).keys()];
    const columns = all.map((lane) =>
      elementOf(setting, lane) - placeOf(lane, setting.shape).y * pitch);
    const isShared = setting.memory === 'shared';
    const name = isShared ? 'tile' : 'data';
    const inRows = isShared && names.y && Math.max(...columns) < setting.row;
    const size = Math.max(...all.map((lane) => elementOf(setting, lane))) + 1;
    const flat = names.y && pitch > 0 ?
      sum(times(pitch, names.y), column === '0' ? '' : column.includes('^') ? `(${column})` : column) :
      column;
    const place = inRows ? `tile[${names.y}][${column}]` : `${name}[${flat}]`;
    const width = setting.pad ? `${setting.row} + ${setting.pad}` : `${setting.row}`;
    const declared = inRows ? `__shared__ ${type} tile[${down(setting.shape)}][${width}];` :
      `__shared__ ${type} tile[${size}];`;
    const guard = guardOf(setting.lanes);
    if (setting.op === 'copy') {
      const [to, from] = isShared ? [place, 'data[lane]'] : ['tile[lane]', place];
      return [isShared ? declared : `__shared__ ${type} tile[${LANES}];`, ...definitions(names, place),
        `${guard}__pipeline_memcpy_async(&${to}, &${from}, sizeof(${type}));`];
    }
    return [...(isShared ? [declared] : []), ...definitions(names, place),
      guard + operation.code(place)];
  }

  // --- in words ------------------------------------------------------------------------------------

  const plural = (count, unit) => `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
  const unitOf = (setting) => (setting.memory === 'global' ? 'sector' : 'wavefront');

  // [0, 1, 2, 5] becomes 'lanes 0 to 2, 5'.
  function namesOf(lanes) {
    const runs = [];
    for (const lane of lanes) {
      if (runs.length && runs.at(-1)[1] === lane - 1) runs.at(-1)[1] = lane;
      else runs.push([lane, lane]);
    }
    const said = runs.flatMap(([first, last]) => (last - first === 1 ? [first, last] :
      first === last ? [first] : [`${first} to ${last}`]));
    return lanes.length === 1 ? `lane ${lanes[0]}` : `lanes ${said.join(', ')}`;
  }

  // All there is to show of a setting.
  function view(setting) {
    const request = requestOf(setting);
    const {turns, counters} = cost(request);
    return {setting, request, turns, counters, code: codeOf(setting), unit: unitOf(setting),
      count: turns.length};
  }

  const countSaid = ({count, unit}) => plural(count, unit);

  // What stands behind the count.
  function detailsSaid({setting, request, turns, counters}) {
    const lanes = lanesOf(request.at);
    if (!lanes.length) return 'No lane takes part.';
    const addresses = countOf(lanes.map((lane) => request.at[lane]));
    if (setting.memory === 'global' && request.kind === 'atomic') {
      return `${plural(lanes.length, 'lane')}, ${plural(addresses, 'element')}. A sector counts as ` +
          'often as lanes meet at one element of it.';
    }
    if (setting.memory === 'global') {
      const used = addresses * request.bytes;
      const moved = turns.length * SECTOR;
      return `${used} of the ${moved.toLocaleString('en')} bytes that move are wanted: ` +
          `${Math.round(100 * used / moved)} %.`;
    }
    const conflicts = Object.values(counters).reduce((sum, one) => sum + one.conflicts, 0);
    const rounds = counters.shared_atomic?.requests ?? 1;
    return (rounds > 1 ? `The loop goes round ${rounds} times. ` : '') + (conflicts ?
      `${conflicts} of them ${conflicts === 1 ? 'is a bank conflict' : 'are bank conflicts'}.` :
      'No bank conflicts.');
  }

  // How to read the drawing.
  function legendSaid({setting}) {
    return 'A cell is a word of 4 bytes, in the color of its lane. ' + (setting.memory === 'shared' ?
      'A column is a bank; a row is 128 bytes.' :
      'A row is 128 bytes, in four sectors. Red words move with their sector, and no lane wants them.');
  }

  const STEPS = {load: 'loaded', store: 'stored', copy: 'copied', atomic: 'updated',
    compare: 'compared', swap: 'swapped'};

  // What happens in a turn.
  function turnSaid({request, turns, unit}, index) {
    const {lanes, sector, step} = turns[index];
    const said = `${unit[0].toUpperCase()}${unit.slice(1)} ${index + 1} of ${turns.length}: `;
    const elements = countOf(lanes.map((lane) => request.at[lane]));
    if (sector !== undefined) {
      const first = sector * SECTOR;
      return `${said}bytes ${first.toLocaleString('en')} to ${(first + SECTOR - 1).toLocaleString('en')} ` +
          `for ${namesOf(lanes)}; ${elements * request.bytes} of 32 wanted`;
    }
    const words = new Set(lanes.flatMap((lane) => wordsOf(request.at[lane], request.bytes)));
    return `${said}${plural(words.size, 'bank')} busy, ${plural(words.size, 'word')} ` +
        `${STEPS[step]} for ${namesOf(lanes)}`;
  }

  function wordsOf(address, bytes) {
    const first = wordOf(address);
    return Array.from({length: Math.max(1, bytes / WORD)}, (_, i) => first + i);
  }

  // What a lane does.
  function laneSaid({setting, request}, lane) {
    const address = request.at[lane];
    if (address === null) return `Lane ${lane} takes no part`;
    const place = setting.memory === 'global' ?
      `sector ${Math.floor(address / SECTOR)}` : `bank ${bankOf(address)}`;
    return `Lane ${lane}: element ${address / setting.bytes}, ` +
        `byte ${address.toLocaleString('en')}, ${place}`;
  }

  return {LANES, LINE, WORD, BANKS, FIELDS, OPERATIONS, cost, parse, format, consistent, matters, takesPart,
    view, wordsOf, countSaid, detailsSaid, legendSaid, turnSaid, laneSaid};
})();

if (typeof module !== 'undefined') module.exports = labRules;
