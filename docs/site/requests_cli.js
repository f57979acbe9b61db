// Requests of warps as the access lab draws them, without a page: reads a JSON array of {space, kind,
// bytes, at, label, most} from stdin, writes an array of SVG to stdout. at: an address per
// lane, or null; most: rows that are drawn.
'use strict';

const rules = require('./lab_rules.js');
const labDrawing = require('./lab_drawing.js');

const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(given.map(({space, kind, bytes, at, label, most}) =>
  labDrawing({setting: {memory: space}, request: {bytes, at}, turns: []}, rules,
      {revealed: kind !== 'atomic', label, most}))));
