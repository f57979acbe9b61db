// The access lab and the stories in Chromium: by keys alone, by touch, on a phone, without scripts,
// and what a screen reader is told. Skips (exit code 77) where Chromium, npm's packages or what makes
// the site is missing.
//
//   node lab_test.mjs [SITE [PART]]    SITE: a site that has been made; without it, one is
//                                      PART: only tests whose names have it
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOST_KEYS = 10;  // from the start page to a changed setting
const PAGES = ['index', 'memory', '01_naive_add', '02_vectorized_add', '07_transpose_naive',
  '08_transpose_shared', '11_sgemm_threadtile', '12_sgemm_warptile_zorder'];

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(fs.existsSync);
if (!chromiumPath) skip('chromium is not installed');
if (!fs.existsSync(path.join(HERE, 'node_modules'))) skip('run `npm ci --prefix docs/test` first');
const {chromium} = (await import('playwright-core')).default;
const AXE = fs.readFileSync(path.join(HERE, 'node_modules/axe-core/axe.min.js'), 'utf8');
const labRules = createRequire(import.meta.url)('../site/lab_rules.js');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'lab-test-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
let site = process.argv[2];
if (!site) {
  site = path.join(work, 'site');
  const made = spawnSync('python3', [path.join(HERE, '../site/build.py'), site],
                         {encoding: 'utf8'});
  if (made.status === 77) skip(made.stderr.trim());
  assert.equal(made.status, 0, made.stderr);
}
const address = (name) => pathToFileURL(path.join(fs.realpathSync(site), `${name}.html`)).href;
const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox']});

const tests = [];
const test = (name, options, run) => tests.push({name, run: async () => {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, ...options});
  context.setDefaultTimeout(5000);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  try {
    await run(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}});

// --- what the tests do with a lab ---

const labs = (page) => page.locator('.lab');
const show = (lab) => lab.getByRole('button', {name: 'Show', exact: true}).click();
const said = (lab) => lab.locator('.lab-counts').textContent();
const setRange = (lab, name, value) => lab.getByLabel(name, {exact: true}).fill(String(value));
const counted = (text) => labRules.countSaid(labRules.view(labRules.parse(text)));
const settled = (page) => page.waitForTimeout(400);  // the address follows after a moment

async function accessibility(page, part = '.lab') {
  await page.evaluate(AXE);
  const {violations} = await page.evaluate((within) => axe.run(within,
      {preload: false, resultTypes: ['violations']}), part);
  return violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`);
}

// --- the tests ---

test('every page that should have a lab has one, and it counts', {}, async (page) => {
  for (const name of PAGES) {
    await page.goto(address(name));
    assert(await labs(page).count() > 0, `${name} has no lab`);
    for (const lab of await labs(page).all()) {
      await show(lab);
      const text = await lab.getAttribute('data-setting');
      assert((await said(lab)).startsWith(counted(text)), `${name}: ${text}`);
    }
  }
});

test('keys alone change a setting, from the start page on', {}, async (page) => {
  await page.goto(address('index'));
  let keys = 0;
  const press = (key) => (++keys, page.keyboard.press(key));
  const isInLab = () => page.evaluate(() => !!document.activeElement.closest('.lab-controls'));
  await press('Tab');
  await press('Enter');  // to the text
  while (!await isInLab() && keys < MOST_KEYS) await press('Tab');
  const before = await page.locator('.lab pre').first().textContent();
  await press('ArrowDown');
  assert.notEqual(await page.locator('.lab pre').first().textContent(), before);
  assert(keys <= MOST_KEYS, `${keys} keys`);
});

test('a count is hidden until the reader has guessed', {}, async (page) => {
  await page.goto(address('08_transpose_shared'));
  const lab = labs(page).first();
  assert.equal(await said(lab), '');
  assert(!await lab.locator('.lab-turns').isVisible());
  assert(!(await lab.locator('svg').getAttribute('aria-label')).includes('32 wavefronts'));
  await lab.getByLabel('How many wavefronts').fill('1');
  await page.keyboard.press('Enter');
  assert.match(await said(lab), /^32 wavefronts.*You said 1\./);
  assert.match(await lab.locator('svg').getAttribute('aria-label'), /32 wavefronts/);
  await setRange(lab, 'Padding per row', 1);
  assert.match(await said(lab), /^1 wavefront\b/, 'the count is live from then on');
  await lab.getByLabel('Ask me before every count').check();
  assert.equal(await said(lab), '');
  await lab.getByLabel('How many wavefronts').fill('1');
  await lab.getByRole('button', {name: 'Check'}).click();
  assert.match(await said(lab), /You are right/);
  await setRange(lab, 'Padding per row', 2);
  assert.equal(await said(lab), '');
});

test('every control changes the setting, its code, and the address', {}, async (page) => {
  await page.goto(address('memory'));
  const lab = labs(page).first();
  const wanted = 'memory=shared&op=store&bytes=8&stride=3&offset=5&shape=8x4&row=16&pad=2' +
      '&swizzle=xor&lanes=5555';
  const view = labRules.view(labRules.parse(wanted));
  await lab.getByLabel('Shared').check();
  await lab.getByLabel('Access', {exact: true}).selectOption('store');
  await lab.getByLabel('Bytes per lane').selectOption('8');
  await lab.getByLabel('The lanes lie').selectOption('8x4');
  for (const [name, value] of [['Stride', 3], ['Offset', 5], ['Row width', 16], ['Padding per row', 2]]) {
    await setRange(lab, name, value);
  }
  await lab.getByLabel('Swizzle').selectOption('xor');
  await lab.getByLabel('Lanes that take part').selectOption('First 16');
  for (let lane = 1; lane < 16; lane += 2) {
    await lab.getByRole('button', {name: `Lane ${lane}`, exact: true}).click();
  }
  await show(lab);
  assert.equal((await lab.locator('pre').textContent()).trim(), view.code.join('\n'));
  assert((await said(lab)).startsWith(labRules.countSaid(view)));
  await settled(page);
  assert(page.url().endsWith(`#lab&${wanted}`), page.url());
  // Whoever opens the address has the same setting, and the other lab of the page its own.
  await page.reload();
  assert.equal((await lab.locator('pre').textContent()).trim(), view.code.join('\n'));
  assert.match(await page.locator('#lab-of-banks pre').textContent(), /tile\[2 \* lane\]/);
  await page.evaluate(() => { location.hash = '#lab&stride=7'; });
  await page.waitForFunction(() => document.querySelector('#lab pre').textContent.includes('7 * lane'));
});

test('a control without effect cannot be used', {}, async (page) => {
  await page.goto(`${address('memory')}#lab&memory=shared`);
  const lab = labs(page).first();
  assert(await lab.getByLabel('Padding per row').isDisabled());
  await lab.getByLabel('The lanes lie').selectOption('1x32');
  assert(await lab.getByLabel('Padding per row').isEnabled());
  assert(await lab.getByLabel('Stride').isDisabled());
  await setRange(lab, 'Row width', 12);
  assert(await lab.getByLabel('Swizzle').isDisabled());
  await lab.getByLabel('Access', {exact: true}).selectOption('cas');
  assert(await lab.getByLabel('Bytes per lane').locator('option[value="16"]').isDisabled());
});

test('the turns, one by one and played', {}, async (page) => {
  await page.goto(address('08_transpose_shared'));
  const lab = labs(page).first();
  await show(lab);
  const now = () => lab.locator('rect.now').count();
  assert.equal(await now(), 0);
  await lab.getByRole('button', {name: 'Next'}).click();
  assert.match(await lab.locator('.lab-said').textContent(), /^Wavefront 1 of 32: 1 bank busy.*lane 0$/);
  assert.equal(await now(), 1);
  const slider = lab.getByRole('slider', {name: 'Turn'});
  await slider.focus();
  await page.keyboard.press('End');
  assert.match(await lab.locator('.lab-said').textContent(), /^Wavefront 32 of 32.*lane 31$/);
  assert.equal(await lab.locator('rect.done').count(), 31);
  await setRange(lab, 'Padding per row', 1);
  await lab.getByRole('button', {name: 'Play'}).click();
  assert.match(await lab.locator('.lab-said').textContent(), /^Wavefront 1 of 1: 32 banks busy/);
  assert.equal(await now(), 32);
});

test('arrow keys inside a lab do not leave the page', {}, async (page) => {
  await page.goto(address('08_transpose_shared'));
  const lab = labs(page).first();
  await lab.getByRole('button', {name: 'Lane 0', exact: true}).focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await lab.locator('.lab-said').textContent(), /^Lane 1: element 32, byte 128, bank 0$/);
  assert.equal(await lab.locator('rect.picked').count(), 1);
  await page.keyboard.press('Space');
  assert.equal(await lab.locator('rect.picked').count(), 0);
  assert.match(await lab.locator('.lab-said').textContent(), /^Lane 1 takes no part$/);
  await show(lab);
  await lab.getByRole('button', {name: 'Next'}).focus();
  await page.keyboard.press('ArrowRight');
  await settled(page);
  assert.match(page.url(), /08_transpose_shared\.html#lab/);
});

for (const width of [320, 400]) {
  test(`on a phone, ${width} pixels wide, by touch`,
      {viewport: {width, height: 800}, hasTouch: true, isMobile: true}, async (page) => {
        for (const name of ['08_transpose_shared', 'memory']) {
          await page.goto(address(name));
          for (const lab of await labs(page).all()) {
            await lab.getByRole('button', {name: 'Show', exact: true}).tap();
            const lane = lab.getByRole('button', {name: 'Lane 9', exact: true});
            await lane.tap();
            assert.equal(await lane.getAttribute('aria-pressed'), 'false');
            const faults = await lab.evaluate((node) => {
              const found = [];
              for (const one of node.querySelectorAll('button, select, input, text, p')) {
                const {left, right, width, height} = one.getBoundingClientRect();
                if (width === 0) continue;
                if (left < 0 || right > innerWidth) found.push(`out of view: ${one.outerHTML.slice(0, 80)}`);
                const isTarget = one.matches('button, select, input:not([type=radio], [type=checkbox])');
                if (isTarget && Math.min(width, height) < 24) {
                  found.push(`small: ${one.outerHTML.slice(0, 80)}`);
                }
                if (one.matches('text') && height < 10) found.push(`small text: ${one.textContent}`);
              }
              return found;
            });
            assert.deepEqual(faults, [], name);
          }
        }
      });
}

for (const colorScheme of ['light', 'dark']) {
  for (const forcedColors of ['none', 'active']) {
    test(`everybody can use it: ${colorScheme}, forced colors ${forcedColors}`, {colorScheme, forcedColors},
        async (page) => {
          await page.goto(`${address('memory')}#lab&stride=4&lanes=ff`);
          assert.deepEqual(await accessibility(page), []);
          for (const lab of await labs(page).all()) {
            await show(lab);
            await lab.getByRole('button', {name: 'Next'}).click();
          }
          assert.deepEqual(await accessibility(page), []);
          assert.deepEqual(await page.locator('#lab [role=status]').allTextContents(), [
            '4 sectors 32 of the 128 bytes that move are wanted: 25 %.',
            'Sector 1 of 4: bytes 0 to 31 for lanes 0, 1; 8 of 32 wanted']);
        });
  }
}

test('who wants no motion has none', {reducedMotion: 'reduce'}, async (page) => {
  await page.goto(address('memory'));
  const lab = labs(page).first();
  await show(lab);
  assert.equal(await lab.getByRole('button', {name: 'Play'}).count(), 0);
  assert(await lab.getByRole('button', {name: 'Next'}).isVisible());
});

test('without scripts there is the first setting', {javaScriptEnabled: false}, async (page) => {
  for (const name of PAGES) {
    await page.goto(address(name));
    for (const lab of await labs(page).all()) {
      const text = await lab.getAttribute('data-setting');
      assert((await lab.textContent()).includes(counted(text)), `${name}: ${text}`);
      assert(await lab.locator('svg').isVisible());
      assert(await lab.locator('svg .word').count() > 0);
    }
  }
});

// --- stories ---

const TOLD = {'04_reduce_shared': 2, reduction: 1, '05_reduce_warp_shuffle': 1, '06_softmax_warp': 1,
  '08_transpose_shared': 1, '12_sgemm_warptile_zorder': 1, further_12_sgemm_warptile_zorder: 2};
const told = (page) => page.locator('.story');

test('every story goes back and forward, and marks one line of code in each frame', {}, async (page) => {
  for (const [name, count] of Object.entries(TOLD)) {
    await page.goto(address(name));
    assert.equal(await told(page).count(), count, name);
    for (const story of await told(page).all()) {
      const slider = story.getByRole('slider', {name: 'Frame'});
      const last = Number(await slider.getAttribute('max'));
      assert.notEqual(await slider.inputValue(), '0', 'it opens on a telling frame');
      await slider.focus();
      await page.keyboard.press('Home');
      const seen = new Set();
      for (let frame = 0; frame <= last; ++frame) {
        assert.equal(await slider.inputValue(), String(frame));
        assert.equal(await story.locator('pre .now').count(), 1, `${name}, frame ${frame}`);
        seen.add(await story.locator('.story-said').textContent());
        await story.getByRole('button', {name: 'Next'}).click();
      }
      assert.equal(seen.size, last + 1, `${name}: each frame says something of its own`);
      await story.getByRole('button', {name: 'Back'}).click();
      assert.equal(await slider.inputValue(), String(last - 1));
    }
  }
});

test('a story plays at the speed that is chosen, to its end', {}, async (page) => {
  await page.clock.install({time: 0});
  await page.goto(address('05_reduce_warp_shuffle'));
  await page.clock.pauseAt(1000000);
  const story = told(page).first();
  const slider = story.getByRole('slider', {name: 'Frame'});
  const last = Number(await slider.getAttribute('max'));
  for (const [speed, pace] of [['Fast', 500], ['Slow', 2600]]) {
    await story.getByLabel('Speed').selectOption(speed);
    await slider.fill(String(last - 2));
    await story.getByRole('button', {name: 'Play'}).click();
    for (const [passed, frame] of [[pace - 50, last - 2], [100, last - 1], [pace, last], [3 * pace, last]]) {
      await page.clock.runFor(passed);
      assert.equal(await slider.inputValue(), String(frame), speed);
    }
    assert.equal(await story.getByRole('button', {name: 'Play'}).count(), 1, 'it has ended');
  }
});

const gantt = (page) => page.locator('[data-story=stream_k]');
const slices = async (page) => (await gantt(page).locator('svg').getAttribute('aria-label'));

test('keys change the sizes of a story, its drawing and what it says', {}, async (page) => {
  await page.goto(address('further_12_sgemm_warptile_zorder'));
  assert.equal(await slices(page), '288 tiles on 132 SMs: 564 slices in waves, 411 with Stream-K');
  const sms = gantt(page).getByRole('slider', {name: 'SMs'});
  await sms.focus();
  await page.keyboard.press('Home');
  assert.equal(await sms.inputValue(), '2');
  assert.match(await slices(page), /^288 tiles on 2 SMs/);
  assert.match(await gantt(page).locator('.story-said').textContent(), /^Every tile gets a block/);
  await gantt(page).getByRole('slider', {name: 'M', exact: true}).fill('3200');
  assert.match(await slices(page), /^300 tiles on 2 SMs/);
  const fragments = page.locator('[data-story=fragments]');
  await fragments.getByRole('slider', {name: 'Lane'}).fill('31');
  await fragments.getByRole('slider', {name: 'Frame'}).fill('12');
  assert.match(await fragments.locator('svg').textContent(), /Lane 31 holds.*a\[0…3\]: rows 28–31.*b\[4…7\]: columns 28–31/);
  assert.match(page.url(), /further_12_sgemm_warptile_zorder\.html$/, 'arrow keys stay on the page');
});

// Ways to drag from a place to another: [press, move, release].
const byMouse = (page) => [(x, y) => page.mouse.move(x, y).then(() => page.mouse.down()),
  (x, y) => page.mouse.move(x, y), () => page.mouse.up()];
async function byTouch(page) {
  const session = await page.context().newCDPSession(page);
  const touch = (type) => (...place) => session.send('Input.dispatchTouchEvent',
      {type, touchPoints: place.length ? [{x: place[0], y: place[1]}] : []});
  return [touch('touchStart'), touch('touchMove'), touch('touchEnd')];
}

for (const [name, by, options] of [['mouse', byMouse, {}],
  ['touch', byTouch, {viewport: {width: 400, height: 800}, hasTouch: true, isMobile: true}]]) {
  test(`the corner of C can be dragged by ${name}`, options, async (page) => {
    await page.goto(address('further_12_sgemm_warptile_zorder'));
    const handle = gantt(page).locator('.handle');
    await handle.evaluate((node) => node.scrollIntoView({block: 'center', behavior: 'instant'}));
    const [press, move, release] = await by(page);
    const box = await handle.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await press(x, y);
    for (const part of [8, 16, 20]) await move(x - part, y + part);
    await release();
    if (name === 'mouse') await move(x, y);
    const value = (field) => gantt(page).getByRole('slider', {name: field, exact: true}).inputValue();
    const [m, n] = [Number(await value('M')), Number(await value('N'))];
    assert(m > 3700 && m < 4200 && n > 1800 && n < 2300, `${m} × ${n}`);
  });
}

for (const width of [320, 400, 1400]) {
  test(`all of a story is in view, ${width} pixels wide`, {viewport: {width, height: 800}}, async (page) => {
    for (const name of Object.keys(TOLD)) {
      await page.goto(address(name));
      for (const story of await told(page).all()) {
        const parts = story.locator('button, select, input, svg text, p');
        assert.deepEqual(await parts.evaluateAll((nodes) => nodes
            .filter((one) => {
              const {left, right} = one.getBoundingClientRect();
              return left < 0 || right > innerWidth;
            }).map((one) => one.outerHTML)), [], name);
      }
    }
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`everybody can use a story: ${colorScheme}`, {colorScheme, reducedMotion: 'reduce'}, async (page) => {
    for (const name of Object.keys(TOLD)) {
      await page.goto(address(name));
      assert.deepEqual(await accessibility(page, '.story'), [], name);
      assert.equal(await told(page).getByRole('button', {name: 'Play'}).count(), 0);
    }
  });
}

test('without scripts a story is one frame', {javaScriptEnabled: false}, async (page) => {
  for (const name of Object.keys(TOLD)) {
    await page.goto(address(name));
    for (const story of await told(page).all()) {
      assert(await story.locator('svg rect, svg path').count() > 3);
      assert.equal(await story.locator('pre .now').count(), 1);
      assert((await story.locator('.story-said').textContent()).length > 10);
    }
  }
});

let failures = 0;
const only = process.argv[3];  // a part of the names of tests
for (const {name, run} of tests.filter((one) => !only || one.name.includes(only))) {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n${error.message}`);
  }
}
console.log(`${tests.length} tests in all, ${failures} failures`);
await browser.close();
process.exit(failures ? 1 : 0);
