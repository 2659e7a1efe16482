// The console's page and its files, as a browser receives them.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { decimalText } from '../../src/console/words/amounts.ts';
import german from '../../src/console/words/german.json' with { type: 'json' };
import { countries, currencies } from '../../src/schema/iso-codes.ts';
import { sharedService } from '../support/http-support.ts';
import { codeOf, sources, texts } from '../support/source-text.ts';
import type { TestService } from '../support/service.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
  "trusted-types 'none'";
const compressedBytesMax = 105_000;
/** Only browsers that show German load it. */
const germanFile = '/console/german.js';
const germanBytesMax = 15_500;
const root = join(import.meta.dirname, '../..');
const modules = sources.filter((path) => path.startsWith('src/console/'));

/** Everything that the page refers to, and the files that these load later. */
async function filesOf(service: TestService): Promise<string[]> {
  const { text: page } = await service.get('/console');
  const files = new Set(
    [...page.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path),
  );
  for (const path of files) {
    const { text } = await service.get(path);
    for (const [, name] of text.matchAll(/\bimport\("\.\/([^"]+)"\)/g)) files.add(`/console/${name}`);
  }
  return [...files];
}

/** The code without imports, comments and blanks; strings become a pair of quotes. */
function bare(text: string): string {
  const code = codeOf(text).replaceAll(/(?<=^|[;{}])(?:import \{[^}]*\} from '';|export )/gm, '');
  return code
    .replaceAll(/import\(''(?:, \{ with: \{ type: '' \} \})?\)/g, 'load')
    .replaceAll(/''|\s+/g, '')
    .replaceAll(/,+(?=[}\])])/g, '');
}

suite('the console', () => {
  const service = sharedService({ settings: { 'rate-anonymous': '5/60' } });

  test('the console has a strict policy that denies frames and other windows', async () => {
    const { status, headers } = await service().get('/console');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-security-policy'], policy);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-cache');
  });

  test('the console has neither script nor style in the page', async () => {
    const { text } = await service().get('/console');
    assert.doesNotMatch(text, /<style|\sstyle=|<script(?![^>]* src=)|\son\w+=/);
  });

  test('the console is a stylesheet and few scripts, with an icon and a manifest, each with its type', async () => {
    const types: [string, string | undefined][] = [];
    for (const path of await filesOf(service())) {
      const { status, headers } = await service().get(path);
      assert.equal(status, 200, path);
      types.push([path.replace('/console/', ''), headers['content-type']]);
    }
    const script = 'text/javascript; charset=utf-8';
    assert.deepEqual(types, [
      ['icon.png', 'image/png'],
      ['console.webmanifest', 'application/manifest+json'],
      ['console.css', 'text/css; charset=utf-8'],
      ['console-main.js', script],
      ['german.js', script],
      ['phone-formats.js', script],
      ['frame.js', script],
      ['office-views.js', script],
    ]);
  });

  test('the console can be put on a home screen: its manifest names its page and an icon that browsers take', async () => {
    const { start_url: start, icons } = JSON.parse(
      (await service().get('/console/console.webmanifest')).text,
    );
    assert.equal((await service().get(start)).status, 200);
    assert.deepEqual(icons, [{ src: 'icon.png', sizes: '192x192', type: 'image/png' }]);
    const response = await fetch(`http://127.0.0.1:${service().port}/console/icon.png`);
    const picture = Buffer.from(await response.arrayBuffer());
    assert.equal(picture.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [192, 192]);
  });

  test('the console is JavaScript without types, whose imports are served', async () => {
    const files = await filesOf(service());
    for (const path of files.filter((each) => each.endsWith('.js'))) {
      const { text } = await service().get(path);
      const wanted = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = '']) => join(dirname(path), name));
      assert.deepEqual(
        wanted.filter((name) => !files.includes(name)),
        [],
        path,
      );
      assert.doesNotMatch(text, /^(type|interface) \w|: readonly /m, path);
    }
  });

  test('the console is sent without the comments of its sources, and with all of their code', async () => {
    let sent = '';
    for (const path of (await filesOf(service())).filter((each) => each.endsWith('.js'))) {
      const { text } = await service().get(path);
      assert.doesNotMatch(text, /^ *(\/\/|\/\*)/m, path);
      sent += bare(text);
    }
    for (const path of modules)
      assert.equal(sent.split(bare(stripTypeScriptTypes(texts.get(path) ?? ''))).length, 2, path);
  });

  test('the console’s texts are sent as they are, whatever blanks of its code are not', async () => {
    let sent = '';
    for (const name of ['console-main', 'frame', 'office-views'])
      sent += (await service().get(`/console/${name}.js`)).text;
    assert.deepEqual(
      Object.keys(german).filter((text) => !text.startsWith('#') && !sent.includes(text)),
      [],
    );
  });

  test('the console’s texts keep their blanks', async () => {
    const sent = await Promise.all((await filesOf(service())).map((path) => service().get(path)));
    const all = sent.map(({ text }) => text).join('\n');
    const said = modules.flatMap((path) => [
      ...(texts.get(path) ?? '').matchAll(/\b(?:t|rich)\(\s*('[^'\n]+')|: (`, \+\$)/g),
    ]);
    assert.ok(said.length > 100);
    for (const [, text, inner = ''] of said) assert.ok(all.includes(text ?? inner), text ?? inner);
  });

  test('the console offers the currencies that the API accepts, with their digits, and its countries', async () => {
    const { text } = await service().get('/console');
    const wordsOf = (name: string): string[] =>
      new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(text)?.[1]?.split(' ') ?? [];
    const digits = new Map(wordsOf('currencies').map((word) => [word.slice(0, 3), Number(word.slice(4))]));
    assert.deepEqual(new Set(digits.keys()), currencies);
    assert.deepEqual(new Set(wordsOf('countries')), countries);
    for (const [code, amount] of [
      ['EUR', '12.34'],
      ['JPY', '1234'],
      ['KWD', '1.234'],
      ['CLF', '0.1234'],
      ['XCG', '12.34'],
    ] as const)
      assert.equal(decimalText(1_234, digits.get(code) ?? 2), amount);
  });

  test('the console isn’t sent again while it is unchanged', async () => {
    for (const path of [
      '/console',
      '/console/console.css',
      '/console/console-main.js',
      '/console/icon.png',
    ]) {
      const { headers } = await service().get(path);
      const again = await service().get(path, { headers: { 'if-none-match': String(headers.etag) } });
      assert.deepEqual([again.status, again.text], [304, ''], path);
    }
  });

  test(`the console has less than ${compressedBytesMax / 1000} KB in English, compressed`, async () => {
    let bytes = 0;
    for (const path of ['/console', ...(await filesOf(service()))])
      if (path !== germanFile) bytes += brotliCompressSync((await service().get(path)).text).length;
    assert.ok(bytes < compressedBytesMax, `${bytes} bytes`);
  });

  test(`the console’s German has less than ${germanBytesMax / 1000} KB, compressed`, async () => {
    const bytes = brotliCompressSync((await service().get(germanFile)).text).length;
    assert.ok(bytes < germanBytesMax, `${bytes} bytes`);
  });

  test('the console’s requests consume no token until somebody signs in', async () => {
    for (const path of ['/console', ...(await filesOf(service()))])
      assert.equal((await service().get(path)).headers.ratelimit, undefined, path);
  });

  test('the console serves no file of another folder', async () => {
    for (const path of ['/console/tsconfig.json', '/console/..%2fmain.ts', '/console/shell/console-main.ts'])
      assert.equal((await service().get(path, { isUndescribed: true })).status, 404, path);
  });
});

suite('the console of a shop with a name', () => {
  const service = sharedService({
    settings: {
      'shop-name': 'Tea & "Pots"',
      'shop-address': 'Lange Straße 1, 26122 Oldenburg',
      'default-currency': 'CHF',
      'default-country': 'AT',
    },
  });

  test('the console of a shop knows what its papers, new orders and addresses begin with', async () => {
    const { text } = await service().get('/console');
    const shop = /<meta name="shop" content="([^"]*)">/.exec(text)?.[1] ?? '';
    const { updatedAt, ...set } = JSON.parse(shop.replaceAll('&#34;', '"').replaceAll('&#38;', '&'));
    assert.deepEqual(set, {
      name: 'Tea & "Pots"',
      address: 'Lange Straße 1, 26122 Oldenburg',
      country: 'AT',
      currency: 'CHF',
      timeZone: null,
      registration: 'open',
    });
  });
});

suite('the console’s modules', () => {
  const codes = modules.map((path) => ({ path, code: codeOf(texts.get(path) ?? '') }));

  for (const [what, pattern, seen] of [
    [
      'make no markup',
      /innerHTML|outerHTML|insertAdjacentHTML|setHTML|parseHTML|createContextualFragment|DOMParser/,
      'Document.parseHTMLUnsafe(x)',
    ],
    ['make no code', /\beval\b|new Function|document\.write|\.srcdoc\b/, 'eval(x)'],
    ['set no style as text', /cssText|\.style\s*=/, 'x.style = y'],
    [
      'read no cookie, and keep nothing for a session',
      /document\.cookie|sessionStorage|indexedDB/,
      'document.cookie',
    ],
  ] as const)
    test(`the console’s modules ${what}`, () => {
      assert.match(seen, pattern);
      assert.deepEqual(
        codes.filter(({ code }) => pattern.test(code)).map(({ path }) => path),
        [],
      );
    });

  test('the console’s style has nothing that the oldest browsers lack, which would drop the colour or the size', () => {
    const style = readFileSync(join(root, 'src/console/console.css'), 'utf8');
    const newer =
      /light-dark|color-mix|oklch|\bfrom var|&|@(scope|starting-style|property|layer)|text-wrap|field-sizing|anchor/;
    assert.match('color: light-dark(#000, #fff)', newer);
    assert.doesNotMatch(style, newer);
  });

  test('the console’s modules have no name for a thing of their own that browsers have for another', () => {
    const [library = ''] = globSync('node_modules/@typescript/*/lib/lib.dom.d.ts', { cwd: root });
    const known = readFileSync(join(root, library), 'utf8').matchAll(/^declare (?:var|function) (\w+)/gm);
    const names = new Set([...known].map(([, name]) => name));
    assert.ok(names.size > 500);
    const own = codes.flatMap(({ code }) => [
      ...code.matchAll(/^(?:export )?(?:async )?(?:function|class|const) (\w+)/gm),
    ]);
    assert.deepEqual(
      own.map(([, name]) => name).filter((name) => names.has(name)),
      [],
    );
  });

  test('the console’s modules import nothing but each other', () => {
    const imports = modules.flatMap((path) =>
      [...(texts.get(path) ?? '').matchAll(/from '([^']+)'/g)].map(([, name = '']) =>
        join(dirname(path), name),
      ),
    );
    assert.deepEqual(
      imports.filter((path) => !modules.includes(path)),
      [],
    );
  });
});
