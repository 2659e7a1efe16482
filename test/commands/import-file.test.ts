// `orderly import`: customers and orders of files, beside a running service.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { customerLine, linesOf, orderLine, importLines } from '../resources/import-support.ts';
import { newCustomer, rootToken } from '../resources/resource-support.ts';
import { admin, serviceFor, type TestService } from '../service.ts';
import { orderly, type Ended } from './command-support.ts';

function importFile(
  service: TestService,
  {
    name,
    text,
    flags = [],
  }: { readonly name: string; readonly text: string | Buffer; readonly flags?: string[] },
): Promise<Ended> {
  const file = join(service.folder, name);
  writeFileSync(file, text);
  return orderly(['import', file, '--data', service.folder, ...flags]);
}

const ofRoot = ['--owner', admin.email];

async function totals(service: TestService, token: string): Promise<number[]> {
  const paths = ['/customers?total=true', '/orders?total=true'];
  return Promise.all(paths.map(async (path) => (await service.get(path, { token })).body.total));
}

describe('orderly import', () => {
  test('adds the lines of a file once, while the service runs', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const values = Array.from({ length: 300 }, (_, index) => [
      customerLine(`${index}`),
      orderLine(`${index}`, `${index}`, { status: 'paid' }),
    ]).flat();
    const file = { name: 'shop.ndjson', text: linesOf(values), flags: ofRoot };
    const first = await importFile(service, file);
    assert.deepEqual([first.status, first.stderr], [0, '']);
    assert.match(first.stdout, /: 600 lines added\.\n$/);
    const again = await importFile(service, file);
    assert.match(again.stdout, /: 0 lines added, 600 lines added before\.\n$/);
    assert.deepEqual(await totals(service, token), [300, 300]);
  });

  test('knows the keys that were imported over HTTP, and vice versa', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id: userId } = await service.person();
    await importLines(service, token, [customerLine('a', { userId })]);
    const text = linesOf([customerLine('a', { userId }), customerLine('b', { userId })]);
    const { stdout } = await importFile(service, { name: 'a.ndjson', text });
    assert.match(stdout, /: 1 line added, 1 line added before\.\n$/);
    const [answer] = await importLines(service, token, [customerLine('b', { userId })]);
    assert.equal(answer?.status, 200);
  });

  test('reports the lines that it rejects, and adds the others', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const text = linesOf(['{', customerLine('a'), orderLine('o', 'nobody'), customerLine('b', { name: '' })]);
    const { status, stdout } = await importFile(service, { name: 'x.ndjson', text, flags: ofRoot });
    assert.equal(status, 1);
    const lines = stdout.trimEnd().split('\n');
    assert.match(lines.at(-1) ?? '', /: 1 line added, 3 lines rejected\.$/);
    assert.deepEqual(
      lines.slice(0, -1).map((line) => line.replace(/^(line \d+: \S+).*/, '$1')),
      ['line 1: The', 'line 3: /order/customerKey:', 'line 4: /customer/name:'],
    );
    assert.deepEqual(await totals(service, token), [1, 0]);
  });

  test('with --dry-run reports the same and changes nothing', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const text = linesOf([customerLine('a'), orderLine('o', 'a'), customerLine('a'), orderLine('p', 'b')]);
    const flags = [...ofRoot, '--dry-run'];
    const { status, stdout } = await importFile(service, { name: 'x.ndjson', text, flags });
    assert.equal(status, 1);
    assert.match(stdout, /: 2 lines would be added, 1 line added before, 1 line rejected\.\n$/);
    assert.deepEqual(await totals(service, token), [0, 0]);
  });

  test('reports all issues of a line at once', async (t) => {
    const service = await serviceFor(t);
    const text = linesOf([orderLine('o', 'nobody', { note: 5 })]);
    const { stdout } = await importFile(service, { name: 'x.ndjson', text });
    assert.deepEqual(stdout.match(/(?<=line 1: )\S+(?=:)/g)?.sort(), [
      '/order/customerKey',
      '/order/note',
      '/order/userId',
    ]);
  });

  test('needs an owner for objects that name none', async (t) => {
    const service = await serviceFor(t);
    const text = linesOf([customerLine('a')]);
    const { status, stdout } = await importFile(service, { name: 'x.ndjson', text });
    assert.equal(status, 1);
    assert.match(
      stdout,
      /line 1: \/customer\/userId: userId is required unless --owner names an owner for all lines\./,
    );
    const unknown = await importFile(service, {
      name: 'x.ndjson',
      text,
      flags: ['--owner', 'no@example.com'],
    });
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /There is no user no@example\.com\./);
  });

  test('reads customers from a table whose header line names members', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const text =
      '\ufeffkey,name,email,phone,address.line1,address.city,address.postalCode,address.country\r\n' +
      'a,"Hopper, ""Grace""\r\nRear Admiral",,\'+494411234567,Straße 1,Oldenburg,26133,DE\r\n' +
      '\r\n' +
      'b,Ødegård,o@example.com,,,,,\r\n' +
      "c,''=1,,,,,,\r\n";
    const { status, stdout } = await importFile(service, { name: 'customers.csv', text, flags: ofRoot });
    assert.equal(status, 1); // a name is a single line
    assert.match(stdout, /^line 2: \/customer\/name:/);
    const good = text.replace('\r\nRear Admiral', '');
    const { stderr } = await importFile(service, { name: 'customers.csv', text: good, flags: ofRoot });
    assert.equal(stderr, '');
    const { body } = await service.get('/customers', { token });
    assert.deepEqual(
      body.data.map(({ name, phone, email }: Record<string, unknown>) => [name, phone, email]).sort(),
      [
        ["'=1", null, null],
        ['Hopper, "Grace"', '+494411234567', null],
        ['Ødegård', null, 'o@example.com'],
      ],
    );
  });

  for (const [what, separator] of [
    ['semicolons, as Excel writes where the comma is decimal', ';'],
    ['tabs', '\t'],
  ] as const)
    test(`reads a table whose cells are separated by ${what}`, async (t) => {
      const service = await serviceFor(t);
      const rows = [
        ['key', 'name', 'email'],
        ['a', 'Hopper, Grace', ''],
        ['b', '"Ada;\tL."', 'ada@example.com'],
      ];
      const text = rows.map((cells) => `${cells.join(separator)}\r\n`).join('');
      const { stdout, stderr } = await importFile(service, { name: 'x.csv', text, flags: ofRoot });
      assert.equal(stderr, '');
      assert.match(stdout, /^line 3: \/customer\/name: .*\n.*: 1 line added, 1 line rejected\.\n$/);
      const { body } = await service.get('/customers', { token: await rootToken(service) });
      assert.equal(body.data[0].name, 'Hopper, Grace');
    });

  test('reports an empty key as missing', async (t) => {
    const service = await serviceFor(t);
    const { stdout } = await importFile(service, { name: 'x.csv', text: 'key,name\n,Ada\n', flags: ofRoot });
    assert.match(stdout, /^line 2: \/key: key is required\.\n/);
  });

  for (const [name, text, message] of [
    [
      'an unknown column',
      'key,name,colour\na,b,c\n',
      /The heading names "colour"; there are key, userId, name/,
    ],
    ['a column twice', 'key,name,name\na,b,c\n', /names a column twice/],
    ['no key', 'name\nAda\n', /The heading must name key/],
    ['a quote in a cell', 'key,name\na,b"c\n', /line 2: a cell with a quote must be in quotes/],
    ['text after a quote', 'key,name\na,"b"c\n', /line 2: a quoted cell ends with its quote/],
    ['a quote without an end', 'key,name\na,"b\n', /a quoted cell has no end/],
    ['a row without an end', `key,name\na,"${'x'.repeat(70_000)}`, /line 2: a row must have at most/],
    ['bytes that are no UTF-8', Buffer.from('key,name\na,\xff\n', 'latin1'), /The table must be UTF-8/],
  ] as const)
    test(`rejects a table with ${name}`, async (t) => {
      const service = await serviceFor(t);
      const { status, stderr } = await importFile(service, { name: 'x.csv', text, flags: ofRoot });
      assert.equal(status, 1);
      assert.match(stderr, message);
    });

  test('adds the rows before the part of a table that can’t be read, and reports how many', async (t) => {
    const service = await serviceFor(t);
    const text = 'key,name\na,Ada\nb,\nc,Grace\nd,"Hopper\n';
    const { status, stdout, stderr } = await importFile(service, { name: 'x.csv', text, flags: ofRoot });
    assert.equal(status, 1);
    assert.match(stdout, /^line 3: .*\n.*: 2 lines added, 1 line rejected\.\n$/);
    assert.match(stderr, /a quoted cell has no end/);
    assert.deepEqual(await totals(service, await rootToken(service)), [2, 0]);
  });

  test('reports a row of a table that has too few cells', async (t) => {
    const service = await serviceFor(t);
    const text = 'key,name\na\nb,Ada\n';
    const { stdout } = await importFile(service, { name: 'x.csv', text, flags: ofRoot });
    assert.match(
      stdout,
      /^line 2: The row has 1 cell, its heading 2\.\n.*: 1 line added, 1 line rejected\.\n$/,
    );
  });

  test('rejects a file with an unknown extension, and a missing one', async (t) => {
    const service = await serviceFor(t);
    const other = await importFile(service, { name: 'shop.xlsx', text: '' });
    assert.equal(other.status, 64);
    assert.match(other.stderr, /FILE must end in \.ndjson or \.csv/);
    const missing = await orderly(['import', join(service.folder, 'no.ndjson'), '--data', service.folder]);
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /no\.ndjson/);
  });

  test('leaves events without an actor', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    await newCustomer(service, token);
    await importFile(service, { name: 'x.ndjson', text: linesOf([customerLine('a')]), flags: ofRoot });
    const { body } = await service.get('/events?type=customer.created', { token });
    assert.deepEqual([body.data.length, body.data[1].actor, body.data[1].requestId], [2, null, null]);
  });
});
