// The console's import, in real browsers: files as spreadsheets save them, matched, checked, corrected and imported.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { admin, password, serviceFor, type TestResponse, type TestService } from '../support/service.ts';
import { openTab, type Tab } from '../support/browser.ts';
import { openFirefox } from './firefox.ts';
import { keepSaved, type Person } from './console-actions.ts';
import { giveFile, importHelpers } from './console-import-support.ts';
import { openConsoleIn } from './console-shop.ts';

const hasFirefox = spawnSync(process.env['FIREFOX'] ?? 'firefox-esr', ['--version']).error === undefined;
const longestMilliseconds = 50;
const roundsMax = 10;

for (const [browser, open] of [
  ['Chromium', openTab],
  ['Firefox', openFirefox],
] as const)
  test(
    `an import in ${browser}`,
    { timeout: 240_000, skip: browser === 'Firefox' && !hasFirefox && 'it is not installed' },
    async (t) => {
      const service = await serviceFor(t);
      const { tab, person } = await openConsoleIn(open, t, service);
      const { token } = await service.signIn(admin.email, admin.password);
      await person.signIn(service.url, admin);
      await tab.evaluate(importHelpers);
      const shop: Shop = { service, token, tab, person };

      await t.test('of customers, as a German Excel saves them, has its faulty rows corrected', () =>
        importCustomers(shop),
      );
      await t.test('is one line on Today', async () => {
        await person.go('#/today');
        await person.see('4 × Customer created');
      });
      await t.test('of products asks for the currency, and changes what is known', () =>
        importProducts(shop),
      );
      if (browser === 'Chromium') {
        await keepSaved(tab);
        await t.test('of the own lists changes nothing', () => importOwnLists(shop));
        await t.test('says what each file needs', async (each) => {
          for (const file of files)
            await each.test(file.name, async () => {
              await check(shop, file.kind, file.text);
              for (const text of file.said) await person.see(text);
              await person.miss('SKU *');
              if (file.isRejected === true) assert.doesNotMatch(await shown(tab), /Import \d/);
            });
        });
        await t.test('shows some rows as they will be, and what they replace', () => showSamples(shop));
        await t.test('asks before it leaves out a column with content', () => leaveColumnOut(shop));
        await t.test('of many rows never holds the page, and goes on after a failure', () =>
          importMany(shop),
        );
      }
      await t.test('names what can’t be read', async () => {
        await person.go('#/customers');
        await person.go('#/customers/import');
        await giveFile(tab, { name: 'book.xlsx', bytes: Buffer.from('PK\x03\x04') });
        await person.see('save it as CSV');
        await giveFile(tab, { name: 'a.csv', bytes: Buffer.from('') });
        await person.see('The file is empty.');
      });
      await t.test('is not offered to staff', async () => {
        const staff = await service.person('staff');
        await person.press('Sign out');
        await tab.until('document.querySelector(".sign-in")');
        await person.signIn(service.url, { email: staff.email, password });
        await person.go('#/customers');
        assert.ok(!(await shown(tab)).includes('Import'));
        await person.go('#/customers/import');
        await person.see('Only an administrator can import.');
      });
    },
  );

type Shop = {
  readonly service: TestService;
  readonly token: string;
  readonly tab: Tab;
  readonly person: Person;
};

type Listed = TestResponse['body'];

async function listed({ service, token }: Shop, path: string): Promise<Listed[]> {
  return (await service.get(`/${path}`, { token })).body.data;
}

function shown(tab: Tab): Promise<string> {
  return tab.evaluate<string>('document.body.innerText');
}

/** Sets a field as a person does. */
function choose(tab: Tab, control: string, value: string): Promise<unknown> {
  return tab.evaluate(`{
    const control = ${control};
    control.value = ${JSON.stringify(value)};
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
  }`);
}

function fieldAt(pointer: string): string {
  return `document.querySelector('[data-pointer="${pointer}"]')`;
}

async function check({ tab, person }: Shop, kind: string, text: string): Promise<void> {
  await person.go(`#/${kind}`);
  await person.go(`#/${kind}/import`);
  await giveFile(tab, { name: 'a.csv', bytes: Buffer.from(text) });
  await tab.until('document.querySelector("form")');
  if (kind === 'customers') await choose(tab, fieldAt('/country'), 'DE');
  await person.press('Check all rows');
  await person.see('was checked');
}

async function importCustomers(shop: Shop): Promise<void> {
  const { tab, person } = shop;
  const text =
    'Kundennummer;Vorname;Nachname;E-Mail;Straße;PLZ;Ort;Land;Bemerkung\r\n' +
    'K-1;Jürgen;Müller;jm@example.com;"Haus ""Nord""; 1. Stock";26122;Oldenburg;Deutschland;\r\n' +
    ';;;;;;;;\r\n' +
    'K-2;Ödön;Lukasz;falsch;;;;;"Zwei\nZeilen";zu viel\r\n' +
    'K-3;Zoë;;keine Adresse;;;;;\r\n' +
    'K-4;Åsa;Ek;;Vägen 2;11122;Stockholm;Schweden;\r\n';
  await person.go('#/customers');
  await person.press('Import …');
  await giveFile(tab, { name: 'kunden.csv', bytes: Buffer.from(text, 'latin1') });
  await person.see('Haus "Nord"; 1. Stock');
  for (const [label, name] of [
    ['windows-1251', 'Mьller'],
    ['windows-1252', 'Müller'],
  ] as const) {
    await choose(tab, fieldAt('/encoding'), label);
    await person.see(name);
  }
  await person.press('Check all rows');
  for (const said of [
    'New: 2',
    'With a fault: 2',
    'The row has 10 cells, and the first row 9.',
    'E-mail must be',
  ])
    await person.see(said);
  const rowTexts = `[...document.querySelectorAll('.rows li')].map((each) => each.innerText)`;
  await tab.until(`/^Row 4\\s+The row has 10 cells/.test(${rowTexts}[0])`);
  await choose(tab, fieldAt('/rows/4/9'), '');
  await choose(tab, fieldAt('/rows/5/3'), 'zoe@example.com');
  await tab.evaluate(`${fieldAt('/rows/5/3')}.focus()`);
  await tab.press('Enter');
  await person.see('New: 3');
  assert.equal(await tab.evaluate(`document.activeElement === ${fieldAt('/rows/4/3')}`), true);
  assert.equal(await tab.evaluate(`${fieldAt('/rows/4/3')}.ariaInvalid`), 'true');
  await choose(tab, fieldAt('/rows/4/3'), '');
  await person.miss('Import 3 rows'); // the main button takes what was corrected
  await tab.evaluate('document.querySelector("main .card .primary").click()');
  await person.see('New: 4');
  assert.doesNotMatch(await shown(tab), /fault/);
  await person.press('Import 4 rows');
  await person.see('Imported');
  await person.press('Check all rows');
  await person.see('Unchanged: 4');
  const customers = await listed(shop, 'customers?sort=id');
  assert.deepEqual(
    customers.map(({ name, email, note, address }) => [name, email, note, address?.country, address?.line1]),
    [
      ['Jürgen Müller', 'jm@example.com', null, 'DE', 'Haus "Nord"; 1. Stock'],
      ['Ödön Lukasz', null, 'Zwei\nZeilen', undefined, undefined],
      ['Zoë', 'zoe@example.com', null, undefined, undefined],
      ['Åsa Ek', null, null, 'SE', 'Vägen 2'],
    ],
  );
}

async function importProducts(shop: Shop): Promise<void> {
  const { service, token, tab, person } = shop;
  const known = { sku: 'TEE-1', name: 'Tee', unitPrice: 1, currency: 'EUR', barcode: '4006381333931' };
  await service.post('/products', { token, body: known });
  const text =
    '\ufeffArtikelnummer\tBezeichnung\tPreis\taktiv\n' +
    'TEE-1\tGrüner Tee\t7,49 €\tWAHR\nKANNE\tTeekanne, groß\t1.234,50\tfaux\nX\tTasse\t1.234\tja\n';
  await person.go('#/products/import');
  await giveFile(tab, { name: 'artikel.txt', bytes: Buffer.from(text) });
  const lastColumn = `[...document.querySelectorAll('.match select')].at(-1)`;
  await tab.until(lastColumn);
  await choose(tab, lastColumn, '');
  await person.go('#/products');
  await person.go('#/products/import');
  await person.see('What you had entered is still here.');
  assert.equal(await tab.evaluate(`${lastColumn}.value`), '');
  await choose(tab, lastColumn, 'active');
  await person.press('Check all rows');
  await person.see('The price 1.234 can be read in two ways: how does the file write prices?');
  await choose(tab, fieldAt('/sign'), '.');
  await person.press('Check all rows');
  await person.see('With a fault: 1'); // a price of three decimals
  await choose(tab, fieldAt('/sign'), ',');
  await person.press('Check all rows');
  await person.see('New: 2');
  await person.see('Changed: 1');
  await person.press('Import 3 rows');
  await person.see('Imported');
  await person.miss('What you had entered is still here.');
  const products = await listed(shop, 'products?sort=sku');
  assert.deepEqual(
    products.map(({ sku, name, unitPrice, barcode, active }) => [sku, name, unitPrice, barcode, active]),
    [
      ['KANNE', 'Teekanne, groß', 123_450, null, false],
      ['TEE-1', 'Grüner Tee', 749, '4006381333931', true],
      ['X', 'Tasse', 123_400, null, true],
    ],
  );
}

async function importOwnLists(shop: Shop): Promise<void> {
  const { service, token, tab, person } = shop;
  const others = [
    { name: 'Grace Hopper', email: 'g@example.com', phone: '+4944112345678', note: '=1' },
    { name: '-Ada', phone: '+4944112345678' },
    { name: 'Ada', email: 'g@example.com' },
  ];
  for (const body of others) await service.post('/customers', { token, body });
  const { token: other } = await service.person('staff');
  await service.post('/customers', { token: other, body: { name: 'Of another owner' } });
  for (const body of [
    { sku: 'POT', name: 'Pot', unitPrice: 39, currency: 'JPY' },
    { sku: '00123', name: 'Cup', unitPrice: 1, currency: 'EUR' },
  ])
    await service.post('/products', { token, body });
  for (const kind of ['customers', 'products'])
    for (const source of ['the console', 'the API']) {
      const before = await listed(shop, kind);
      await person.go(`#/${kind}`);
      await person.press('CSV');
      await tab.until('window.saved !== undefined');
      const saved = await tab.evaluate<string>('saved.text()');
      await tab.evaluate('window.saved = undefined');
      const sent = await service.get(`/${kind}`, { token, headers: { accept: 'text/csv' } });
      const text = source === 'the API' ? sent.text : saved;
      await check(shop, kind, text);
      await person.see(`Unchanged: ${before.length}`);
      assert.doesNotMatch(await shown(tab), /New:|Import \d/);
      assert.deepEqual(await listed(shop, kind), before);
    }
}

type File = {
  readonly name: string;
  readonly kind: 'customers' | 'products';
  readonly text: string;
  readonly said: readonly string[];
  readonly isRejected?: true;
};

const double = 'New, with the e-mail address or phone number of a known customer: 1';
const files: readonly File[] = [
  {
    name: 'barcodes that lack digits',
    kind: 'products',
    text: 'sku;name;unitPrice;currency;ean\nA;Cup;1.00;EUR;12345678905\nB;Mug;7.49;EUR;\nC;Pot;1.00;EUR;12345670\n',
    said: ['Barcodes that lack digits or have a wrong one, in rows: 2'],
  },
  {
    name: 'a number that a spreadsheet has ruined',
    kind: 'products',
    text: 'sku;name;price;ean\nTEE-1;Tea;7,49;4E+12\n',
    said: ['Barcode: a spreadsheet has rounded this number.'],
    isRejected: true,
  },
  {
    name: 'a SKU without its zeros, and a column that is left out',
    kind: 'products',
    text: 'sku,name,price,shelf\n123,Cup,0.01,A7\n',
    said: [
      'New, with a SKU that differs from a known one only in zeros: 1',
      'Columns with content that are left out: shelf',
    ],
  },
  {
    name: 'products without a SKU, which get their barcode as one',
    kind: 'products',
    text: 'name;price;barcode\nSaucer;3.00;4006381333948\nTray;9.00;\n',
    said: ['New: 1', 'SKU 4006381333948', 'SKU is required.', 'Price *', 'Name *'],
  },
  {
    name: 'no column of prices',
    kind: 'products',
    text: 'sku,name\nNEW,Tea\nOTHER,Cup\n',
    said: ['Price is required. Choose its column below.', '2 rows: 2, 3'],
    isRejected: true,
  },
  {
    name: 'a row that would overwrite an earlier one',
    kind: 'products',
    text: 'sku;name;price\nNEW;First;1.00\nnew;Second;2.00\nX;Cup;8.00\nx;Cup;9.00\nX;Cup;8.00\n',
    said: [
      'Row 2 is of the same one, with other content, and would be overwritten.',
      'Row 4 is of the same one, with other content, and would be overwritten.',
      'Twice in the file: row 6',
    ],
  },
  {
    name: 'a row that would overwrite an earlier one of a known product',
    kind: 'products',
    text: 'sku;name;price\nTEE-1;Tea;1.00\nNEW;Cup;2.00\ntee-1;Tea;2.00\n',
    said: ['Row 2 is of the same one, with other content, and would be overwritten.'],
  },
  {
    name: 'customers without a column for their names',
    kind: 'customers',
    text: 'Who,E-Mail\nIda,ida@example.com\nBob,bob@example.com\n',
    said: ['Name is required. Choose its column below.', '2 rows: 2, 3'],
    isRejected: true,
  },
  {
    name: 'more faults than are shown, which are counted',
    kind: 'customers',
    text: `Name\n${Array.from({ length: 52 }, (_, index) => `Ida${',x'.repeat(index + 1)}\n`).join('')}`,
    said: ['The row has 51 cells, and the first row 1.', 'And 2 more.'],
    isRejected: true,
  },
  {
    name: 'streets without a city',
    kind: 'customers',
    text: 'Name,E-Mail,Street\nJürgen Müller,jm@example.com,Street 7\nBob,,Street 8\n',
    said: ['City is required.', 'Choose its column below.', '2 rows: 2, 3'],
    isRejected: true,
  },
  {
    name: 'the same fault in several rows, which are corrected one by one',
    kind: 'customers',
    text: 'Name,Street,City\nIda,Street 7,\nBob,Street 8,\n,Street 9,Bremen\n',
    said: ['2 rows: 2, 3'],
    isRejected: true,
  },
  {
    name: 'a customer with another number and a known address',
    kind: 'customers',
    text: 'Kundennummer;Name;E-Mail\nK-8;Jürgen Müller;jm@example.com\n',
    said: [double],
  },
  {
    name: 'a company beside a person, and without one',
    kind: 'customers',
    text: 'First Name,Last Name,Company,Home Phone\nSon,Hopper,Muster GmbH,+4944112345678\n,,Muster AG,\n',
    said: ['New: 2', double, 'Muster AG'],
  },
  {
    name: 'a row with content in no chosen column',
    kind: 'customers',
    text: 'Name;Birthday\nIda;\n;1970-01-01\n',
    said: ['New: 1', 'Name is required.'],
  },
];

async function leaveColumnOut(shop: Shop): Promise<void> {
  const { person } = shop;
  await check(shop, 'products', 'sku,name,price,shelf\nSHELF-1,Cup,1.00,A7\n');
  await person.press('Import 1 row');
  await person.see('Tick “Leave these columns out”, or choose below what they contain.');
  assert.doesNotMatch(JSON.stringify(await listed(shop, 'products')), /SHELF-1/);
  await person.check('Leave these columns out');
  await person.press('Import 1 row');
  await person.see('To the products');
  assert.match(JSON.stringify(await listed(shop, 'products')), /SHELF-1/);
}

async function showSamples(shop: Shop): Promise<void> {
  const { tab } = shop;
  await check(shop, 'products', 'sku;name;price;ean\nTEE-1;Tea;399;\nCUP;Cup;400;\nPOT;Pot;39;\n');
  const samples = await tab.evaluate<string[]>(
    `[...document.querySelectorAll('.samples li')].map((row) => row.innerText.replace(/\\s+/g, ' '))`,
  );
  assert.deepEqual(samples, [
    'Row 2 Changed SKU TEE-1 Name Grüner Tee Tea Price €7.49 €399.00 Currency EUR',
    'Row 4 Changed SKU POT Name Pot Price ¥39 €39.00 Currency JPY EUR',
    'Row 3 New SKU CUP Name Cup Price €400.00 Currency EUR',
  ]);
  assert.equal((await listed(shop, 'products')).length, 5, 'nothing is written before');
}

async function importMany(shop: Shop): Promise<void> {
  const { service, token, tab, person } = shop;
  const rows = Array.from({ length: 3_000 }, (_, index) => `Customer ${index},c${index}@example.com\n`);
  const { total } = (await service.get('/customers?total=true&limit=1', { token })).body;
  const longest: number[] = [];
  // other programs may delay a task, but not each time
  while (longest.length < roundsMax && Math.min(...longest) > longestMilliseconds) {
    await tab.evaluate(watchTasks);
    await check(shop, 'customers', `name,email\n${rows.join('')}`);
    longest.push(await tab.evaluate('window.longest'));
  }
  assert.ok(Math.min(...longest) <= longestMilliseconds, `a task of the page took ${longest} ms`);
  await tab.evaluate(cutSecondRequest);
  await person.press('Import 3,000 rows');
  await person.see('The service couldn’t be reached.');
  await person.press('Import 3,000 rows');
  await person.see('Imported');
  await person.see('New: 3,000');
  const after = (await service.get('/customers?total=true&limit=1', { token })).body.total;
  assert.equal(after, total + 3_000);
}

const watchTasks = `{
  window.longest = 0;
  const note = (list) => (longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration)));
  new PerformanceObserver(note).observe({ type: 'longtask' });
}`;
const cutSecondRequest = `{
  const own = window.fetch;
  let requests = 0;
  window.fetch = (...given) => {
    if (String(given[0]).startsWith('/imports')) requests += 1;
    return requests === 2 && requests++ ? Promise.reject(new TypeError('cut')) : own(...given);
  };
}`;
