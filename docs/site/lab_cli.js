// What the access lab says of settings, without a page: reads a JSON array of settings as addresses
// have them ('memory=shared&stride=2') from stdin, writes an array of {setting, text, code, count,
// details, legend, svg} to stdout.
'use strict';

const rules = require('./lab_rules.js');
const labDrawing = require('./lab_drawing.js');

const wanted = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(wanted.map((text) => {
  const view = rules.view(rules.parse(text));
  return {setting: view.setting, text: rules.format(view.setting), code: view.code,
    count: rules.countSaid(view), details: rules.detailsSaid(view), legend: rules.legendSaid(view),
    svg: labDrawing(view, rules, {revealed: true})};
})));
