// Key updates of TLS 1.3 (RFC 8446 section 4.6.3), which cost the service far more than its clients, are bounded.
import assert from 'node:assert/strict';
import { createCipheriv, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { serviceFor } from '../../support/service.ts';
import { openTls } from '../../support/transport-support.ts';

test('a connection over TLS ends after very many updates of its keys, and not after some', async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  for (const [updates, isEnded] of [
    [20, false],
    [200, true],
  ] as const) {
    const socket = connectTcp({ port: service.port, host: '127.0.0.1' }).on('error', () => {});
    t.after(() => socket.destroy());
    const ciphers = 'TLS_AES_256_GCM_SHA384';
    const tls = connect({ socket, rejectUnauthorized: false, ciphers }).on('error', () => {});
    let secret = Buffer.alloc(0);
    tls.on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ');
      if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex');
    });
    await once(tls, 'secureConnect');
    await roundTrip(service.port); // by now the end of the handshake has left the client
    socket.write(keyUpdates(secret, updates));
    // a few round trips alone, since any connection without a request ends after ten seconds
    for (let trips = 0; trips < (isEnded ? 20 : 1) && !socket.destroyed; trips += 1)
      await roundTrip(service.port); // by now the updates have been read
    assert.equal(socket.destroyed, isEnded);
  }
});

async function roundTrip(port: number): Promise<void> {
  (await openTls(port, { rejectUnauthorized: false })).destroy();
}

/** Each is the first record under its keys, so the nonce is the initialization vector. */
function keyUpdates(first: Buffer, updates: number): Buffer {
  const parts: Buffer[] = [];
  const [handshake, keyUpdate, updateRequested] = [22, 24, 1];
  const header = Buffer.from([23, 3, 3, 0, 22]);
  for (let secret = first; parts.length < 3 * updates; secret = derive(secret, 'traffic upd', 48)) {
    const cipher = createCipheriv('aes-256-gcm', derive(secret, 'key', 32), derive(secret, 'iv', 12));
    cipher.setAAD(header);
    const content = cipher.update(Buffer.from([keyUpdate, 0, 0, 1, updateRequested, handshake]));
    cipher.final();
    parts.push(header, content, cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}

/** HKDF-Expand-Label of RFC 8446 section 7.1, for at most 48 bytes. */
function derive(secret: Buffer, label: string, bytes: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.from([0, bytes, name.length, ...Buffer.from(name), 0, 1]);
  return createHmac('sha384', secret).update(info).digest().subarray(0, bytes);
}
