// Opens drawings in Chromium, wide and narrow, light and dark, and goes through them by keys and by
// touch. Skips (exit code 77) where Chromium is missing.
//
//   node in_chromium.mjs FOLDER      with the pages
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const MODULES = fileURLToPath(new URL('../../../../docs/test/', import.meta.url));
const require = createRequire(path.join(MODULES, 'package.json'));
const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(fs.existsSync);
if (!chromiumPath) {
  console.log('chromium is not installed');
  process.exit(77);
}
const {chromium} = require('playwright-core');
const AXE = fs.readFileSync(path.join(MODULES, 'node_modules/axe-core/axe.min.js'), 'utf8');
const folder = process.argv[2];
const names = fs.readdirSync(folder).filter((name) => name.endsWith('.html')).sort();
const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox']});

async function withPage(name, options, use) {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, bypassCSP: true,
    ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) faults.push(`asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(path.join(folder, name)).href);
  await use(page);
  assert.deepEqual(faults, [], name);
  await context.close();
}

const dataOf = (page) => page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

// Every page, at any width, in either theme; what is seen first is the costliest line.
for (const name of names) {
  for (const [width, colorScheme] of [[1400, 'light'], [400, 'dark']]) {
    await withPage(name, {viewport: {width, height: 800}, colorScheme}, async (page) => {
      const data = await dataOf(page);
      assert.ok(await fits(page), `${name} is wider than ${width}`);
      const [first] = data.launches[data.costliest].lines;
      if (!first) {
        assert.ok(await page.locator('#plain').isVisible(), name);
        return;
      }
      assert.ok(await page.locator('#plain').isHidden(), name);
      assert.match(await page.locator('#where').textContent(), new RegExp(`:${first.line}$`), name);
      assert.ok(await page.locator('#picture svg').isVisible(), name);
      // Every request of the first warp can be looked at.
      const requests = Number(await page.locator('#at').getAttribute('max'));
      for (let i = 0; i < Math.min(requests, 30); ++i) await page.locator('#forth').click();
    });
  }
  await withPage(name, {javaScriptEnabled: false}, async (page) => {
    const pictures = await page.locator('#plain svg.picture').count();
    assert.ok(pictures > 0 || name === 'empty.html', `${name} has no pictures without scripts`);
  });
}

// Keys.
await withPage('tile_conflicts.html', {}, async (page) => {
  assert.match(await page.locator('#cost').textContent(), /32 requests of 32 wavefronts each/);
  const said = () => page.locator('#turn').textContent();
  assert.equal(await said(), 'all 32 at once');
  await page.keyboard.press('d');
  assert.equal(await said(), '1 of 32');
  assert.equal(await page.locator('#picture .word.now').count(), 1);
  assert.equal(await page.locator('#picture .word.later').count(), 31);
  assert.equal(await page.locator('#picture .lane.now').count(), 1);
  await page.keyboard.press('a');
  await page.keyboard.press('a');
  assert.equal(await said(), '32 of 32');
  const place = () => page.locator('#place').textContent();
  assert.match(await place(), /request 3 of 4, in static shared memory/);
  await page.keyboard.press('ArrowRight');
  assert.match(await place(), /request 4 of 4, in allocation 2 by address, of 4,096 bytes/);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.match(await place(), /request 2 of 4/);
  // Tab reaches lines, buttons and the drawing.
  await page.locator('#source button').first().focus();
  await page.keyboard.press('Enter');
  assert.match(await page.locator('#where').textContent(), /tile_conflicts\.cu:5$/);
  await page.locator('#warp').selectOption('7');
  assert.match(await place(), /warp 7: request 1 of 4/);
});

// Playing comes to an end by itself.
await withPage('tile_padded.html', {}, async (page) => {
  await page.locator('#picture').focus();
  await page.keyboard.press(' ');
  assert.equal(await page.locator('#play').textContent(), 'Stop');
  await page.waitForFunction(() => document.getElementById('play').textContent === 'Play');
  assert.match(await page.locator('#turn').textContent(), /at once/);
});

// Touch: everything is large enough for a finger, and says what it says to a mouse.
await withPage('several.html', {viewport: {width: 400, height: 800}, hasTouch: true, isMobile: true},
  async (page) => {
    assert.match(await page.locator('#where').textContent(), /several\.cu:6$/);
    await page.locator('#turn-forth').tap();
    assert.equal(await page.locator('#turn').textContent(), '1 of 32');
    await page.locator('#launch').selectOption('0');
    assert.match(await page.locator('#where').textContent(), /several\.cu:3$/);
    for (const id of ['back', 'forth', 'turn-back', 'turn-forth', 'play', 'launch', 'block', 'warp']) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box.height >= 36 && box.width >= 36, `${id} is small`);
    }
  });

// What axe finds.
for (const colorScheme of ['light', 'dark']) {
  for (const options of [{}, {viewport: {width: 400, height: 800}}]) {
    await withPage('transpose.html', {...options, colorScheme}, async (page) => {
      await page.locator('#turn-forth').click();
      await page.evaluate(AXE);
      const {violations} = await page.evaluate(() => window.axe.run());
      assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`), []);
    });
  }
}
await browser.close();
console.log(`${names.length} pages`);
