// The Bun peer: the orders of this service over `Bun.serve` and `bun:sqlite`, in the tables of the Fastify
// peer. It does less than the service where that saves work: no log line, a validation that stops at the
// first issue and checks little text, no MAC on cursors, no ETag on lists, no rate limit but a counter.
// @ts-nocheck
import { Database } from 'bun:sqlite';
import { timingSafeEqual } from 'node:crypto';

const { PORT, DATABASE, JWT_SECRET, ISSUER, TLS_CERT, TLS_KEY } = process.env;
const db = new Database(DATABASE, { strict: true });
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');
db.run('PRAGMA foreign_keys = ON');
const sql = {
  session: db.query(
    'SELECT users.id, users.role FROM sessions JOIN users ON users.id = sessions.user_id ' +
      'WHERE sessions.id = ?',
  ),
  order: db.query('SELECT * FROM orders WHERE id = ?'),
  customer: db.query('SELECT user_id FROM customers WHERE id = ?'),
  newestOf: db.query(
    'SELECT * FROM orders WHERE status = ? AND (user_id = ? OR ?) ORDER BY created_at DESC, id DESC LIMIT ?',
  ),
  insert: db.query(
    'INSERT INTO orders (status, customer_id, user_id, currency, items, total, shipping_address, note, ' +
      "created_at, updated_at) VALUES ('open', ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
  ),
};

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  tls: TLS_CERT && { cert: Bun.file(TLS_CERT), key: Bun.file(TLS_KEY) },
  routes: {
    '/health/live': () => Response.json({ status: 'live' }),
    '/orders/:id': { GET: signedIn(readOrder) },
    '/orders': { GET: signedIn(listOrders), POST: signedIn(placeOrder) },
  },
  fetch: () => problem(404, 'not-found', 'There is nothing here.'),
});

const used = new Map();

function signedIn(handle) {
  return (request) => {
    const claims = verifiedClaims(request.headers.get('authorization') ?? '');
    const session = claims && sql.session.get(claims.sid);
    if (!session) return problem(401, 'invalid-token', 'The access token is invalid.');
    used.set(session.id, (used.get(session.id) ?? 0) + 1);
    return handle(request, session);
  };
}

const keyed = new Bun.CryptoHasher('sha256', JWT_SECRET);

function verifiedClaims(authorization) {
  const [header, payload, signature] = authorization.slice('Bearer '.length).split('.');
  if (!payload || !signature) return undefined;
  const due = keyed.copy().update(`${header}.${payload}`).digest();
  const sent = Buffer.from(signature, 'base64url');
  if (sent.length !== due.length || !timingSafeEqual(sent, due)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const isCurrent = claims.exp > Date.now() / 1000;
  return isCurrent && claims.iss === ISSUER && claims.aud === ISSUER ? claims : undefined;
}

function readOrder(request, caller) {
  const { id } = request.params;
  const row = /^[1-9]\d{0,14}$/.test(id) ? sql.order.get(Number(id)) : null;
  if (!row) return problem(404, 'not-found', `There is no order ${id}.`);
  if (!permits(caller, row.user_id)) return problem(403, 'forbidden', 'This order is not yours.');
  const headers = { ETag: etagOf(row), 'Cache-Control': 'private, no-cache', Vary: 'Accept, Authorization' };
  if (request.headers.get('if-none-match') === headers.ETag)
    return new Response(null, { status: 304, headers });
  return json(orderOf(row), { headers });
}

function listOrders(request, caller) {
  const query = new URL(request.url).searchParams;
  const [status, limit] = [query.get('status'), Number(query.get('limit') ?? 50)];
  if (!statuses.has(status) || query.get('sort') !== '-createdAt' || !isCount(limit, 1, 200))
    return problem(422, 'validation-failed', 'The query is not valid.');
  const rows = sql.newestOf.all(status, caller.id, isStaff(caller) ? 1 : 0, limit + 1);
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? nextPage(query, page.at(-1)) : null;
  return json({ data: page.map(orderOf), next }, { headers: { 'Cache-Control': 'private, no-cache' } });
}

function nextPage(query, last) {
  query.set('cursor', Buffer.from(JSON.stringify([last.created_at, last.id])).toString('base64url'));
  return `/orders?${query}`;
}

async function placeOrder(request, caller) {
  const order = await request.json().catch(() => undefined);
  const issue = issueOf(order);
  if (issue) return problem(422, 'validation-failed', 'The request is not valid.', [issue]);
  const customer = sql.customer.get(order.customerId);
  if (!customer || !permits(caller, customer.user_id))
    return problem(422, 'validation-failed', 'There is no such customer.');
  const items = order.items.map(({ sku = null, name, quantity, unitPrice }) => ({
    sku,
    name,
    quantity,
    unitPrice,
    total: quantity * unitPrice,
  }));
  const now = new Date().toISOString();
  const row = sql.insert.get(
    order.customerId,
    order.userId ?? caller.id,
    order.currency,
    JSON.stringify(items),
    items.reduce((sum, { total }) => sum + total, 0),
    order.shippingAddress ? JSON.stringify(order.shippingAddress) : null,
    order.note ?? null,
    now,
    now,
  );
  const headers = { Location: `/orders/${row.id}`, ETag: etagOf(row), 'Cache-Control': 'private, no-cache' };
  return json(orderOf(row), { status: 201, headers });
}

const orderMembers = [
  'customerId',
  'userId',
  'currency',
  'items',
  'shippingAddress',
  'note',
  'status',
  'total',
];
const itemMembers = ['sku', 'name', 'quantity', 'unitPrice', 'total'];

/** The first issue of an order; undefined for none. */
function issueOf(order) {
  if (typeof order !== 'object' || order === null) return at('', 'must be an object');
  for (const name in order) if (!orderMembers.includes(name)) return at(name, 'is unknown');
  if (!isCount(order.customerId, 1, Number.MAX_SAFE_INTEGER)) return at('customerId', 'must be an id');
  if (!/^[A-Z]{3}$/.test(order.currency ?? '')) return at('currency', 'must be a currency');
  if (!Array.isArray(order.items) || !isCount(order.items.length, 1, 100))
    return at('items', 'must have 1 to 100 items');
  for (const [index, item] of order.items.entries()) {
    for (const name in item)
      if (!itemMembers.includes(name)) return at(`items/${index}/${name}`, 'is unknown');
    if (!isText(item.name, 200)) return at(`items/${index}/name`, 'must be text');
    if (!isCount(item.quantity, 1, 1_000_000)) return at(`items/${index}/quantity`, 'must be at least 1');
    if (!isCount(item.unitPrice, 0, 1e12)) return at(`items/${index}/unitPrice`, 'must be at least 0');
  }
  const { shippingAddress: address } = order;
  if (address && !(isText(address.line1, 200) && isText(address.city, 200) && isText(address.country, 2)))
    return at('shippingAddress', 'must have line1, city and country');
  return undefined;
}

function at(pointer, detail) {
  return { pointer: `#/${pointer}`, detail };
}

function isCount(value, least, most) {
  return Number.isInteger(value) && value >= least && value <= most;
}

function isText(value, charsMax) {
  return typeof value === 'string' && value !== '' && value.length <= charsMax;
}

function orderOf(row) {
  return {
    id: row.id,
    status: row.status,
    customerId: row.customer_id,
    userId: row.user_id,
    currency: row.currency,
    items: JSON.parse(row.items),
    total: row.total,
    shippingAddress: row.shipping_address === null ? null : JSON.parse(row.shipping_address),
    note: row.note,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const statuses = new Set(['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded']);
const etagOf = (row) => `"${row.id}-${row.version}"`;
const isStaff = (user) => user.role === 'admin' || user.role === 'staff';
const permits = (user, ownerId) => isStaff(user) || ownerId === user.id;

function json(value, { status = 200, headers = {} } = {}) {
  const body = JSON.stringify(value);
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

function problem(status, code, detail, errors) {
  const body = JSON.stringify({ type: `${ISSUER}/problems/${code}`, title: code, status, detail, errors });
  return new Response(body, { status, headers: { 'Content-Type': 'application/problem+json' } });
}
