// `orderly export`: files of orders, customers and events, beside a running service.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newOrder, rootToken } from '../resources/resource-support.ts';
import { serviceFor } from '../service.ts';
import { orderly } from './command-support.ts';

describe('orderly export', () => {
  for (const things of ['orders', 'customers', 'events'])
    test(`writes all ${things} as the service exports them, while it runs`, async (t) => {
      const service = await serviceFor(t);
      const token = await rootToken(service);
      for (let count = 0; count < 7; count += 1) await newOrder(service, token);
      const formats = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
      for (const [end, accept] of Object.entries(formats)) {
        const file = join(service.folder, `export.${end}`);
        const { status, stdout, stderr } = await orderly(['export', things, file, '--data', service.folder]);
        assert.equal(status, 0, stderr);
        assert.match(stdout, new RegExp(`^\\d+ ${things} in `));
        const path = things === 'events' ? '/events' : `/${things}?sort=id`;
        const { text } = await service.get(path, { token, headers: { accept } });
        assert.equal(readFileSync(file, 'utf8'), text);
        assert.equal(statSync(file).mode & 0o777, 0o600);
      }
      assert.deepEqual(
        readdirSync(service.folder).filter((name) => name.endsWith('.partial')),
        [],
      );
    });

  test('rejects a file with an unknown extension', async (t) => {
    const service = await serviceFor(t);
    const file = join(service.folder, 'orders.xlsx');
    const { status, stderr } = await orderly(['export', 'orders', file, '--data', service.folder]);
    assert.equal(status, 64);
    assert.match(stderr, /FILE must end in \.csv or \.ndjson/);
    assert.ok(!existsSync(file));
  });

  test('replaces a file only with --force', async (t) => {
    const service = await serviceFor(t);
    const file = join(service.folder, 'orders.csv');
    writeFileSync(file, 'kept');
    const line = ['export', 'orders', file, '--data', service.folder];
    const rejected = await orderly(line);
    assert.deepEqual(
      [rejected.status, rejected.stderr, readFileSync(file, 'utf8')],
      [1, `orderly: ${file} exists; --force replaces it.\n`, 'kept'],
    );
    const { status, stderr } = await orderly([...line, '--force']);
    assert.equal(status, 0, stderr);
    assert.match(readFileSync(file, 'utf8'), /^id,/);
  });

  test('doesn’t begin where a folder is in the way', async (t) => {
    const service = await serviceFor(t);
    const file = join(service.folder, 'orders.csv');
    mkdirSync(file);
    const { status, stderr } = await orderly([
      ...['export', 'orders', file, '--force', '--data'],
      service.folder,
    ]);
    assert.deepEqual([status, stderr], [1, `orderly: ${file} is a folder, not a file.\n`]);
  });

  test('doesn’t create a missing database', async (t) => {
    const service = await serviceFor(t);
    const folder = join(service.folder, 'elsewhere');
    const { status, stderr } = await orderly(['export', 'orders', 'x.csv', '--data', folder]);
    assert.equal(status, 1);
    assert.match(stderr, /There is no orderly database/);
    assert.ok(!existsSync(folder));
  });
});
