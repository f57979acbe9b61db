// Draws what a warp's request accesses, as SVG: a row for each 128 bytes, a cell for each word. The
// page's script draws with it, and the build, for readers without scripts.
'use strict';

const labDrawing = (() => {
  const WORDS = 32;  // of a row: 4 sectors, or one word of each bank

  // Lengths in units of the drawing; a narrow one is as wide as a phone, and has no numbers in cells.
  function layoutOf(rows, isShared, isNarrow) {
    const width = isNarrow ? 320 : 640;
    const left = isNarrow ? 42 : 58;
    const gap = isShared ? 0 : isNarrow ? 2 : 4;
    // In tenths, as coordinates are.
    const cell = Math.floor((width - left - 3 * gap - 1) / WORDS * 10) / 10;
    const isFlat = isNarrow || rows > 8;
    return {width, left, gap, cell, isNarrow, top: 20, high: isNarrow ? 8 : isFlat ? 12 : cell - 1,
      pitch: isNarrow ? 10 : isFlat ? 14 : cell + 3};
  }
  const x = ({left, cell, gap}, column) => left + column * cell + Math.floor(column / 8) * gap;

  const number = (value) => String(Math.round(value * 10) / 10);
  const text = (at, y, said, kind) =>
    `<text x="${number(at)}" y="${number(y)}" class="${kind}">${said}</text>`;
  // Words side by side, as one dashed line.
  const strip = (layout, first, count, y, kind) =>
    `<path class="${kind}" d="M${number(x(layout, first))} ${number(y + layout.high / 2)}` +
    `h${number(count * layout.cell - 1)}"/>`;

  function header(layout, isShared) {
    const marks = isShared ? [0, 4, 8, 12, 16, 20, 24, 28, 31] : [0, 8, 16, 24];
    const shown = marks.filter((bank) => !layout.isNarrow || bank % 8 === 0);
    return text(layout.left - 6, 12, isShared ? 'bank' : 'byte', 'soft end') + shown.map((bank) =>
      (isShared ? text(x(layout, bank) + layout.cell / 2, 12, bank, 'soft middle') :
        text(x(layout, bank), 12, `+${bank * 4}`, 'soft'))).join('');
  }

  // {word: the lanes that access it}
  function wordsOf({request}, rules) {
    const words = new Map();
    for (const [lane, address] of request.at.entries()) {
      if (address === null) continue;
      for (const word of rules.wordsOf(address, request.bytes)) {
        words.set(word, [...(words.get(word) ?? []), lane]);
      }
    }
    return words;
  }

  // How a word is shown in a turn: now, done, or neither. It has several turns where its lanes have.
  function stateOf(lanes, turns, turn) {
    if (turn === null) return '';
    const mine = turns.flatMap((one, i) => (one.lanes.some((lane) => lanes.includes(lane)) ? [i] : []));
    return mine.includes(turn) ? ' now' : mine.every((i) => i < turn) ? ' done' : ' wait';
  }

  function cellOf(layout, word, y, lanes, isFirst, kind) {
    const at = x(layout, word % WORDS);
    const cell = `<rect x="${number(at)}" y="${number(y)}" class="word${kind}" style="--l:${lanes[0]}"/>`;
    if (layout.isNarrow || !isFirst) return cell;
    const said = lanes.length === 1 ? lanes[0] : `×${lanes.length}`;
    return cell + text(at + (layout.cell - 1) / 2, y + layout.high / 2 + 4, said, `on${kind}`);
  }

  // `view`: labRules.view(setting). `turn`: the index of the turn to show, null: all at once. `lane`:
  // one to point out, or null. `revealed`: whether what costs is marked. `most`: rows that are drawn; the
  // last of them stands for the end. `label`: what is said of it, where it is not a setting's.
  function draw(view, rules, {turn = null, lane = null, isNarrow = false, revealed = false,
    most = Infinity, label = ''} = {}) {
    const isShared = view.setting.memory === 'shared';
    const words = wordsOf(view, rules);
    const lines = [...new Set([...words.keys()].map((word) => Math.floor(word / WORDS)))]
        .sort((one, other) => one - other);
    const leftOut = lines.length > most ? lines.splice(most - 2, lines.length - most + 1, null) : [];
    const layout = layoutOf(lines.length, isShared, isNarrow);
    const sectors = new Set([...words.keys()].map((word) => Math.floor(word / 8)));
    const body = [header(layout, isShared)];
    let y = layout.top;
    for (const [i, line] of lines.entries()) {
      if (line === null) {
        body.push(text(layout.left + 4, y + 12, `⋮ ${leftOut.length} more rows like these`, 'soft'));
        y += layout.pitch;
        continue;
      }
      // The rows of a narrow drawing are lower than its text.
      if (!isNarrow || i % 2 === 0) {
        const start = (line * rules.LINE).toLocaleString('en');
        body.push(text(layout.left - 6, y + layout.high / 2 + 4, start, 'soft end'));
      }
      const part = isShared ? WORDS : 8;
      for (let first = 0; first < WORDS; first += part) {
        const isWaste = !isShared && revealed && sectors.has((line * WORDS + first) / 8);
        body.push(strip(layout, first, part, y, isWaste ? 'waste' : 'idle'));
      }
      for (let word = line * WORDS; word < (line + 1) * WORDS; ++word) {
        const lanes = words.get(word);
        if (!lanes) continue;
        const before = words.get(word - 1);
        const isFirst = view.request.bytes <= rules.WORD || word % WORDS === 0 || before?.[0] !== lanes[0];
        const kind = stateOf(lanes, view.turns, turn) + (lanes.includes(lane) ? ' picked' : '');
        body.push(cellOf(layout, word, y, lanes, isFirst, kind));
      }
      y += layout.pitch;
    }
    const said = label || `A warp's request: ` +
        (revealed ? rules.countSaid(view) : 'the words that each lane accesses');
    return `<svg class="lab-drawing${isNarrow ? ' narrow' : ''}${turn === null ? '' : ' in-turns'}" ` +
        `style="--w:${number(layout.cell - 1)}px;--h:${number(layout.high)}px" ` +
        `viewBox="0 0 ${layout.width} ${number(y)}" width="${layout.width}" height="${number(y)}" ` +
        `role="img" aria-label="${said}">${body.join('')}</svg>`;
  }
  return draw;
})();

if (typeof module !== 'undefined') module.exports = labDrawing;
