// POST /imports with tables as programs and spreadsheets write them: their cells, their ends of lines, and their words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importTable, summaryOf, type ImportResult } from '../../support/import-support.ts';
import { newProduct, rootToken } from '../../support/resource-support.ts';
import { sharedService } from '../../support/http-support.ts';

let token = '';
const service = sharedService({}, async (started) => {
  token = await rootToken(started);
});

describe('a table', () => {
  const dryRun = (text: string | Buffer): Promise<ImportResult[]> =>
    importTable(service(), { token, text, query: '?of=customers&dryRun=true' });

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
    test(`a table is read with ${what}`, async () =>
      assert.deepEqual((await dryRun(text)).map(summaryOf), lines));

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
    test(`what is no table says so: ${what}`, async () => {
      const results = await dryRun(bytes);
      assert.equal(results.length, 1);
      assert.match(results[0]?.errors?.[0]?.detail ?? '', advice);
    });
});

describe('a cell', () => {
  let sku = 0;
  type Cells = Readonly<Record<string, string>>;
  const usual = { name: 'Tea', unitPrice: '7.49', currency: 'EUR', active: '' };

  /** Imports a product for each row, and returns the results. */
  function importProducts(rows: readonly Cells[]): Promise<ImportResult[]> {
    const tableOf = [['sku', ...Object.keys(usual)]];
    for (const cells of rows) tableOf.push([`S${(sku += 1)}`, ...Object.values({ ...usual, ...cells })]);
    const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
    const text = tableOf.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
    return importTable(service(), { token, text, query: '?of=products' });
  }

  const trueWords =
    'true TRUE 1 -1 y Y j yes Ja x WAHR VRAI VERDADERO vero waar PRAWDA SANT oui sí tak да igen evet t ΑΛΗΘΗΣ Αληθές ναι CERT SATT egia BENAR 真 ☑ ✅ 是 はい 예 ✓';
  const falseWords =
    'false 0 n N no Nein FALSCH FAUX FALSO onwaar FAŁSZ FALSKT non não nie нет nem hayır f ΨΕΥΔΗΣ όχι USANN ósatt gezurra SALAH 假 ☐ ☒ ❌ 否 いいえ 아니요 ✗';
  const pricesOf = (texts: Readonly<Record<string, number>>, currency: string) =>
    Object.entries(texts).map(
      ([unitPrice, price]) => [{ unitPrice, currency }, { unitPrice: price }] as const,
    );
  const read: Readonly<Record<string, readonly (readonly [cells: Cells, members: object])[]>> = {
    'with surplus zeros exactly': [
      ...pricesOf({ '34.0000': 3400, '7.490': 749, '7,4900': 749, '5.000': 500, '0.0': 0 }, 'EUR'),
      ...pricesOf({ '1498.00': 1498, '1498,0': 1498 }, 'JPY'),
      ...pricesOf({ '1.498': 1498, '1.4980': 1498 }, 'BHD'),
    ],
    'in other signs': [
      ...pricesOf({ ' 7.49 ': 749, '\u00a07.49': 749, '７.４９': 749, '٧٫٤٩': 749, '+7.49': 749 }, 'EUR'),
      ...pricesOf({ '-7.49': -749, '−7.49': -749, '–7.49': -749 }, 'EUR'),
    ],
    'in lower case, with blanks around a currency': [[{ currency: ' eur\u00a0' }, { currency: 'EUR' }]],
    'as a word for yes or no': [
      ...trueWords.split(' ').map((active) => [{ active }, { active: true }] as const),
      ...falseWords.split(' ').map((active) => [{ active }, { active: false }] as const),
    ],
    'as text where spreadsheets mark it': Object.entries({
      '="00123"': '00123',
      '="1E5"': '1E5',
      '="a ""b"""': 'a "b"',
      "'01067": '01067',
      "'=1": '=1',
      "''01067": "'01067",
      "'90s": '90s',
      "O'Neill": "O'Neill",
    }).map(([name, text]) => [{ name }, { name: text }] as const),
  };
  for (const [how, rows] of Object.entries(read))
    test(`a cell is read ${how}`, async () => {
      const results = await importProducts(rows.map(([cells]) => cells));
      assert.equal(results.length, rows.length);
      for (const [index, { id, status }] of results.entries()) {
        const [cells, members] = rows[index] ?? assert.fail('there is a row for each result');
        assert.equal(status, 201, JSON.stringify(cells));
        assert.partialDeepStrictEqual((await service().get(`/products/${id}`, { token })).body, members);
      }
    });

  test('a price that can’t be read says that it is decimal, and with how many decimals', async () => {
    const decimal = /unitPrice must be a decimal amount .*, such as 7\.49/;
    const rows = [
      ...['€7.49', '7.491', '5,000', '1.234,50', 'free'].map((text) => [text, 'EUR', decimal] as const),
      ...['1498.5', '1,498'].map((text) => [text, 'JPY', decimal] as const),
      ['7.49123', 'EUR', /such as 7\.49: EUR has 2 decimals\.$/],
      ['7.49123', 'JPY', /such as 7\.49: JPY has no decimals\.$/],
      ['7.49123', 'BHD', /such as 7\.49: BHD has 3 decimals\.$/],
    ] as const;
    const results = await importProducts(rows.map(([unitPrice, currency]) => ({ unitPrice, currency })));
    for (const [index, [text, , detail]] of rows.entries()) {
      const result = results[index] ?? assert.fail(text);
      assert.equal(summaryOf(result), `${index + 2} 422 #/product/unitPrice format`, text);
      assert.match(result.errors?.[0]?.detail ?? '', detail);
    }
  });

  test('blanks around an e-mail address go, and cells of blanks alone are empty', async () => {
    const emails = [
      '" a@example.com"',
      '"b@example.com\u00a0"',
      '\u200bc@example.com\u200b',
      '"\ufeffd@example.com\t"',
    ];
    const rows = [...emails, '\u00a0'].map((email) => `Ada,${email}, \u200b ,\u3000\n`);
    const text = `name,email,phone,address.line1\n${rows.join('')}`;
    const results = await importTable(service(), { token, text });
    for (const [index, email] of ['a', 'b', 'c', 'd', null].entries()) {
      const { body } = await service().get(`/customers/${results[index]?.id}`, { token });
      const expected = [email && `${email}@example.com`, null, null];
      assert.deepEqual([body.email, body.phone, body.address], expected);
    }
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

  test('a cell that is neither yes nor no says what may stand there, beside all other issues', async () => {
    const [result] = await importProducts([{ active: 'perhaps', unitPrice: 'free' }]);
    assert.equal(result && summaryOf(result), '2 422 #/product/active format #/product/unitPrice format');
    const { detail = '' } = result?.errors?.find(({ pointer }) => pointer === '#/product/active') ?? {};
    assert.match(detail, /^active must be yes or no, true or false, or 1 or 0/);
  });

  test('a cell may have that mark without quotes around it', async () => {
    const text = 'sku,name,unitPrice,currency\n="00123",Tea,7.49,EUR\n';
    const [result] = await importTable(service(), { token, text, query: '?of=products' });
    assert.equal((await service().get(`/products/${result?.id}`, { token })).body.sku, '00123');
  });

  test('a cell of the own export is read back as it was', async () => {
    for (const name of ["'01067", "''5", '="00123"', "'=1", '=1', "'s Gravenhage"]) {
      const { sku, id } = await newProduct(service(), token, { name });
      const headers = { accept: 'text/csv' };
      const { text } = await service().get(`/products?q=${sku}`, { token, headers });
      const results = await importTable(service(), { token, text, query: '?of=products' });
      assert.deepEqual(
        results.map((each) => [each.id, each.result]),
        [[id, 'unchanged']],
        name,
      );
    }
  });
});
