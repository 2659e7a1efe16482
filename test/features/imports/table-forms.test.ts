// POST /imports with tables as programs and spreadsheets write them: their cells, their ends of lines, and their words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importTable, summaryOf } from '../../support/import-support.ts';
import { newProduct, rootToken } from '../../support/resource-support.ts';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor } from '../../support/service.ts';

describe('a table', () => {
  for (const [what, text, lines] of [
    ['a first line that names its separator', 'sep=;\nname;note\nAda;a, b\n', ['2 201']],
    ['that line in quotes', '"sep=;"\r\nname;note\r\nAda;x\r\n', ['2 201']],
    ['lines that end with CR', 'name,note\rAda,x\rGrace,"a\rb"\r', ['2 201', '3 201']],
    ['lines that end with CR LF and LF', 'name,note\r\nAda,x\nGrace,y\r\n', ['2 201', '3 201']],
    ['rows of separators alone, which count', 'name;note\n;\n; \nAda;x\n;\n', ['4 201']],
    ['empty columns at its end', 'name;note;;\nAda;x;;\nGrace;y\n;;;\n', ['2 201', '3 201']],
    ['blanks around its headings', ' name , note\nAda,x\n', ['2 201']],
    ['a quote within a cell', 'name,note\nAda,5" nails\n', ['2 201']],
    ['headings in other letters', 'NAME,Note,address.LINE1\nAda,x,\n', ['2 201']],
    ['invisible characters in its headings', '\u200bname,note\u00a0\nAda,x\n', ['2 201']],
    ['that first line in capitals', 'SEP=;\nname;note\nAda;a, b\n', ['2 201']],
    ['bars between its cells', 'sep=|\nname|note\nAda|a, b; c\n', ['2 201']],
    ['bars that no line names', 'name|note\nAda|a, b\n', ['2 201']],
    ['semicolons, and commas within its cells', 'name;note\n"Ada; L.";a, b\n', ['2 201']],
    ['tabs, and other separators within its cells', 'name\tnote\nAda\ta, b; c\n', ['2 201']],
    ['one column, and separators within its cells', 'name\nHopper; Grace\n', ['2 201']],
    ['the sign that ends files of DOS', 'name,note\r\nAda,x\r\n\u001a', ['2 201']],
    ['that sign right after its last cell', 'name,note\r\nAda,x\u001a', ['2 201']],
    ['text after a quoted cell', 'name,note\n"Ada" L,x\n', ['2 201']],
  ] as const)
    test(`a table is read with ${what}`, async (t) => {
      const service = await serviceFor(t);
      const results = await importTable(service, { token: await rootToken(service), text });
      assert.deepEqual(results.map(summaryOf), lines);
    });

  for (const [what, bytes, advice] of [
    ['a workbook', Buffer.from('PK\x03\x04\x14\x00', 'latin1'), /workbook.*CSV/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /workbook.*CSV/],
    ['a PDF', Buffer.from('%PDF-1.7\n'), /PDF.*CSV/],
    ['a card after a byte-order mark', Buffer.from('\ufeffbegin:vcard\nversion:3.0\n'), /CSV/],
    ['a web page', Buffer.from('<!doctype html><table>'), /web page.*CSV/],
    ['XML', Buffer.from('\ufeff<?xml version="1.0"?>'), /XML.*CSV/],
    ['JSON', Buffer.from('[{"name":"Ada"}]'), /JSON.*application\/x-ndjson/],
    ['a text of a word processor', Buffer.from('{\\rtf1'), /CSV/],
    ['a compressed file', Buffer.from('1f8b0800', 'hex'), /compressed/],
    ['a card', Buffer.from('BEGIN:VCARD\nVERSION:3.0\n'), /CSV/],
    ['UTF-16', Buffer.from('\ufeffname\nAda\n', 'utf16le'), /UTF-8/],
    ['UTF-16, the other way', Buffer.from('\ufeffname\nAda\n', 'utf16le').swap16(), /UTF-8/],
    ['NUL', Buffer.from('name\0\nAda\n'), /no table/],
  ] as const)
    test(`what is no table says so: ${what}`, async (t) => {
      const service = await serviceFor(t);
      const results = await importTable(service, { token: await rootToken(service), text: bytes });
      assert.equal(results.length, 1);
      assert.match(results[0]?.errors?.[0]?.detail ?? '', advice);
    });
});

describe('a cell', () => {
  let token = '';
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
  });
  let sku = 0;

  async function importProduct(cells: Readonly<Record<string, string>>) {
    sku += 1;
    const all = { sku: `S${sku}`, name: 'Tea', unitPrice: '7.49', currency: 'EUR', ...cells };
    const row = (texts: readonly string[]) =>
      `${texts.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;
    const text = row(Object.keys(all)) + row(Object.values(all));
    const [result] = await importTable(service(), { token, text, query: '?of=products' });
    return result;
  }

  for (const [unitPrice, currency, expected] of [
    ['34.0000', 'EUR', 3400],
    ['7.490', 'EUR', 749],
    ['7,4900', 'EUR', 749],
    ['1498.00', 'JPY', 1498],
    ['1498,0', 'JPY', 1498],
    ['1.498', 'BHD', 1498],
    ['1.4980', 'BHD', 1498],
    ['5.000', 'EUR', 500],
    ['0.0', 'EUR', 0],
  ] as const)
    test(`a cell with surplus zeros is exact: ${unitPrice} ${currency}`, async () => {
      const result = await importProduct({ unitPrice, currency });
      assert.equal(result?.status, 201, JSON.stringify(result));
      const { body } = await service().get(`/products/${result.id}`, { token });
      assert.equal(body.unitPrice, expected);
    });

  for (const [unitPrice, currency] of [
    ['€7.49', 'EUR'],
    ['7.491', 'EUR'],
    ['5,000', 'EUR'],
    ['1.234,50', 'EUR'],
    ['1498.5', 'JPY'],
    ['1,498', 'JPY'],
    ['free', 'EUR'],
  ] as const)
    test(`a price that can’t be read says that it is decimal: ${unitPrice} ${currency}`, async () => {
      const result = await importProduct({ unitPrice, currency });
      assert.equal(result && summaryOf(result), '2 422 #/product/unitPrice format');
      assert.match(result?.errors?.[0]?.detail ?? '', /unitPrice must be a decimal amount .*, such as 7\.49/);
    });

  for (const [currency, decimals] of [
    ['EUR', 'EUR has 2 decimals'],
    ['JPY', 'JPY has no decimals'],
    ['BHD', 'BHD has 3 decimals'],
  ] as const)
    test(`a price of too many decimals says how many there are: ${decimals}`, async () => {
      const result = await importProduct({ unitPrice: '7.49123', currency });
      const [{ detail = '' } = {}] = result?.errors ?? [];
      assert.ok(detail.endsWith(`such as 7.49: ${decimals}.`), detail);
    });

  for (const [unitPrice, expected] of [
    [' 7.49 ', 749],
    ['\u00a07.49', 749],
    ['７.４９', 749],
    ['٧٫٤٩', 749],
    ['-7.49', -749],
    ['+7.49', 749],
    ['−7.49', -749],
    ['–7.49', -749],
  ] as const)
    test(`a price is read in other signs: ${JSON.stringify(unitPrice)}`, async () => {
      const result = await importProduct({ unitPrice });
      assert.equal(result?.status, 201, JSON.stringify(result));
      assert.equal((await service().get(`/products/${result.id}`, { token })).body.unitPrice, expected);
    });

  test('a currency may be in lower case, with blanks around it', async () => {
    assert.equal((await importProduct({ currency: ' eur\u00a0' }))?.status, 201);
  });

  for (const email of [
    ' a@example.com',
    'b@example.com\u00a0',
    '\u200bc@example.com\u200b',
    '\ufeffd@example.com\t',
  ])
    test(`blanks around an e-mail address go: ${JSON.stringify(email)}`, async () => {
      const [result] = await importTable(service(), { token, text: `name,email\nAda,"${email}"\n` });
      assert.equal(result?.status, 201, JSON.stringify(result));
      const { body } = await service().get(`/customers/${result.id}`, { token });
      assert.equal(body.email, `${email.replaceAll(/[^a-z@.]/g, '')}`);
    });

  test('cells of blanks alone are empty', async () => {
    const text = 'name,email,phone,address.line1\nAda,\u00a0, \u200b ,\u3000\n';
    const [result] = await importTable(service(), { token, text });
    assert.equal(result?.status, 201, JSON.stringify(result));
    const { body } = await service().get(`/customers/${result.id}`, { token });
    assert.deepEqual([body.email, body.phone, body.address], [null, null, null]);
  });

  for (const [what, piece] of [
    ['blanks', ' '],
    ['what nobody sees', '\u200b'],
    ['commas', ','],
    ['brackets', '('],
    ['digits', '٧'],
  ] as const)
    test(`a long cell of ${what} takes no longer than others`, async () => {
      const cell = `a${piece.repeat(60_000 / Buffer.byteLength(piece))}b`;
      const begun = performance.now();
      for (const [of, heading] of Object.entries({
        customers: 'name,email',
        products: 'name,unitPrice',
        'customers&country=DE': 'name,address.line1,address.country',
      })) {
        const row = heading.replace(/[\w.]+,/g, 'x,').replace(/[\w.]+$/, `"${cell}"`);
        await importTable(service(), { token, text: `${heading}\n${row}\n`, query: `?of=${of}` });
      }
      assert.ok(performance.now() - begun < 2_000);
    });

  for (const [active, words] of Object.entries({
    true: 'true TRUE 1 -1 y Y j yes Ja x WAHR VRAI VERDADERO vero waar PRAWDA SANT oui sí tak да igen evet t ΑΛΗΘΗΣ Αληθές ναι CERT SATT egia BENAR 真 ☑ ✅ 是 はい 예 ✓',
    false:
      'false 0 n N no Nein FALSCH FAUX FALSO onwaar FAŁSZ FALSKT non não nie нет nem hayır f ΨΕΥΔΗΣ όχι USANN ósatt gezurra SALAH 假 ☐ ☒ ❌ 否 いいえ 아니요 ✗',
  }))
    for (const word of words.split(' '))
      test(`a cell for yes and no may have the word ${word}`, async () => {
        const result = await importProduct({ active: word });
        assert.equal(result?.status, 201, JSON.stringify(result));
        const { body } = await service().get(`/products/${result.id}`, { token });
        assert.equal(String(body.active), active);
      });

  test('a cell that is neither yes nor no says what may stand there, beside all other issues', async () => {
    const result = await importProduct({ active: 'perhaps', unitPrice: 'free' });
    const errors = result?.errors ?? [];
    assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), [
      '#/product/active',
      '#/product/unitPrice',
    ]);
    const detail = errors.find(({ pointer }) => pointer === '#/product/active')?.detail ?? '';
    assert.match(detail, /^active must be yes or no, true or false, or 1 or 0/);
  });

  for (const [cell, text] of [
    ['="00123"', '00123'],
    ['="1E5"', '1E5'],
    ['="a ""b"""', 'a "b"'],
    ["'01067", '01067'],
    ["'=1", '=1'],
    ["''01067", "'01067"],
    ["'90s", '90s'],
    ["O'Neill", "O'Neill"],
  ] as const)
    test(`a cell is text as spreadsheets mark it: ${cell}`, async () => {
      const result = await importProduct({ name: cell });
      const { body } = await service().get(`/products/${result?.id}`, { token });
      assert.equal(body.name, text);
    });

  test('a cell may have that mark without quotes around it', async () => {
    const text = 'sku,name,unitPrice,currency\n="00123",Tea,7.49,EUR\n';
    const [result] = await importTable(service(), { token, text, query: '?of=products' });
    const { body } = await service().get(`/products/${result?.id}`, { token });
    assert.equal(body.sku, '00123');
  });

  for (const name of ["'01067", "''5", '="00123"', "'=1", '=1', "'s Gravenhage"])
    test(`a cell of the own export is read back as it was: ${name}`, async () => {
      const product = await newProduct(service(), token, { name });
      const accept = { accept: 'text/csv' };
      const exported = await service().get(`/products?q=${product.sku}`, { token, headers: accept });
      const results = await importTable(service(), { token, text: exported.text, query: '?of=products' });
      assert.deepEqual(
        results.map(({ id, result }) => [id, result]),
        [[product.id, 'unchanged']],
      );
    });

  test('a SKU that is new but for zeros is warned of, since spreadsheets drop them', async () => {
    const { id } = await newProduct(service(), token, { sku: '00777' });
    for (const [sku, sameAs] of [
      ['777', id],
      ['0777', id],
      ['00777', undefined],
      ['7770', undefined],
      ['A00777', undefined],
    ] as const) {
      const text = `sku,name,unitPrice,currency\n${sku},Tea,7.49,EUR\n`;
      const query = '?of=products&dryRun=true';
      const [result] = await importTable(service(), { token, text, query });
      assert.equal(result?.sameAs, sameAs, sku);
    }
  });
});
