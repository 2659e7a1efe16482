// The console's import, in real browsers: files as spreadsheets save them, matched, checked and imported.
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
    { skip: browser === 'Firefox' && !hasFirefox && 'it is not installed' },
    async (t) => {
      const service = await serviceFor(t);
      const { tab, person } = await openConsoleIn(open, t, service);
      const { token } = await service.signIn(admin.email, admin.password);
      await person.signIn(service.url, admin);
      await tab.evaluate(importHelpers);
      await keepSaved(tab);

      await t.test('of customers, as a German Excel saves them, leaves faulty rows to be saved', () =>
        importCustomers({ service, token, tab, person }),
      );
      await t.test('of products asks for the currency, and changes what is known', () =>
        importProducts({ service, token, tab, person }),
      );
      await t.test('of products names the rows whose barcodes may have lost digits', async () => {
        await person.go('#/products');
        await person.go('#/products/import');
        const text =
          'sku;name;unitPrice;currency;ean\nA;Cup;1.00;EUR;12345678905\nB;Mug;7.49;EUR;\nC;Pot;1.00;EUR;12345670\n';
        await giveFile(tab, { name: 'barcodes.csv', bytes: Buffer.from(text) });
        await person.press('Check all rows');
        await person.see('Barcodes that may have lost digits, in rows: 2');
      });
      await t.test('names what can’t be read, or lacks a column', async () => {
        await person.go('#/customers/import');
        await giveFile(tab, { name: 'book.xlsx', bytes: Buffer.from('PK') });
        await person.see('save it as CSV');
        await giveFile(tab, { name: 'a.csv', bytes: Buffer.from('') });
        await person.see('The file is empty.');
        await giveFile(tab, { name: 'a.csv', bytes: Buffer.from('Name\nJürgen\nAda\n', 'latin1') });
        await person.see('Jürgen · Ada');
        await person.press('Another file');
        await giveFile(tab, { name: 'a.csv', bytes: Buffer.from('E-mail\na@example.com\n') });
        await person.press('Check all rows');
        await person.see('No column is the Name.');
      });
      if (browser === 'Chromium')
        await t.test('of many rows can be stopped and begun again, and never holds the page', () =>
          importMany({ service, token, tab, person }),
        );
      await t.test('is not offered to staff', async () => {
        const staff = await service.person('staff');
        await person.press('Sign out');
        await tab.until('document.querySelector(".sign-in")');
        await person.signIn(service.url, { email: staff.email, password });
        await person.go('#/customers');
        assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('Import'));
        await person.go('#/customers/import');
        await person.see('Only an administrator can import.');
      });
      assert.deepEqual(tab.complaints, []);
    },
  );

type Shop = {
  readonly service: TestService;
  readonly token: string;
  readonly tab: Tab;
  readonly person: Person;
};

async function importCustomers({ service, token, tab, person }: Shop): Promise<void> {
  const text =
    'Kundennummer;Vorname;Nachname;E-Mail;Straße;PLZ;Ort;Land;Bemerkung\r\n' +
    'K-1;Jürgen;Müller;jm@example.com;"Haus ""Nord""; 1. Stock";26122;Oldenburg;Deutschland;\r\n' +
    ';;;;;;;;\r\n' +
    'K-2;Ödön;Łukasz;falsch;;;;;x;zu viel\r\n' +
    'K-3;Zoë;;keine Adresse;;;;;\r\n' +
    'K-4;Åsa;Ek;;Vägen 2;11122;Stockholm;Schweden;\r\n';
  const bytes = Buffer.from(text.replaceAll('Ł', 'L'), 'latin1');
  for (const found of ['New: 2', 'Unchanged: 2']) {
    await person.go('#/customers');
    await person.press('Import …');
    await tab.until('document.querySelector(".drop")');
    await giveFile(tab, { name: 'kunden.csv', bytes, isDropped: true });
    await person.see('Haus "Nord"; 1. Stock');
    await person.see('The letters of the file');
    for (const [label, text] of [
      ['windows-1251', 'Mьller'],
      ['windows-1252', 'Müller'],
    ] as const) {
      await tab.evaluate(`{
        const letters = document.querySelector('[data-pointer="/encoding"]');
        letters.value = '${label}';
        letters.dispatchEvent(new Event('change', { bubbles: true }));
      }`);
      await person.see(text);
    }
    await person.press('Check all rows');
    await person.see(found);
    await person.see('With a fault: 2');
    await person.see('The row has 10 cells, and the first row 9.');
    await person.see('E-mail must be');
    if (found === 'Unchanged: 2') continue;
    await person.press('Import 2 rows');
    await person.see('Imported');
  }
  const { body } = await service.get('/customers?sort=id', { token });
  assert.deepEqual(
    body.data.map(({ name, email, address }: TestResponse['body']) => [
      name,
      email,
      address.country,
      address.line1,
    ]),
    [
      ['Jürgen Müller', 'jm@example.com', 'DE', 'Haus "Nord"; 1. Stock'],
      ['Åsa Ek', null, 'SE', 'Vägen 2'],
    ],
  );
  await person.press('Save these rows as a file');
  const saved = await tab.evaluate<string>('saved.text()');
  const [heading, first = '', second = '', ...others] = saved.split('\r\n');
  assert.equal(heading, 'Kundennummer;Vorname;Nachname;E-Mail;Straße;PLZ;Ort;Land;Bemerkung;Fault');
  assert.match(first, /^K-2;Ödön;Lukasz;falsch;;;;;x;The row has/);
  assert.match(second, /^K-3;Zoë;;keine Adresse;;;;;;E-mail must/);
  assert.deepEqual(others, ['']);
}

async function importProducts({ service, token, tab, person }: Shop): Promise<void> {
  const known = { sku: 'TEE-1', name: 'Tee', unitPrice: 1, currency: 'EUR', barcode: '4006381333931' };
  await service.post('/products', { token, body: known });
  const text =
    '\ufeffArtikelnummer\tBezeichnung\tPreis\taktiv\n' +
    'TEE-1\tGrüner Tee\t7,49 €\tWAHR\nKANNE\tTeekanne, groß\t1.234,50\tfaux\nX\tTasse\t1.234\tja\n';
  await person.go('#/products/import');
  await giveFile(tab, { name: 'artikel.txt', bytes: Buffer.from(text) });
  const lastColumn = `[...document.querySelectorAll('.match select')].at(-1)`;
  const choose = (control: string, value: string): Promise<unknown> =>
    tab.evaluate(`{
      const control = ${control};
      control.value = '${value}';
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
  await tab.until(lastColumn);
  await choose(lastColumn, '');
  await person.go('#/products');
  await person.go('#/products/import');
  await person.see('What you had entered is still here.');
  assert.equal(await tab.evaluate(`${lastColumn}.value`), '');
  await choose(lastColumn, 'active');
  await person.press('Check all rows');
  await person.see('The price 1.234 can be read in two ways: how does the file write prices?');
  await choose(`document.querySelector('[data-pointer="/sign"]')`, ',');
  await person.press('Check all rows');
  await person.see('New: 2');
  await person.see('Changed: 1');
  await person.press('Import 3 rows');
  await person.see('New: 2');
  const { body } = await service.get('/products?sort=sku', { token });
  assert.deepEqual(
    body.data.map(({ sku, name, unitPrice, barcode, active }: TestResponse['body']) => [
      sku,
      name,
      unitPrice,
      barcode,
      active,
    ]),
    [
      ['KANNE', 'Teekanne, groß', 123_450, null, false],
      ['TEE-1', 'Grüner Tee', 749, '4006381333931', true],
      ['X', 'Tasse', 123_400, null, true],
    ],
  );
}

async function importMany({ service, token, tab, person }: Shop): Promise<void> {
  const rows = Array.from({ length: 6_000 }, (_, index) => `Customer ${index},c${index}@example.com\n`);
  await person.go('#/customers');
  await person.go('#/customers/import');
  await giveFile(tab, { name: 'many.csv', bytes: Buffer.from(`name,email\n${rows.join('')}`) });
  await person.press('Check all rows');
  await tab.until('document.querySelector("progress")');
  await person.press('Stop');
  const longest: number[] = [];
  // other programs may delay a task, but not each time
  while (longest.length < roundsMax && Math.min(...longest) > longestMilliseconds) {
    await tab.evaluate(watchTasks);
    await person.press('Check all rows');
    await tab.until('document.body.innerText.includes("New: 6,000")');
    longest.push(await tab.evaluate('window.longest'));
    await person.press('Change the columns');
  }
  assert.ok(Math.min(...longest) <= longestMilliseconds, `a task of the page took ${longest} ms`);
  await person.press('Check all rows');
  await person.press('Import 6,000 rows');
  await tab.until('document.querySelector("progress")?.value > 0');
  await person.press('Stop');
  await person.see('You have stopped it.');
  await person.press('Go on');
  await tab.until('document.body.innerText.includes("Imported")');
  assert.equal((await service.get('/customers?total=true&limit=1', { token })).body.total, 6_002);
}

const watchTasks = `{
  window.longest = 0;
  const note = (list) => (longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration)));
  new PerformanceObserver(note).observe({ type: 'longtask' });
}`;
