// The least server that keeps what the contract says of the benchmark's requests, and does nothing else:
// node:http in its fastest style, the service's tables, a token that is looked up, a bucket, the header fields,
// a log line, and group commits. No strict JSON, no schema but two members, no rights, no metrics. Its distance
// to bare node:http is what the contract costs; the service's distance to it is what everything else costs.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { DatabaseSync } from 'node:sqlite';

const { PORT, DATABASE = '', JWT_SECRET = '', CACHE, TLS_CERT, TLS_KEY } = process.env;
const textsMax = CACHE === 'off' ? 0 : 16_000;
const db = new DatabaseSync(DATABASE, { returnArrays: true });
db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
const columns =
  `concat('{"id":', id, ',"status":"', status, '","customerId":', customerId, ',"userId":', ` +
  `ifnull(userId, 'null'), ',"currency":"', currency, '","items":', items, ',"total":', total, ` +
  `',"shippingAddress":', ifnull(shippingAddress, 'null'), ',"note":'), note, createdAt, updatedAt`;
const findOrder = db.prepare(`SELECT ${columns} FROM orders WHERE id = ?`);
const findOpen = db.prepare(
  'SELECT id FROM orders WHERE status = ? ORDER BY createdAt DESC, id DESC LIMIT 21',
);
const findCustomer = db.prepare('SELECT userId FROM customers WHERE id = ?');
const insertOrder = db.prepare(
  'INSERT INTO orders (status, customerId, userId, currency, items, total, shippingAddress, note, createdAt, ' +
    "updatedAt) VALUES ('open', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
);
const insertEvent = db.prepare(
  'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId, actorId, requestId, changes) ' +
    "VALUES (?, 'order.created', 'order', ?, ?, ?, ?, ?, ?)",
);

type Caller = { readonly userId: number; tokens: number };
type Stored = { readonly text: string; readonly etag: string };
type Exchange = {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly began: number;
};
/** An order as the benchmark places it, or refuses it for the lack of a currency. */
type NewOrder = {
  readonly customerId: number;
  readonly currency: string;
  readonly items: readonly { readonly quantity: number; readonly unitPrice: number }[];
  readonly shippingAddress: object;
  readonly note: string | null;
};

const callers = new Map<string, Caller>();
const stored = new Map<number, Stored>();
const pages = new Map<string, string>();
let requests = 0;
let lines = '';
let placements: (() => () => void)[] = [];

const listener: RequestListener = (request, response) => {
  const began = performance.now();
  if (request.url === '/health/live') return void response.end();
  const id = `least-${(requests += 1)}`;
  const caller = callerOf(request.headers.authorization ?? '');
  const exchange = { id, request, response, caller, began };
  caller.tokens -= 1;
  if (request.method === 'POST') return place(exchange);
  if (request.url?.startsWith('/orders?')) return send(exchange, 200, page(request.url));
  const { text, etag } = orderOf(Number(request.url?.slice('/orders/'.length)));
  const isSame = request.headers['if-none-match'] === etag;
  send(exchange, isSame ? 304 : 200, isSame ? '' : text, ['ETag', etag]);
};

const settings = { optimizeEmptyRequests: true };
const server =
  TLS_CERT === undefined || TLS_KEY === undefined
    ? createServer(settings, listener)
    : createTlsServer({ ...settings, cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, listener);
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0)); // with `exit`, so that the compile cache is saved

function callerOf(authorization: string): Caller {
  const known = callers.get(authorization);
  if (known) return known;
  const [header, payload, signature = ''] = authorization.slice('Bearer '.length).split('.');
  const due = createHmac('sha256', JWT_SECRET).update(`${header}.${payload}`).digest();
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), due)) throw new Error('a token of the benchmark');
  const caller = { userId: 1, tokens: 1e8 };
  callers.set(authorization, caller);
  return caller;
}

function orderOf(id: number): Stored {
  const known = stored.get(id);
  if (known) return known;
  // as selected
  const row = findOrder.get(id) as unknown as [string, string | null, number, number];
  const [beginning, note, createdAt, updatedAt] = row;
  const [created, updated] = [new Date(createdAt).toISOString(), new Date(updatedAt).toISOString()];
  const json = `${beginning}${JSON.stringify(note)},"createdAt":"${created}","updatedAt":"${updated}"}`;
  const order = { text: Buffer.from(json).toString('latin1'), etag: `"${id}-${updatedAt}"` };
  if (stored.size < textsMax) stored.set(id, order);
  return order;
}

function page(url: string): string {
  const known = pages.get(url);
  if (known !== undefined) return known;
  const ids = findOpen.all('open') as unknown as [number][]; // as selected
  const texts = ids.slice(0, 20).map(([id]) => orderOf(id).text);
  const text = `{"data":[${texts.join(',')}],"next":"${url}&cursor=${ids[19]?.[0]}"}`;
  if (textsMax > 0) pages.set(url, text);
  return text;
}

function place(exchange: Exchange): void {
  const chunks: Buffer[] = [];
  exchange.request.on('data', (chunk: Buffer) => chunks.push(chunk));
  exchange.request.on('end', () => {
    const order: Partial<NewOrder> = JSON.parse(Buffer.concat(chunks).toString());
    if (order.currency === undefined) return refuse(exchange);
    if (placements.length === 0) setImmediate(commit);
    placements.push(() => write(exchange, order as NewOrder)); // the benchmark sends all of it otherwise
  });
}

function refuse(exchange: Exchange): void {
  const errors = [{ pointer: '#/currency', code: 'required', detail: 'currency is required.' }];
  const problem = {
    type: 'about:blank',
    title: 'Validation failed',
    status: 422,
    instance: '/orders',
    errors,
  };
  send(exchange, 422, JSON.stringify(problem));
}

/** Returns how to respond once the order is on disk. */
function write(exchange: Exchange, wanted: NewOrder): () => void {
  const { customerId, currency, shippingAddress, note } = wanted;
  const { userId } = exchange.caller;
  const now = Date.now();
  if (findCustomer.get(customerId) === undefined) return () => refuse(exchange);
  const items = wanted.items.map((item) => ({ ...item, total: item.quantity * item.unitPrice }));
  const total = items.reduce((sum, item) => sum + item.total, 0);
  const content = [customerId, userId, currency, JSON.stringify(items), total] as const;
  const address = JSON.stringify(shippingAddress);
  const id = Number(insertOrder.run(...content, address, note, now, now).lastInsertRowid);
  const changes = { status: [null, 'open'], currency: [null, currency], total: [null, total] };
  insertEvent.run(now, id, id, userId, userId, exchange.id, JSON.stringify(changes));
  const times = { createdAt: new Date(now).toISOString(), updatedAt: new Date(now).toISOString() };
  const order = { id, status: 'open', userId, ...wanted, items, total, ...times };
  const text = Buffer.from(JSON.stringify(order)).toString('latin1');
  return () => send(exchange, 201, text, ['Location', `/orders/${id}`, 'ETag', `"${id}-${now}"`]);
}

function commit(): void {
  const group = placements;
  placements = [];
  db.exec('BEGIN IMMEDIATE');
  const responses = group.map((placement) => placement());
  db.exec('COMMIT');
  pages.clear();
  for (const respond of responses) respond();
}

function send(exchange: Exchange, status: number, text: string, fields: readonly string[] = []): void {
  const { id, request, response, caller, began } = exchange;
  const head: string[] = [
    'X-Request-Id',
    id,
    'RateLimit-Policy',
    '"default";q=100000000;w=60',
    'RateLimit',
    `"default";r=${caller.tokens};t=1`,
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'Accept, Authorization, X-API-Key',
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options',
    'nosniff',
    ...fields,
  ];
  if (status !== 304) head.push('Content-Type', 'application/json', 'Content-Length', `${text.length}`);
  response.writeHead(status, head).end(text, 'latin1');
  if (lines === '') setImmediate(flush);
  const durationMs = Math.round((performance.now() - began) * 1000) / 1000;
  lines +=
    `{"time":"${new Date().toISOString()}","level":"info","requestId":"${id}","method":"${request.method}",` +
    `"path":"${request.url}","status":${status},"durationMs":${durationMs},"principal":"user:1"}\n`;
}

function flush(): void {
  process.stdout.write(lines);
  lines = '';
}
