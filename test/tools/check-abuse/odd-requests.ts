// Security 27 and outside 4, 5, 6 and 9: requests that aren't quite HTTP, and values that aren't quite
// numbers.
import { startAbused, type AbusedService } from './abused-service.ts';
import { ask, statusOf } from './attack-client.ts';
import type { Row, Target } from './attack.ts';

const headerLines = 8_000;
const oddHosts = ['a b/@', 'a,b', '[::1', 'localhost:99999', 'user@localhost', 'a/b'];
const oddNumbers = [
  ['quantity', '0.9999999999999999999999'],
  ['quantity', '1000000.00000000001'],
  ['quantity', '1e0'],
  ['unitPrice', '-1e-400'],
  ['unitPrice', '9007199254740993'],
] as const;

export async function oddRequests(target: Target): Promise<Row[]> {
  const service = await startAbused(target);
  const rows = [
    await hosts(service),
    await targets(service),
    await manyLines(service),
    await roundedNumbers(target, service),
    await emptyAccept(service),
  ];
  await service.stop();
  return rows;
}

async function hosts({ port }: AbusedService): Promise<Row> {
  const results: string[] = [];
  for (const host of oddHosts)
    results.push(`"${host}" ${await statusOf(port, `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)}`);
  return { attack: '27 odd Hosts', done: 'GET /health/live', achieved: results.join(', ') };
}

async function targets({ port }: AbusedService): Promise<Row> {
  const connected = await statusOf(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
  const star = await statusOf(port, 'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const options = await statusOf(port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return {
    attack: '27, outside 4 CONNECT and *',
    done: 'CONNECT, GET *, OPTIONS *',
    achieved: `statuses ${connected}, ${star}, ${options} (0: no response)`,
  };
}

async function manyLines({ port }: AbusedService): Promise<Row> {
  const lines = 'a:b\r\n'.repeat(headerLines);
  const status = await statusOf(port, `GET /health/live HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`);
  return {
    attack: 'outside 5 many short headers',
    done: `${headerLines} lines a:b, ${lines.length} bytes`,
    achieved: `status ${status}`,
  };
}

async function roundedNumbers({ people }: Target, { port }: AbusedService): Promise<Row> {
  const { token, customerId } = people.admin;
  const results: string[] = [];
  for (const [member, text] of oddNumbers) {
    const item = { quantity: '1', unitPrice: '100', [member]: text };
    const items = `[{"name":"N","quantity":${item.quantity},"unitPrice":${item.unitPrice}}]`;
    const body = `{"customerId":${customerId},"currency":"EUR","items":${items}}`;
    const { status, body: made } = await ask(port, 'POST', '/orders', { token, body });
    const stored = member === 'quantity' ? made.items?.[0]?.quantity : undefined;
    results.push(`${text} ${status}${stored === undefined ? '' : ` as ${stored}`}`);
  }
  return { attack: 'outside 6 rounded numbers', done: 'POST /orders', achieved: results.join(', ') };
}

async function emptyAccept({ port }: AbusedService): Promise<Row> {
  const status = await statusOf(port, 'GET /problems HTTP/1.1\r\nHost: localhost\r\nAccept:\r\n\r\n');
  return { attack: 'outside 9 empty Accept', done: 'GET /problems', achieved: `status ${status}` };
}
