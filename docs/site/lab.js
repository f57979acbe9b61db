// The access lab: controls, a prediction, the drawing turn by turn, and the counts. Each
// <section class="lab"> of a page becomes one; without this script it shows its first setting.
//
// The setting is in the address: PAGE.html#lab&memory=shared&stride=2
'use strict';

{
  const PACE = 900;    // milliseconds per turn
  const NARROW = 520;  // pixels: below, the drawing of a phone
  const NAMES = {
    memory: {global: 'Global', shared: 'Shared'},
    op: {load: 'Load', store: 'Store', copy: 'Asynchronous copy', add_one: 'atomicAdd of 1',
      add_int: 'atomicAdd of an int', add_float: 'atomicAdd of a float', cas: 'atomicCAS'},
    bytes: {1: '1, a char', 2: '2, a short', 4: '4, a float', 8: '8, a float2', 16: '16, a float4'},
    shape: {'32x1': '32 across', '16x2': '16 across, 2 down', '8x4': '8 across, 4 down',
      '4x8': '4 across, 8 down', '2x16': '2 across, 16 down', '1x32': '32 down',
      '8x4z': '8 × 4 in Z order', '4x8z': '4 × 8 in Z order'},
    swizzle: {none: 'None', xor: 'Column ^ row', xor4: 'Column ^ row / 4'},
  };
  const LABELS = {memory: 'Memory', op: 'Access', bytes: 'Bytes per lane', shape: 'The lanes lie',
    stride: 'Stride', offset: 'Offset', row: 'Row width', pad: 'Padding per row', swizzle: 'Swizzle',
    lanes: 'Lanes that take part'};
  const LANE_CHOICES = {ffffffff: 'All', ffff: 'First 16', ff: 'First 8', 1: 'Lane 0 alone',
    '55555555': 'Even lanes', '11111111': 'Every fourth', fffffffe: 'All but lane 0'};

  // An element with attributes (on*: listeners) and children.
  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else if (value !== false) node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children);
    return node;
  }

  class Lab {
    constructor(section) {
      this.section = section;
      this.first = labRules.parse(section.dataset.setting);
      this.setting = this.fromAddress() ?? this.first;
      this.revealed = false;
      this.guess = null;
      this.turn = null;  // an index, or null: all at once
      this.lane = null;  // that is pointed out
      this.build();
      this.render();
      addEventListener('hashchange', () => this.follow());
      new ResizeObserver(() => this.resize()).observe(section);
      if (this.fromAddress()) section.scrollIntoView({block: 'start'});
    }

    // --- the address ---

    fromAddress() {
      const start = `#${this.section.id}&`;
      return location.hash.startsWith(start) ? labRules.parse(location.hash.slice(start.length)) : null;
    }
    address() {
      const text = labRules.format(this.setting);
      return `#${this.section.id}&${text}`;
    }
    follow() {
      const setting = this.fromAddress();
      if (setting && labRules.format(setting) !== labRules.format(this.setting)) this.set(setting);
    }
    // Browsers allow few changes per second.
    keepAddress() {
      clearTimeout(this.keeping);
      this.keeping = setTimeout(() => history.replaceState(null, '', this.address()), 300);
    }

    // --- controls ---

    idOf(name) {
      return `${this.section.id}-${name}`;
    }
    field(name, control, ...said) {
      const label = make('label', {for: this.idOf(name)}, LABELS[name]);
      return make('div', {}, make('span', {}, label, ...said), control);
    }
    radios(name) {
      const group = this.idOf(name);
      const choices = Object.entries(NAMES[name]).map(([value, said]) => make('label', {},
          make('input', {type: 'radio', name: group, value,
            onchange: () => this.change(name, value)}), said));
      this.controls[name] = {show: (value) => {
        for (const choice of choices) choice.firstChild.checked = choice.firstChild.value === value;
      }};
      return make('fieldset', {class: 'lab-choice'}, make('legend', {}, LABELS[name]), ...choices);
    }
    select(name, names = NAMES[name]) {
      const node = make('select', {id: this.idOf(name), onchange: () => this.change(name, node.value)},
          ...Object.entries(names).map(([value, said]) => make('option', {value}, said)));
      this.controls[name] = {node, show: (value, can) => {
        for (const option of node.options) {
          option.disabled = Array.isArray(can) && !can.includes(Number(option.value));
        }
        node.value = value;
        node.disabled = can === false;
      }};
      return this.field(name, node);
    }
    range(name) {
      const said = make('b', {'aria-hidden': true});  // the slider says it, too
      const node = make('input', {type: 'range', id: this.idOf(name), min: 0,
        max: labRules.FIELDS[name].most, oninput: () => this.change(name, node.value)});
      this.controls[name] = {node, show: (value, can) => {
        node.value = value;
        said.textContent = value;
        node.disabled = can === false;
      }};
      return this.field(name, node, ' ', said);
    }
    // A button per lane. The group is one stop of the Tab key; arrow keys move inside.
    laneButtons() {
      this.lanes = Array.from({length: labRules.LANES}, (_, lane) => make('button', {
        type: 'button', style: `--l:${lane}`, tabindex: lane === 0 ? 0 : -1, 'aria-label': `Lane ${lane}`,
        onclick: () => this.change('lanes', ((this.setting.lanes ^ 1 << lane) >>> 0).toString(16)),
        onfocus: () => this.point(lane), onblur: () => this.point(null),
        onpointerenter: () => this.point(lane), onpointerleave: () => this.point(null)}, lane));
      const moves = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8, Home: -99, End: 99};
      return make('div', {class: 'lab-lanes', role: 'group', 'aria-label': 'Lanes', onkeydown: (event) => {
        const move = moves[event.key];
        if (move === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const at = this.lanes.indexOf(document.activeElement);
        const to = Math.min(Math.max(at + move, 0), labRules.LANES - 1);
        this.lanes[at].tabIndex = -1;
        this.lanes[to].tabIndex = 0;
        this.lanes[to].focus();
      }}, ...this.lanes);
    }
    question() {
      this.answer = make('input', {type: 'number', min: 0, max: 999, inputmode: 'numeric', required: true});
      this.asked = make('span');
      return make('form', {class: 'lab-question', onsubmit: (event) => {
        event.preventDefault();
        this.reveal(Number(this.answer.value));
      }}, make('label', {}, this.asked, this.answer), make('button', {}, 'Check'),
      make('button', {type: 'button', onclick: () => this.reveal(null)}, 'Show'));
    }
    player() {
      const step = (by) => () => (this.stop(), this.go((this.turn ?? -1) + by));
      this.slider = make('input', {type: 'range', min: 0, 'aria-label': 'Turn',
        oninput: () => (this.stop(), this.go(Number(this.slider.value) - 1))});
      this.playing = make('button', {type: 'button', class: 'lab-play', onclick: () => this.play()}, 'Play');
      return make('div', {class: 'lab-turns', onkeydown: (event) => event.stopPropagation()},
          make('button', {type: 'button', onclick: step(-1)}, 'Back'), this.playing,
          make('button', {type: 'button', onclick: step(1)}, 'Next'), this.slider);
    }

    build() {
      this.controls = {};
      const parts = [this.radios('memory'), this.select('op'), this.select('bytes'), this.select('shape'),
        this.range('stride'), this.range('offset'), this.range('row'), this.range('pad'),
        this.select('swizzle'), this.select('lanes', {...LANE_CHOICES, '': 'Others'})];
      this.code = make('code');
      this.form = this.question();
      this.counts = make('p', {class: 'lab-counts', role: 'status', tabindex: -1});
      this.drawing = make('div', {class: 'lab-figure'});
      this.turns = this.player();
      this.said = make('p', {class: 'lab-said', role: 'status'});
      this.asks = make('input', {type: 'checkbox', onchange: () => this.asks.checked && this.hide()});
      this.link = make('a', {}, 'Link to this setting');
      this.legend = make('p', {class: 'hint'});
      this.section.replaceChildren(
          make('p', {class: 'lab-title'}, make('b', {}, 'Access lab'),
              ' Choose what a warp accesses, and predict what it costs.'),
          make('div', {class: 'lab-controls'}, ...parts), this.laneButtons(),
          make('pre', {tabindex: 0, 'aria-label': 'The code'}, this.code),
          this.form, this.counts, this.drawing, this.turns, this.said, this.legend,
          make('div', {class: 'lab-more'},
              make('label', {}, this.asks, 'Ask me before every count'), this.link,
              make('button', {type: 'button', onclick: () => this.set(this.first)}, 'Start over')));
      this.section.classList.add('live');
    }

    // --- what happens ---

    change(name, value) {
      if (name === 'lanes' && value === '') return;
      const text = new URLSearchParams(labRules.format(this.setting));
      text.set(name, value);
      this.set(labRules.parse(text.toString()));
    }
    set(setting) {
      this.stop();
      this.setting = setting;
      this.turn = null;
      this.guess = null;
      if (this.asks.checked) this.hide();
      this.render();
      this.keepAddress();
    }
    hide() {
      this.revealed = false;
      this.turn = null;
      this.answer.value = '';
      this.render();
    }
    reveal(guess) {
      this.guess = guess;
      this.revealed = true;
      this.render();
      this.counts.focus();
    }
    point(lane) {
      this.lane = lane;
      this.draw();
      this.say();
    }
    go(turn) {
      this.turn = turn < 0 ? null : Math.min(turn, this.view.turns.length - 1);
      this.draw();
      this.say();
    }
    stop() {
      clearInterval(this.timer);
      this.timer = undefined;
      this.playing.textContent = 'Play';
    }
    play() {
      if (this.timer) {
        this.stop();
        return;
      }
      const last = this.view.turns.length - 1;
      this.go(this.turn === null || this.turn === last ? 0 : this.turn + 1);
      this.playing.textContent = 'Pause';
      this.timer = setInterval(() => {
        if (this.turn === last) this.stop();
        else this.go(this.turn + 1);
      }, PACE);
    }
    resize() {
      const isNarrow = this.section.clientWidth < NARROW;
      if (isNarrow !== this.isNarrow) this.draw();
    }

    // --- what is shown ---

    render() {
      this.view = labRules.view(this.setting);
      const can = labRules.matters(this.setting);
      for (const [name, control] of Object.entries(this.controls)) {
        if (name !== 'lanes') control.show(this.setting[name], can[name]);
      }
      const mask = this.setting.lanes.toString(16);
      this.controls.lanes.show(mask in LANE_CHOICES ? mask : '');
      for (const [lane, button] of this.lanes.entries()) {
        button.setAttribute('aria-pressed', labRules.takesPart(this.setting, lane));
      }
      this.code.textContent = this.view.code.join('\n');
      this.legend.textContent = labRules.legendSaid(this.view);
      this.link.href = this.address();
      this.form.hidden = this.revealed;
      this.turns.hidden = !this.revealed || this.view.turns.length === 0;
      this.asked.textContent = `How many ${this.view.unit}s does a warp's request take? `;
      this.slider.max = this.view.turns.length;
      this.count();
      this.draw();
      this.say();
    }
    count() {
      this.counts.replaceChildren();
      if (!this.revealed) return;
      this.counts.append(make('b', {}, labRules.countSaid(this.view)), ` ${labRules.detailsSaid(this.view)}`);
      if (this.guess !== null) {
        this.counts.append(this.guess === this.view.count ? ' You are right.' : ` You said ${this.guess}.`);
      }
    }
    draw() {
      this.isNarrow = this.section.clientWidth < NARROW;
      this.drawing.innerHTML = labDrawing(this.view, labRules,
          {turn: this.turn, lane: this.lane, isNarrow: this.isNarrow, revealed: this.revealed});
    }
    say() {
      const turn = this.turn === null ? 'All at once' : labRules.turnSaid(this.view, this.turn);
      this.slider.value = this.turn === null ? 0 : this.turn + 1;
      this.slider.setAttribute('aria-valuetext', turn);
      this.said.textContent = this.lane !== null ? labRules.laneSaid(this.view, this.lane) :
        this.turns.hidden ? '' : turn;
    }
  }

  for (const section of document.querySelectorAll('.lab')) new Lab(section);
}
