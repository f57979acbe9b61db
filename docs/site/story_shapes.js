// The shapes of the stories' drawings, as SVG, and of what they say.
'use strict';

const storyShapes = (() => {
  const number = (value) => String(Math.round(value * 10) / 10);
  const text = (x, y, said, kind = '') =>
    `<text x="${number(x)}" y="${number(y)}"${kind && ` class="${kind}"`}>${said}</text>`;
  const rect = (x, y, width, height, kind) =>
    `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" ` +
    `class="${kind}"/>`;
  const line = (x1, y1, x2, y2, kind) =>
    `<path class="${kind}" d="M${number(x1)} ${number(y1)}L${number(x2)} ${number(y2)}"/>`;
  // Bars of one kind, [{x, y, width}], all `high`: one path, as they may be many.
  const bars = (all, high, kind) => (all.length === 0 ? '' :
    `<path class="bars ${kind}" style="stroke-width:${number(high)}px" d="` +
    all.map(({x, y, width}) => `M${number(x)} ${number(y + high / 2)}h${number(width)}`).join('') +
    '"/>');
  const svg = (width, height, label, parts) =>
    `<svg class="story-drawing" viewBox="0 0 ${width} ${number(height)}" width="${width}" ` +
    `height="${number(height)}" role="img" aria-label="${label}">${parts.join('')}</svg>`;
  const plural = (count, unit) => `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
  return {number, text, rect, line, bars, svg, plural};
})();

if (typeof module !== 'undefined') module.exports = storyShapes;
