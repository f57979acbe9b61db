// Plays the stories of stories.js: frame by frame, each beside its line of code. Each
// <section class="story"> of a page becomes a player; without this script it shows one frame.
'use strict';

{
  const PACES = {Slow: 2600, Normal: 1400, Fast: 500};  // milliseconds per frame
  const NARROW = 520;  // pixels: below, the drawing of a phone

  function button(said, run) {
    const node = document.createElement('button');
    node.type = 'button';
    node.textContent = said;
    node.addEventListener('click', run);
    return node;
  }

  class Story {
    constructor(section) {
      this.section = section;
      this.values = {};  // of settings that the reader has changed
      const {opens, settings} = this.tell();
      this.at = opens;
      this.drawing = section.querySelector('.scroll');
      this.said = section.querySelector('.story-said');
      this.said.setAttribute('role', 'status');
      this.lines = [...section.querySelectorAll('pre code > span')];
      // Drawings for phones fit.
      this.drawing.className = 'story-figure';
      this.drawing.removeAttribute('tabindex');
      this.drawing.after(this.controls());
      if (settings) this.drawing.before(this.sliders(settings));
      this.drawing.addEventListener('pointerdown', (event) => this.drag(event));
      new ResizeObserver(() => this.resize()).observe(section);
      this.show(opens);
    }

    // The story at the reader's settings.
    tell() {
      const told = stories.story(this.section.dataset.story, labRules, this.values);
      this.frames = told.frames;
      return told;
    }
    set(name, value) {
      this.stop();
      this.values[name] = value;
      this.ranges[name].show(value);
      this.tell();
      this.show(this.at);
    }

    // A slider per setting.
    sliders(settings) {
      this.ranges = {};
      const row = document.createElement('div');
      row.className = 'story-settings';
      for (const {name, label, least, most, step, value} of settings) {
        const input = document.createElement('input');
        Object.assign(input, {type: 'range', min: least, max: most, step, value});
        input.addEventListener('input', () => this.set(name, Number(input.value)));
        const shown = document.createElement('b');
        shown.ariaHidden = true;  // the slider says it, too
        this.ranges[name] = {least, most, step, show: (now) => {
          input.value = now;
          shown.textContent = now.toLocaleString('en');
        }};
        this.ranges[name].show(value);
        const field = document.createElement('label');
        field.append(label, ' ', shown, input);
        row.append(field);
      }
      row.addEventListener('keydown', (event) => event.stopPropagation());
      return row;
    }

    // A handle of the drawing is dragged: it says which settings follow its x and y, and how many of
    // their units are one of the drawing's.
    drag(event) {
      if (!event.target.matches('.handle')) return;
      event.preventDefault();
      const handle = event.target;
      const perPixel = handle.dataset.scale * handle.ownerSVGElement.viewBox.baseVal.width /
          handle.ownerSVGElement.getBoundingClientRect().width;
      const ends = new AbortController();
      const starts = ['x', 'y'].map((axis) => [axis, handle.dataset[axis]]).filter(([, name]) => name)
          .map(([axis, name]) => {
            const setting = this.tell().settings.find((one) => one.name === name);
            return {axis, name, from: setting.value, at: event[`client${axis.toUpperCase()}`]};
          });
      const move = (now) => {
        for (const {axis, name, from, at} of starts) {
          const {least, most, step} = this.ranges[name];
          const value = from + (now[`client${axis.toUpperCase()}`] - at) * perPixel;
          this.set(name, Math.min(Math.max(Math.round(value / step) * step, least), most));
        }
      };
      addEventListener('pointermove', move, {signal: ends.signal});
      for (const end of ['pointerup', 'pointercancel']) {
        addEventListener(end, () => ends.abort(), {signal: ends.signal});
      }
    }

    controls() {
      this.slider = document.createElement('input');
      Object.assign(this.slider, {type: 'range', min: 0, max: this.frames.length - 1});
      this.slider.setAttribute('aria-label', 'Frame');
      this.slider.addEventListener('input', () => (this.stop(), this.show(Number(this.slider.value))));
      this.playing = button('Play', () => (this.timer ? this.stop() : this.play()));
      this.playing.className = 'story-play';
      this.pace = document.createElement('select');
      this.pace.className = 'story-play';
      this.pace.setAttribute('aria-label', 'Speed');
      this.pace.append(...Object.keys(PACES).map((name) => new Option(name, name, name === 'Normal')));
      this.pace.value = 'Normal';
      const row = document.createElement('div');
      row.className = 'story-controls';
      row.append(button('Back', () => (this.stop(), this.show(this.at - 1))), this.playing,
          button('Next', () => (this.stop(), this.show(this.at + 1))), this.slider, this.pace);
      // Here, arrow keys do not turn pages.
      row.addEventListener('keydown', (event) => event.stopPropagation());
      return row;
    }

    play() {
      if (this.at === this.frames.length - 1) this.show(0);
      this.playing.textContent = 'Pause';
      const next = () => {
        this.show(this.at + 1);
        if (this.at === this.frames.length - 1) this.stop();
        else this.timer = setTimeout(next, PACES[this.pace.value]);
      };
      this.timer = setTimeout(next, PACES[this.pace.value]);
    }
    stop() {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.playing.textContent = 'Play';
    }

    show(at) {
      this.at = Math.min(Math.max(at, 0), this.frames.length - 1);
      const {line, said} = this.frames[this.at];
      this.said.textContent = said;
      this.slider.value = this.at;
      this.slider.setAttribute('aria-valuetext', `${this.at + 1} of ${this.frames.length}`);
      for (const node of this.lines) {
        node.className = new RegExp(line).test(node.textContent) ? 'now' : 'line';
      }
      this.draw();
    }
    draw() {
      this.isNarrow = this.section.clientWidth < NARROW;
      this.drawing.innerHTML = this.frames[this.at].draw(this.isNarrow);
    }
    resize() {
      if (this.isNarrow !== this.section.clientWidth < NARROW) this.draw();
    }
  }

  for (const section of document.querySelectorAll('.story')) new Story(section);
}
