// Stories without a page: reads a JSON array of names from stdin, writes an array of {source, count,
// line, said, svg} to stdout, of the frames that they open on.
'use strict';

// What are one script in a page are modules here.
globalThis.storyShapes = require('./story_shapes.js');
globalThis.productStories = require('./product_stories.js');
const rules = require('./lab_rules.js');
const stories = require('./stories.js');

const wanted = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(wanted.map((name) => {
  if (!stories.NAMES.includes(name)) return null;
  const {source, frames, opens} = stories.story(name, rules);
  const {line, said, draw} = frames[opens];
  return {source, count: frames.length, line, said, svg: draw(false)};
})));
