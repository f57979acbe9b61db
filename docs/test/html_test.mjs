// Every page of a site that has been made is valid HTML, by html-validate's standard rules. Skips
// (exit code 77) where npm's packages or the site are missing.
//
//   node html_test.mjs [SITE]
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
if (!fs.existsSync(path.join(HERE, 'node_modules/html-validate')))
  skip('run `npm ci --prefix docs/test` first');
const {HtmlValidate} = await import('html-validate');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'html-test-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
let site = process.argv[2];
if (!site) {
  site = path.join(work, 'site');
  const made = spawnSync('python3', [path.join(HERE, '../site/build.py'), site],
                         {encoding: 'utf8'});
  if (made.status === 77) skip(made.stderr.trim());
  assert.equal(made.status, 0, made.stderr);
}

const validator = new HtmlValidate({extends: ['html-validate:standard'], rules: {
  'long-title': 'off',       // a matter of taste
  'no-inline-style': 'off',  // lines' numbers, lanes' colors
}});
async function faultsOf(name, text) {
  const {results} = await validator.validateString(text, name);
  return results.flatMap(({messages}) => messages.map(({line, column, ruleId, message}) =>
    `${name}:${line}:${column}: ${message} (${ruleId})`));
}

const names = fs.readdirSync(site).filter((name) => name.endsWith('.html')).sort();
const read = (name) => fs.readFileSync(path.join(site, name), 'utf8');
const faults = [];
for (const name of names) faults.push(...await faultsOf(name, read(name)));
assert.deepEqual(faults.slice(0, 40), [], `${faults.length} faults`);

// What is planted is found.
const glossary = read('glossary.html');
const planted = {
  'element-permitted-content': '<p><span><div>a block in a paragraph</div></span></p>',
  'close-order': '<div><p>unbalanced</div></p>',
  'no-dup-id': '<p id="warp">twice</p>',
  'attribute-allowed-values': '<button type="sbmit">x</button>',
};
for (const [rule, more] of Object.entries(planted)) {
  const found = await faultsOf('glossary.html',
                               glossary.replace('</article>', `${more}</article>`));
  assert(found.some((one) => one.includes(rule)), `not found: ${rule} (but: ${found})`);
}
console.log(`${names.length} pages are valid`);
