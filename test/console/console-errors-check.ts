// What is wrong in each form of the console, in German: the service's issues are said by their codes, and not one of
// its sentences is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { isEnglish, preferGerman } from './console-german.ts';
import { giveFile, importHelpers } from './console-import-support.ts';
import { openShop } from './console-shop.ts';

/** Runs in the page: keeps the sentences of the service in `said`. */
const keepDetails = `{
  const own = window.fetch;
  window.said = [];
  const keep = ({ detail, errors = [] }) => said.push(...[detail, ...errors.map((each) => each.detail)].filter(Boolean));
  window.fetch = async (...given) => {
    const response = await own(...given);
    if (!response.ok || String(given[0]).startsWith('/imports'))
      for (const line of (await response.clone().text()).split('\\n')) if (line !== '') keep(JSON.parse(line));
    return response;
  };
}`;

const shownIssues = `[...document.querySelectorAll('.issue')]
  .filter((each) => each.checkVisibility())
  .flatMap((each) => each.innerText.trim().split('\\n'))
  .filter((text) => text !== '')`;

type Case = {
  readonly where: string;
  /** What is pressed before there is a form. */
  readonly opens?: readonly string[];
  readonly typed: readonly (readonly [label: string, text: string])[];
  readonly sent: string;
  readonly expected: readonly RegExp[];
};

const long = 'x'.repeat(300);

const cases: readonly Case[] = [
  {
    where: '#/customers/new',
    typed: [],
    sent: 'Kunden hinzufügen',
    expected: [/^Name: darf nicht leer sein/],
  },
  {
    where: '#/customers/new',
    typed: [
      ['Name', long],
      ['E-Mail', 'anna'],
      ['Telefon', '12'],
      ['Straße und Hausnummer', 'Am Markt 1'],
      ['Ort', 'Oldenburg'],
      ['Postleitzahl', '1'],
    ],
    sent: 'Kunden hinzufügen',
    expected: [/^Name: höchstens 200 Zeichen/, /^E-Mail: /, /^Telefon: /, /Postleitzahl wie /],
  },
  {
    where: '#/customers/new',
    typed: [
      ['Name', 'Anna'],
      ['E-Mail', 'anna@'],
      ['Straße und Hausnummer', 'Am Markt 1'],
    ],
    sent: 'Kunden hinzufügen',
    expected: [/^E-Mail: /, /^Ort: darf nicht leer sein/],
  },
  {
    where: '#/products',
    opens: ['Produkt hinzufügen'],
    typed: [
      ['Name', 'Tee'],
      ['Art.-Nr.', 'tee-9'],
      ['Strichcode', '4006381333931'],
      ['Preis', '7,49'],
    ],
    sent: 'Hinzufügen',
    expected: [/^Produkt 1 hat diese Artikelnummer/, /^Produkt 1 hat diesen Strichcode/],
  },
  {
    where: '#/products',
    opens: ['Produkt hinzufügen'],
    typed: [
      ['Art.-Nr.', long],
      ['Strichcode', 'ä'],
      ['Preis', '99999999999'],
    ],
    sent: 'Hinzufügen',
    expected: [/^Name: /, /^Art\.-Nr\.: höchstens 64 Zeichen/, /^Strichcode: /, /^Preis: höchstens /],
  },
  {
    where: '#/people',
    opens: ['Person hinzufügen'],
    typed: [
      ['Name', 'Anna'],
      ['E-Mail', admin.email],
    ],
    sent: 'Hinzufügen',
    expected: [/^Ein anderes Konto hat diese E-Mail-Adresse/],
  },
  {
    where: '#/people',
    opens: ['Person hinzufügen'],
    typed: [['E-Mail', 'anna']],
    sent: 'Hinzufügen',
    expected: [/^Name: /, /^E-Mail: /],
  },
  {
    where: '#/account',
    typed: [['Neues Passwort', 'kurz']],
    sent: 'Passwort ändern',
    expected: [/^Neues Passwort: mindestens \d+ Zeichen/],
  },
  {
    where: '#/account',
    typed: [
      ['Bisheriges Passwort', 'falsch'],
      ['Neues Passwort', 'password1234567'],
    ],
    sent: 'Passwort ändern',
    expected: [/^Dieses Passwort ist zu leicht/],
  },
  {
    where: '#/account',
    typed: [
      ['Bisheriges Passwort', 'falsch'],
      ['Neues Passwort', 'Apfelbaum im Regen 17'],
    ],
    sent: 'Passwort ändern',
    expected: [/^Bisheriges Passwort: ist falsch/],
  },
  {
    where: '#/account',
    opens: ['Einrichten …'],
    typed: [['Code, den die App jetzt zeigt', '000000']],
    sent: 'Einschalten',
    expected: [/^Dieser Code ist falsch/],
  },
  {
    where: '#/account',
    opens: ['Neuer Schlüssel …'],
    typed: [['Wofür er ist', long]],
    sent: 'Schlüssel anlegen',
    expected: [/^Wofür er ist: höchstens 100 Zeichen/],
  },
  {
    where: '#/system',
    opens: ['Webhook hinzufügen'],
    typed: [['Adresse', 'http://10.0.0.1/']],
    sent: 'Hinzufügen',
    expected: [/^Adresse: muss eine https-Adresse/],
  },
  {
    where: '#/system',
    opens: ['Webhook hinzufügen'],
    typed: [],
    sent: 'Hinzufügen',
    expected: [/^Adresse: /],
  },
  {
    where: '#/orders/1/change',
    typed: [['Postleitzahl', '1']],
    sent: 'Speichern',
    expected: [/Postleitzahl wie /],
  },
];

test('errors in German', { timeout: 180_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await preferGerman(tab);
  const product = { name: 'Assam', sku: 'TEE-9', unitPrice: 749, currency: 'EUR', barcode: '4006381333931' };
  await service.post('/products', { token, body: product });
  const issues = async (expected: readonly RegExp[]): Promise<void> => {
    await tab.until(`${shownIssues}.length >= ${expected.length}`);
    const shown = await tab.evaluate<string[]>(shownIssues);
    const said = await tab.evaluate<string[]>('said');
    assert.ok(said.length > 0, 'the service has rejected it');
    for (const pattern of expected)
      assert.ok(
        shown.some((text) => pattern.test(text)),
        `${pattern}\n${shown.join('\n')}`,
      );
    const left = shown.filter((text) => isEnglish(text) || said.some((sentence) => text.includes(sentence)));
    assert.deepEqual(left, []);
  };

  await tab.open(`${service.url}/console`);
  await person.enter('E-Mail', admin.email);
  await person.enter('Passwort', admin.password);
  await person.press('Anmelden');
  await tab.until('document.querySelector(".frame")');
  await tab.evaluate(keepDetails);
  await tab.evaluate(importHelpers);

  for (const { where, opens = [], typed, sent, expected } of cases)
    await t.test(`of ${where} with ${typed.map(([label]) => label).join(', ') || 'nothing'}`, async () => {
      await person.go('#/more');
      await person.go(where);
      await tab.evaluate('said.length = 0');
      for (const name of opens) await person.press(name);
      for (const [label, text] of typed) await person.enter(label, text);
      await person.press(sent);
      await issues(expected);
      await tab.evaluate(`for (const form of document.forms) delete form.dataset.unsent`);
    });

  await t.test('of too many webhooks', async () => {
    const webhook = { url: 'https://example.com/', types: ['order.paid'] };
    for (let status = 201; status === 201;)
      status = (await service.post('/webhooks', { token, body: webhook })).status;
    await person.go('#/system');
    await tab.evaluate('said.length = 0');
    await person.press('Webhook hinzufügen');
    await person.enter('Adresse', 'https://example.com/');
    await person.press('Hinzufügen');
    await issues([/^Es gibt schon \d+: /]);
    await tab.press('Escape');
  });

  await t.test('of an import', async () => {
    await person.go('#/customers');
    await person.go('#/customers/import');
    await tab.evaluate('said.length = 0');
    const rows = [
      'Name;E-Mail;Telefon;Straße;Ort;PLZ;Land',
      'Anna;anna;;;;;',
      'Otto;;4,9E+12;;;;',
      'Uwe;;12;;;;',
      'Eva;;;Am Markt 1;;;Narnia',
      'Ida;;;Am Markt 1;Oldenburg;1;DE',
    ];
    await giveFile(tab, { name: 'a.csv', bytes: Buffer.from(rows.join('\n')) });
    await person.press('Alle Zeilen prüfen');
    await issues([
      /^E-Mail: muss vollständig/,
      /^Telefon: Eine Tabellenkalkulation/,
      /^Telefon: muss vollständig/,
      /Land: Dieses Land ist unbekannt/,
      /Postleitzahl wie /,
    ]);
  });
});
