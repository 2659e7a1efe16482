// `npm run check:spreadsheet`: the console's files for spreadsheets, opened and saved by LibreOffice (Debian:
// `apt-get install libreoffice-calc`), change nothing when they are imported. Needs Chromium, too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Person } from '../console/console-actions.ts';
import { giveFile, importHelpers } from '../console/console-import-support.ts';
import { openTab } from '../support/browser.ts';
import { admin, serviceFor } from '../support/service.ts';

const codes = [
  '00123',
  '1E5',
  '3-4',
  '1/2',
  '12:30',
  'MAR1',
  '1.50',
  'TRUE',
  '4006381333931',
  'TEA-250',
  "'5",
  '=1',
];

/** Opens the table as a spreadsheet does that looks for numbers and dates, and saves what it shows. */
function savedAnew(text: string, folder: string): Buffer {
  const [path, out] = [join(folder, 'list.csv'), join(folder, 'out')];
  writeFileSync(path, text);
  const commas = '44,34,76,1';
  const { status, stderr } = spawnSync('soffice', [
    `-env:UserInstallation=file://${join(folder, 'profile')}`,
    '--headless',
    `--infilter=CSV:${commas},,1033,false,true`,
    `--convert-to`,
    `csv:Text - txt - csv (StarCalc):${commas},,1033,false,true`,
    '--outdir',
    out,
    path,
  ]);
  assert.equal(status, 0, `LibreOffice is needed: ${stderr}`);
  return readFileSync(join(out, 'list.csv'));
}

test('a file for spreadsheets, opened and saved by one, changes nothing', { timeout: 240_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'spreadsheet-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const service = await serviceFor(t);
  service.clock.now = Date.now();
  const { token } = await service.signIn(admin.email, admin.password);
  for (const [index, code] of codes.entries()) {
    const product = { sku: code, name: code, unitPrice: 749 + index, currency: 'EUR', active: index > 3 };
    assert.equal((await service.post('/products', { token, body: product })).status, 201);
    const address = { line1: code, city: code, postalCode: '01067', country: 'DE' };
    const phone = `+4944112345${10 + index}`;
    const customer = { name: code, reference: code, phone, note: code, address };
    assert.equal((await service.post('/customers', { token, body: customer })).status, 201);
  }
  const tab = await openTab();
  t.after(() => tab.close());
  await tab.screen(1280, 'light');
  const person = new Person(tab, 'mouse');
  await person.signIn(service.url, admin);
  await tab.evaluate(importHelpers);
  for (const kind of ['customers', 'products']) {
    await person.go(`#/${kind}`);
    await person.press('CSV');
    await person.press('Save');
    await tab.until('window.saved !== undefined');
    const text = await tab.evaluate<string>('saved.text()');
    await tab.evaluate('window.saved = undefined');
    const bytes = savedAnew(text, folder);
    await person.go(`#/${kind}/import`);
    await giveFile(tab, { name: 'list.csv', bytes });
    await person.press('Check all rows');
    await tab.until('document.body.innerText.includes("was checked")');
    const shown = await tab.evaluate<string>('document.body.innerText');
    assert.match(shown, new RegExp(`Unchanged: ${codes.length}`), `${shown}\n${bytes.toString()}`);
    assert.doesNotMatch(shown, /Import \d/);
  }
});
