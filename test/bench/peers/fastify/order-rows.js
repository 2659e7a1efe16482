// The SQL of the Fastify peer: prepared statements over better-sqlite3, WAL with a sync at each commit.
// @ts-nocheck
import Database from 'better-sqlite3';

const columns =
  'id, status, customer_id, user_id, currency, items, total, shipping_address, note, created_at, ' +
  'updated_at, version';
const orderBy = {
  createdAt: ['created_at', '>', 'ORDER BY created_at, id'],
  '-createdAt': ['created_at', '<', 'ORDER BY created_at DESC, id DESC'],
  id: ['id', '>', 'ORDER BY id'],
  '-id': ['id', '<', 'ORDER BY id DESC'],
};

export function openOrders(file) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  const findSession = db.prepare(
    'SELECT users.id, users.role FROM sessions JOIN users ON users.id = sessions.user_id WHERE ' +
      'sessions.id = ?',
  );
  const find = db.prepare(`SELECT ${columns} FROM orders WHERE id = ?`);
  const findCustomer = db.prepare('SELECT user_id FROM customers WHERE id = ?');
  const insert = db.prepare(`INSERT INTO orders (
      status, customer_id, user_id, currency, items, total, shipping_address, note, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`);
  const listStatements = new Map();
  const prepareList = (sql) => listStatements.get(sql) ?? listStatements.set(sql, db.prepare(sql)).get(sql);

  return {
    findSession: (id) => findSession.get(id),
    find: (id) => find.get(id),
    findCustomer: (id) => findCustomer.get(id),
    place: db.transaction((order) =>
      insert.get(
        'open',
        order.customerId,
        order.userId,
        order.currency,
        JSON.stringify(order.items),
        order.total,
        order.shippingAddress ? JSON.stringify(order.shippingAddress) : null,
        order.note ?? null,
        order.createdAt,
        order.createdAt,
      ),
    ),
    list: (filters, sort, after, limit) => {
      const [sql, values] = listSql(filters, sort, after);
      return prepareList(sql).all(...values, limit);
    },
    close: () => db.close(),
  };
}

function listSql({ status, customerId, userId }, sort, after) {
  const [column, comparison, order] = orderBy[sort];
  const conditions = [];
  const values = [];
  const filter = (sql, ...bound) => {
    conditions.push(sql);
    values.push(...bound);
  };
  if (status) filter(`status IN (${status.map(() => '?')})`, ...status);
  if (customerId) filter('customer_id = ?', customerId);
  if (userId) filter('user_id = ?', userId);
  if (after) filter(`(${column}, id) ${comparison} (?, ?)`, ...after);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return [`SELECT ${columns} FROM orders ${where} ${order} LIMIT ?`, values];
}

export function orderOf(row) {
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
