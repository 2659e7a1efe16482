// `npm run check:small-disk`: how many orders fit onto small disks, and that a full one loses nothing: each order that
// was answered is there, reads go on, the database is sound, and the next start serves. Needs root, for the loop
// devices. Exits with status 1 if something failed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { statfsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeLoopDisk } from '../support/loop-disk.ts';
import { runCommand, startChild } from '../torture/child-service.ts';

const { values: options } = parseArgs({
  options: {
    /** Sizes of disks. */
    megabytes: { type: 'string', default: '8,16,40,64' },
  },
});
const mebibyte = 1024 ** 2;
const atOnce = 16;
const email = 'admin@example.com';
const items = [
  { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
  { name: 'Teapot', quantity: 1, unitPrice: 3900 },
];

type Ask = (method: string, path: string, body?: object) => Promise<Response>;

async function checkDisk(megabytes: number): Promise<void> {
  const disk = makeLoopDisk(megabytes * mebibyte);
  const { bsize, bavail } = statfsSync(disk.folder);
  const folder = join(disk.folder, 'data');
  let service: Awaited<ReturnType<typeof startChild>> | undefined;
  try {
    await command(folder, ['admin', 'create', '--email', email]);
    const scopes = 'orders:read,orders:write,customers:write';
    const made = await command(folder, [
      'keys',
      'create',
      '--email',
      email,
      '--name',
      'x',
      '--scopes',
      scopes,
    ]);
    const [key = ''] = /ord_\S+/.exec(made) ?? [];
    service = await startChild({ folder });
    const ask = askerOf(service.port, key);
    const { id: customerId } = (await (await ask('POST', '/customers', { name: 'Grace Hopper' })).json()) as {
      id: number; // of this route
    };
    const placed = await fill(ask, customerId);
    assert.equal((await ask('GET', `/orders/${placed}`)).status, 200, 'reads go on');
    await service.kill('SIGTERM');
    assert.match(await command(folder, ['check']), /ok|sound|correct/i);
    service = await startChild({ folder });
    const total = await (await askerOf(service.port, key)('GET', '/orders?total=true&limit=1')).json();
    assert.equal((total as { total: number }).total, placed, 'every order that was answered, and no other');
    const room = ((bsize * bavail) / 1e6).toFixed(0);
    console.log(
      `${megabytes} MB, of which ext4 leaves ${room}: ${placed} orders, then 503; reads go on, all sound`,
    );
  } finally {
    await service?.kill('SIGTERM');
    disk.remove();
  }
}

/** Places orders until one is rejected for lack of space, and returns how many were placed. */
async function fill(ask: Ask, customerId: number): Promise<number> {
  let placed = 0;
  let isFull = false;
  const place = async (): Promise<void> => {
    while (!isFull) {
      const { status } = await ask('POST', '/orders', { customerId, currency: 'EUR', items });
      if (status === 201) placed += 1;
      else {
        assert.equal(status, 503);
        isFull = true;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return placed;
}

function askerOf(port: number, key: string): Ask {
  return (method, path, body) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

async function command(folder: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(folder, args);
  assert.equal(code, 0, output);
  return output;
}

for (const megabytes of options.megabytes.split(',').map(Number)) await checkDisk(megabytes);
