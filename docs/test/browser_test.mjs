// Looks at every page of the site with Chromium: at four widths, light and dark, from a server and
// from file://. Skips (exit code 77) where Chromium, npm's packages or what makes the site is missing.
//
//   node browser_test.mjs [SITE [NAME]]     SITE: a site that has been made; without it, one is
//                                           NAME: only tests that have this in their names
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import vm from 'node:vm';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const WIDTHS = [1400, 768, 400, 320];
const THEMES = ['light', 'dark'];
const HEIGHT = 900;
const AT_ONCE = Math.max(2, os.availableParallelism());  // tabs that are open at a time

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(fs.existsSync);
if (!chromiumPath) skip('chromium is not installed');
if (!fs.existsSync(path.join(HERE, 'node_modules'))) skip('run `npm ci --prefix docs/test` first');
const {chromium} = (await import('playwright-core')).default;
const AXE = fs.readFileSync(path.join(HERE, 'node_modules/axe-core/axe.min.js'), 'utf8');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'site-test-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
let site = process.argv[2];
if (!site) {
  site = path.join(work, 'site');
  const made = spawnSync('python3', [path.join(HERE, '../site/build.py'), site], {encoding: 'utf8'});
  if (made.status === 77) skip(made.stderr.trim());
  assert.equal(made.status, 0, made.stderr);
}
site = fs.realpathSync(site);
const names = fs.readdirSync(site).filter((name) => name.endsWith('.html')).sort();
const {siteNavigation} = vm.runInNewContext(
    `${fs.readFileSync(path.join(site, 'navigation.js'), 'utf8')};globalThis`);
const learn = [...siteNavigation.groups[0][1]].map(([name]) => name);
const chapters = [...siteNavigation.groups].flatMap(([, members]) => [...members].map(([name]) => name));

// --- a server, and a browser ---
const TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2'};
const server = http.createServer((request, response) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://x').pathname));
  if (!file.startsWith(site) || !fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {'content-type': TYPES[path.extname(file)] ?? 'text/plain'});
  response.end(fs.readFileSync(file));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const HTTP = `http://127.0.0.1:${server.address().port}/`;
const FILES = `${pathToFileURL(site)}/`;
const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox']});

// --- what is looked for on every page: each returns faults ---

// Tabs are handed out as earlier ones are closed.
let free = AT_ONCE;
const waiting = [];
async function turn() {
  if (free) --free;
  else await new Promise((resolve) => waiting.push(resolve));
}
function nextTurn() {
  if (waiting.length) waiting.shift()();
  else ++free;
}

// Gives a tab that notes what goes wrong with it to use(page).
async function withPage(base, options, use) {
  await turn();
  const context = await browser.newContext({viewport: {width: 1400, height: HEIGHT}, ...options});
  try {
    const page = await context.newPage();
    page.faults = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) page.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) {
        page.faults.push(`request of ${request.url()}`);
      }
    });
    page.on('requestfailed', (request) => {
      // Whoever goes on to the next page aborts what is still to come of this one.
      if (request.failure().errorText !== 'net::ERR_ABORTED') page.faults.push(`not loaded: ${request.url()}`);
    });
    // Chromium's own protocol: several times as fast as setViewportSize() and the like.
    page.devtools = await context.newCDPSession(page);
    await use(page);
  } finally {
    await context.close();
    nextTurn();
  }
}

const setWidth = (page, width) => page.devtools.send('Emulation.setDeviceMetricsOverride',
    {width, height: HEIGHT, deviceScaleFactor: 1, mobile: false});
const setTheme = (page, theme) => page.devtools.send('Emulation.setEmulatedMedia',
    {features: [{name: 'prefers-color-scheme', value: theme}]});

// In the page: its width, its theme, and what sticks out at the right; what scrolls by itself may be
// as wide as it likes.
const looks = (page) => page.evaluate(() => {
  const channels = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
  const sticksOut = (node) => node.getBoundingClientRect().right > innerWidth + 1;
  return {
    width: innerWidth,
    theme: channels[0] + channels[1] + channels[2] < 384 ? 'dark' : 'light',
    tooWide: document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll('body *')].filter(sticksOut).slice(0, 3).map(
            (node) => node.outerHTML.slice(0, 80)),
  };
});
const shownTheme = async (page) => (await looks(page)).theme;

// In the page: blocks of code that do not have a line for each line of their text.
const brokenCode = (page) => page.evaluate(() =>
  [...document.querySelectorAll('.block pre > code')].filter((code) => {
    const lines = code.textContent.replace(/\n$/, '').split('\n').length;
    const shown = code.getBoundingClientRect().height / parseFloat(getComputedStyle(code).lineHeight);
    return shown !== 0 && Math.round(shown) !== lines;  // 0: folded
  }).map((code) => `code in other lines than its own: ${code.textContent.slice(0, 60)}`));

// In the page: what an access costs must be in view without scrolling sideways.
const hiddenLabels = (page) => page.evaluate(() =>
  [...document.querySelectorAll('.request b, .cost')].filter((label) => {
    const {left, right, width} = label.getBoundingClientRect();
    return width && (left < 0 || right > innerWidth);  // no width: in a frame that is not shown
  }).slice(0, 3).map((label) => `out of view: ${label.textContent}`));

// `rules`: those to look at; none: all.
async function accessibility(page, rules) {
  await page.devtools.send('Runtime.evaluate', {expression: `window.axe ?? (() => {${AXE}})()`});
  const {violations} = await page.evaluate((only) => axe.run(document,
      {preload: false, resultTypes: ['violations'], ...(only && {runOnly: only})}), rules);
  return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) =>
    `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`).join(' ; ')}`);
}

// A page at every width, light and dark. `accessible`: and whether everybody can use it, which does
// not depend on where it was loaded from; nor do its colours on the width, and all else on the theme.
async function faultsOf(page, base, name, accessible) {
  const faults = [];
  page.faults.length = 0;
  await setTheme(page, THEMES[0]);
  await setWidth(page, WIDTHS[0]);
  await page.goto(base + name);
  const widths = [...WIDTHS];
  for (const theme of THEMES) {
    await setTheme(page, theme);
    for (const width of widths) {
      await setWidth(page, width);
      const at = `${name} at ${width}, ${theme}`;
      const seen = await looks(page);
      assert.equal(seen.width, width, at);
      if (seen.theme !== theme) faults.push(`${at}: is not ${theme}`);
      if (seen.tooWide.length) faults.push(`${at}: wider than the window: ${seen.tooWide.join(' ; ')}`);
      if (!accessible) continue;
      const found = [];
      if (width === 320 && theme === 'light') found.push(...await hiddenLabels(page));
      if (theme === 'light') {
        if (width === 1400) found.push(...await brokenCode(page));
        const onPhone = width === 400 && chapters.includes(path.parse(name).name);
        if (width === 1400 || onPhone) found.push(...await accessibility(page));
      } else if (width === 1400) {
        found.push(...await accessibility(page, ['color-contrast']));
      }
      faults.push(...found.map((fault) => `${at}: ${fault}`));
    }
    widths.reverse();  // the second theme begins where the first has ended
  }
  return [...faults, ...page.faults.map((fault) => `${name}: ${fault}`)];
}

// --- the tests ---
const tests = [];
const test = (name, run) => {
  if (name.includes(process.argv[3] ?? '')) tests.push({name, run});
};

const pageTest = (name, base, options, run) => test(name, () => withPage(base, options, run));

async function everyPage(base, accessible) {
  const left = [...names];
  const faults = [];
  await Promise.all(Array.from({length: AT_ONCE}, () => withPage(base, {}, async (page) => {
    while (left.length) faults.push(...await faultsOf(page, base, left.shift(), accessible));
  })));
  assert.deepEqual(faults, []);
}
test('every page, from file://', () => everyPage(FILES, true));
test('every page, from a server', () => everyPage(HTTP, false));

test('faults that are planted are found', async () => {
  const folder = path.join(work, 'faulty');
  fs.cpSync(site, folder, {recursive: true});
  const base = `${pathToFileURL(folder)}/`;
  fs.writeFileSync(path.join(folder, 'error.js'), 'throw new Error("planted")');
  fs.writeFileSync(path.join(folder, 'console.js'), 'console.error("planted")');
  const text = fs.readFileSync(path.join(site, 'glossary.html'), 'utf8');
  const end = '</article>';
  const planted = {
    'request of http': [end, '<img src="http://127.0.0.1:9/x.png" alt="x">'],
    'not loaded': [end, '<img src="missing.png" alt="x">'],
    'error: planted': [end, '<script src="error.js"></script>'],
    'console: planted': [end, '<script src="console.js"></script>'],
    'Content Security Policy': [end, '<script>document.title = "x"</script>'],
    'out of view: 32 wavefronts': [end,
      '<div style="overflow-x:auto" tabindex="0"><div style="width:600px;text-align:right">' +
      '<p class="request"><b>32 wavefronts</b></p></div></div>'],
    'at 1400, light: wider than the window': [end, '<p style="width:1500px">x</p>'],
    'at 320, light: wider than the window': [end, '<p style="width:330px">x</p>'],
    'at 768, dark: wider than the window': [end,
      '<style>@media (prefers-color-scheme: dark) { #x { width: 900px } }</style><p id="x">x</p>'],
    'is not dark': ['<html lang="en"', ' data-theme="light"'],
    'is not light': ['<html lang="en"', ' data-theme="dark"'],
    'light: image-alt': [end, '<img src="icon.svg">'],
    'light: color-contrast': [end, '<p style="color:#888;background:#999">Hard to read</p>'],
    'dark: color-contrast': [end, '<p style="color:light-dark(#000, #444)">Hard to read</p>'],
    'code in other lines': [end,
      '<div class="block"><pre><code>a <span style="display:block">b</span></code></pre></div>'],
  };
  await withPage(base, {}, async (page) => {
    for (const [fault, [place, more]] of Object.entries(planted)) {
      assert(text.includes(place));
      const faulty = place === end ? text.replace(end, more + end) : text.replace(place, place + more);
      fs.writeFileSync(path.join(folder, 'glossary.html'), faulty);
      const faults = await faultsOf(page, base, 'glossary.html', true);
      assert(faults.some((one) => one.includes(fault)), `not found: ${fault} (but: ${faults})`);
    }
    fs.writeFileSync(path.join(folder, 'glossary.html'), text);
    assert.deepEqual(await faultsOf(page, base, 'glossary.html', true), []);
  });
});

pageTest('pages are in order, by links and by arrow keys', FILES, {}, async (page) => {
  await page.goto(`${FILES}index.html`);
  const steps = learn.filter((name) => /^\d\d_/.test(name));
  assert.deepEqual(steps, [...steps].sort());
  assert(steps.length >= 12);
  for (const [i, name] of learn.entries()) {
    assert.equal(path.basename(new URL(page.url()).pathname), `${name}.html`);
    assert.equal(await page.locator('.pages [aria-current=page]').getAttribute('href'), `${name}.html`);
    const previous = page.locator('.neighbors [rel=prev]');
    if (i) assert.equal(await previous.getAttribute('href'), `${learn[i - 1]}.html`);
    else assert.equal(await previous.count(), 0);
    if (i + 1 === learn.length) break;
    if (i % 2) await page.locator('.neighbors [rel=next]').click();
    else await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/${learn[i + 1]}.html`);
  }
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(`**/${learn.at(-2)}.html`);
  assert.deepEqual(page.faults, []);
});

for (const [where, base] of [['file://', FILES], ['a server', HTTP]]) {
  pageTest(`search, from ${where}`, base, {}, async (page) => {
    await page.goto(`${base}index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('bank conflict');
    await page.locator('#search li').first().waitFor();
    assert((await page.locator('#search li').count()) > 3);
    const first = page.locator('#search li a').first();
    assert.match(await first.getAttribute('href'), /glossary\.html#bank-conflict$/);
    assert((await first.locator('mark').count()) > 0, 'no word is marked');
    // A word that stands in the middle of one chapter's text, and nowhere in a title.
    await page.locator('#search input').fill('cudaMallocAsync');
    await page.waitForFunction(() => document.querySelector('#search li a')?.href.includes('further_12_'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/further_12_sgemm_warptile_zorder.html#*');
    await page.keyboard.press('/');
    await page.keyboard.type('qwertyuiop');
    await page.waitForFunction(() => document.querySelector('#search .state').textContent.includes('Nothing'));
    assert.equal(await page.locator('#search li').count(), 0);
    await page.keyboard.press('Escape');
    assert.deepEqual(page.faults, []);
  });
}

pageTest('the button changes the theme, and the choice stays', HTTP, {colorScheme: 'light'}, async (page) => {
  await page.goto(`${HTTP}08_transpose_shared.html`);
  assert.equal(await shownTheme(page), 'light');
  await page.locator('#theme').click();
  assert.equal(await shownTheme(page), 'dark');
  await page.goto(`${HTTP}memory.html`);
  assert.equal(await shownTheme(page), 'dark');
  await page.locator('#theme').click();
  assert.equal(await shownTheme(page), 'light');
  // Drawings follow.
  const inks = [];
  for (let i = 0; i < 2; ++i) {
    inks.push(await page.evaluate(() => getComputedStyle(document.querySelector('svg.drawing text')).fill));
    await page.locator('#theme').click();
  }
  assert.notEqual(inks[0], inks[1]);
});

pageTest('the list of pages on a phone', FILES, {viewport: {width: 400, height: 800}}, async (page) => {
  await page.goto(`${FILES}index.html`);
  const link = page.locator('.pages a[href="08_transpose_shared.html"]');
  assert(!await link.isVisible());
  await page.locator('#menu').click();
  assert(await link.isVisible());
  await link.click();
  await page.waitForURL('**/08_transpose_shared.html');
});

pageTest('pages that were read are marked, on this machine alone', FILES, {}, async (page) => {
  await page.goto(`${FILES}01_naive_add.html`);
  await page.goto(`${FILES}02_vectorized_add.html`);
  const seen = (name) => page.locator(`.pages a[href="${name}.html"] .seen`).count();
  assert.equal(await seen('01_naive_add'), 1);
  assert.equal(await seen('03_reduce_atomic'), 0);
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(page.faults, []);
});

pageTest('what belongs to a step is folded below it, and open where one is', FILES, {}, async (page) => {
  await page.goto(`${FILES}04_reduce_shared.html`);
  const file = page.locator('.pages a[href="code_04_reduce_shared_2_reduce_shared_cuh.html"]');
  assert.equal(await file.count(), 1);
  assert(!await file.isVisible());
  await page.locator('.pages summary').filter({hasText: 'Files'}).click();
  await file.click();
  await page.waitForURL('**/code_04_*');
  assert(await page.locator('.pages [aria-current=page]').isVisible());
});

pageTest('the contents of a page can be opened at every width', FILES, {}, async (page) => {
  for (const name of ['08_transpose_shared', 'namespacedevice']) {
    for (const width of WIDTHS) {
      await setWidth(page, width);
      await page.goto(`${FILES}${name}.html`);
      const summary = page.locator('.contents summary');
      const entry = page.locator('.contents a').nth(1);
      if (!await entry.isVisible()) await summary.click();
      await entry.click();
      const [, id] = (await entry.getAttribute('href')).split('#');
      assert.equal(new URL(page.url()).hash, `#${id}`, `${name} at ${width}`);
    }
  }
});

// What a mark is made of, when colors say nothing.
const signs = (page) => page.evaluate(() => ['gone', 'new', 'both'].map((kind) => {
  const row = document.querySelector(`.diff tr.${kind}`);
  return [...row.querySelectorAll('td:nth-child(even)')].map((cell) => {
    const {content} = getComputedStyle(cell, '::before');
    return content === 'none' ? '' : content.slice(1, 2);
  });
}));
const underlined = (page) => page.evaluate(() =>
  getComputedStyle(document.querySelector('.diff mark')).textDecorationLine === 'underline');

pageTest('diffs say + and −, on paper and in forced colors, too', FILES, {}, async (page) => {
  await page.goto(`${FILES}08_transpose_shared.html`);
  for (const media of [{}, {media: 'print'}, {media: 'screen', forcedColors: 'active'}]) {
    await page.emulateMedia(media);
    assert.deepEqual(await signs(page), [['−', ''], ['', '+'], ['−', '+']], JSON.stringify(media));
    assert.equal(await underlined(page), Object.keys(media).length > 0, JSON.stringify(media));
  }
  const here = page.locator('.pages [aria-current=page]');
  assert.equal(await here.evaluate((node) => getComputedStyle(node).outlineStyle), 'solid');
  assert.equal(await page.locator('#theme').evaluate((node) => getComputedStyle(node).borderTopStyle), 'solid');
});

pageTest('diffs are beside each other on a desk, and in one column on a phone', FILES, {}, async (page) => {
  for (const name of chapters.filter((one) => /^\d\d_/.test(one))) {
    await page.setViewportSize({width: 1400, height: 900});
    await page.goto(`${FILES}${name}.html`);
    const rows = page.locator('.change-of[open] .diff tr.both');
    if (!await rows.count()) continue;
    const places = () => rows.first().evaluate((row) =>
      [...row.querySelectorAll('td:nth-child(even)')].map((cell) => cell.getBoundingClientRect()));
    const [before, after] = await places();
    assert(after.left >= before.right - 1, `${name}: not beside each other`);
    assert(await page.locator('.diff mark').count() > 0, `${name}: no words are marked`);
    await page.setViewportSize({width: 400, height: 900});
    const [above, below] = await places();
    assert(below.top >= above.bottom - 1, `${name}: not in one column`);
  }
  assert(await page.goto(`${FILES}08_transpose_shared.html`).then(() => page.locator('.diff').count()) >= 3);
});

pageTest('a figure plays, and goes back and forward', FILES, {}, async (page) => {
  for (const name of chapters) {
    await page.goto(`${FILES}${name}.html`);
    for (const player of await page.locator('.player').all()) {
      const shown = () => player.evaluate((node) => {
        const frames = [...node.querySelectorAll('.frame')];
        const at = frames.flatMap((frame, i) => (frame.hasAttribute('hidden') ? [] : [i]));
        if (at.length !== 1 || frames[at[0]].getBoundingClientRect().width === 0) return `frames ${at}`;
        if (node.querySelectorAll('.captions > :not([hidden])').length !== 1) return 'captions';
        return at[0];
      });
      const last = Number(await player.locator('input').getAttribute('max'));
      assert(last > 0, `${name}: nothing to play`);
      assert.equal(await shown(), 0);
      await player.locator('.forward').click();
      assert.equal(await shown(), 1);
      await player.locator('.back').click();
      await player.locator('.back').click();
      assert.equal(await shown(), last);
      await player.locator('.forward').focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await shown(), 0);
      assert(page.url().endsWith(`${name}.html`), 'an arrow key left the page');
    }
  }
  await page.goto(`${FILES}memory.html`);
  const player = page.locator('.player').first();
  await player.evaluate((node) => { node.dataset.pace = 60; });
  await player.locator('.play').click();
  await page.waitForFunction(() => document.querySelector('.player input').value ===
      document.querySelector('.player input').max && !document.querySelector('.player .play.on'));
  assert.deepEqual(page.faults, []);
});

pageTest('copy', HTTP, {permissions: ['clipboard-read', 'clipboard-write']}, async (page) => {
  await page.goto(`${HTTP}08_transpose_shared.html`);
  const block = page.locator('.block.console').filter({hasText: 'diff -u'}).first();
  await block.hover();
  await block.locator('.copy').click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.trim(), (await block.locator('code').textContent()).trim());
});

pageTest('formulas are drawn as formulas', FILES, {}, async (page) => {
  await page.goto(`${FILES}product.html`);
  const fractions = page.locator('.formula mfrac');
  assert(await fractions.count() > 1);
  for (const fraction of await fractions.all()) {
    const [above, below] = await Promise.all([0, 1].map((i) => fraction.locator('> *').nth(i).boundingBox()));
    assert(above.width > 0 && above.y + above.height <= below.y, 'a numerator is not above its denominator');
  }
  assert.deepEqual(page.faults, []);
});

pageTest('from the start page to any other without scripts', FILES, {javaScriptEnabled: false}, async (page) => {
  await page.goto(`${FILES}index.html`);
  await page.locator('.pages a').filter({hasText: 'Reference'}).click();
  await page.waitForURL('**/contents.html#reference');
  await page.locator('article a[href="glossary.html"]').click();
  await page.waitForURL('**/glossary.html');
  assert.deepEqual(page.faults, []);
});

pageTest('pages are readable without scripts', FILES, {javaScriptEnabled: false}, async (page) => {
  await page.goto(`${FILES}08_transpose_shared.html`);
  assert(await page.locator('article h2').count() > 5);
  assert.equal(await page.locator('.player .frame:visible').count(), await page.locator('.player').count());
});

pageTest('print shows the text alone, on white', FILES, {colorScheme: 'dark'}, async (page) => {
  await page.goto(`${FILES}08_transpose_shared.html`);
  await page.emulateMedia({media: 'print'});
  assert(!await page.locator('.top').isVisible());
  assert(!await page.locator('.pages').isVisible());
  assert(await page.locator('article').isVisible());
  assert.equal(await shownTheme(page), 'light');
});

let failures = 0;
await Promise.all(tests.map(async ({name, run}) => {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n${error.message}`);
  }
}));
const seconds = Math.round(performance.now() / 1000);
console.log(`${names.length} pages, ${tests.length} tests, ${failures} failures, ${seconds} s`);
await browser.close();
server.close();
process.exit(failures ? 1 : 0);
