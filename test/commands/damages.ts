// Damage to single rows, as a broken disk or another program could cause.

const badAddress =
  '{"name":null,"line1":"x","line2":null,"city":"x","region":null,"postalCode":"1","country":"DE"}';

/** Each is caused with constraints off; `orderly check` must report it with a line that begins as the arrow says. */
const table = `
UPDATE orders SET total = total + 1 WHERE id = 1
→ order 1 at /total: total must be
UPDATE orders SET items = '[' WHERE id = 2
→ order 2 can't be read:
UPDATE orders SET items = '[]', total = 0 WHERE id = 3
→ order 3 at /items: items must have at least 1
UPDATE orders SET items = json_set(items, '$[0].total', 1) WHERE id = 4
→ order 4 at /items/0/total: total must be
UPDATE orders SET status = 'lost' WHERE id = 5
→ order 5 at /status: status must be one of open, paid
UPDATE orders SET updatedAt = createdAt - 1 WHERE id = 6
→ order 6 at /updatedAt: updatedAt is before createdAt
UPDATE orders SET currency = 'EUX' WHERE id = 7
→ order 7 at /currency: EUX is not an ISO 4217 currency code
UPDATE orders SET createdAt = 9e15 WHERE id = 8
→ order 8 can't be read:
UPDATE orders SET shippingAddress = '${badAddress}' WHERE id = 9
→ order 9 at /shippingAddress/postalCode: A postal code of DE looks like
UPDATE orders SET userId = 9999 WHERE id = 10
→ order 10 at /userId: There is no user 9999.
UPDATE orders SET customerId = 9999 WHERE id = 11
→ Row 11 of orders refers to a missing row of customers.
INSERT INTO webhooks (url, types, status, position, sealedUnder, sealed, createdAt)
  VALUES ('https://example.com/', 'order.paid', 'paused', 0, '', x'01', 0)
→ webhook 1 has no events.
INSERT INTO shop (id, updatedAt) VALUES (1, 0)
→ shop 1 has no events.
UPDATE shop SET country = 'XX'
→ shop 1 at /country: XX is not an ISO
UPDATE webhooks SET sealed = zeroblob(0) WHERE id = 1
→ webhook 1 at /sealed: there is no secret.
UPDATE customers SET nameKey = 'x' WHERE id = 1
→ customer 1 at /nameKey:
UPDATE customers SET emailKey = 'x' WHERE id = 2
→ customer 2 at /emailKey:
UPDATE customers SET phone = '123' WHERE id = 3
→ customer 3 at /phone:
UPDATE customers SET address = '${badAddress}' WHERE id = 6
→ customer 6 at /address/postalCode: A postal code of DE looks like
UPDATE customers SET name = 'Other', nameKey = 'other' || char(1) || 'Other' WHERE id = 4
→ customer 4 is not found by its name.
INSERT INTO customerSearch (customerSearch, rowid, text) SELECT 'delete', id, '  ' ||
  replace(upper(name), ' ', '  ') FROM customers WHERE id = 29
→ customer 29 is not found by its name.
INSERT INTO customerSearch (rowid, text) VALUES (9999, 'X')
→ customer 9999 is found, but does not exist.
UPDATE users SET emailKey = 'X' WHERE id = 2
→ user 2 at /emailKey:
UPDATE users SET passwordHash = 'plain' WHERE id = 3
→ user 3 at /passwordHash:
UPDATE users SET role = 'staff' WHERE id = 1
→ There are users, but no administrator
INSERT INTO apiKeys (id, userId, name, scopes, hash, prefix, createdAt)
  VALUES (1, 2, 'x', 'orders:eat', zeroblob(32), 'ord_1_', 0)
→ API key 1 at /scopes/0:
INSERT INTO apiKeys (id, userId, name, scopes, hash, prefix, createdAt)
  VALUES (2, 2, 'x', 'orders:read', zeroblob(32), 'ord_3_', 0)
→ API key 2 at /prefix:
INSERT INTO sessions (id, userId, refreshSeed, createdAt, lastUsedAt, expiresAt)
  VALUES (1, 2, zeroblob(32), 5, 4, 9)
→ session 1 at /expiresAt:
INSERT INTO suspensions (userId, createdAt, reason) VALUES (4, 0, '${'x'.repeat(201)}')
→ suspension 4 at /reason: reason must have at most 200 characters
INSERT INTO suspensions (userId, createdAt) VALUES (2, 0)
→ suspension 2 at /userId: the user still has
INSERT INTO suspensions (userId, createdAt) VALUES (9998, 0)
→ Row 9998 of suspensions refers to a missing row of users.
INSERT INTO totpSecrets (userId, sealedUnder, sealed, lastStep, createdAt, confirmedAt)
  VALUES (5, '', zeroblob(28), 0, 0, 0)
→ one-time code set-up 5 at /sealed: there is no secret.
INSERT INTO totpSecrets (userId, sealedUnder, sealed, lastStep, createdAt)
  VALUES (6, '', zeroblob(48), 7, 0)
→ one-time code set-up 6 at /isOn: is false, but a code has confirmed it.
INSERT INTO recoveryCodes (userId, hash) VALUES (5, x'00')
→ one-time code set-up 5 at /recoveryCodes:
INSERT INTO totpSecrets (userId, sealedUnder, sealed, lastStep, createdAt)
  VALUES (9997, '', zeroblob(48), 0, 0)
→ Row 9997 of totpSecrets refers to a missing row of users.
INSERT INTO recoveryCodes (userId, hash) VALUES (9996, zeroblob(32))
→ A row of recoveryCodes refers to a missing row of totpSecrets.
INSERT INTO importedCustomers (key, customerId, fingerprint) VALUES ('shop-1', 9995, zeroblob(32))
→ A row of importedCustomers refers to a missing row of customers.
INSERT INTO importedOrders (key, orderId, fingerprint) VALUES ('shop-1', 9994, zeroblob(32))
→ A row of importedOrders refers to a missing row of orders.
`;

export const damages: readonly (readonly [sql: string, complaint: string])[] = Array.from(
  table.matchAll(/\n([^→]+)\n→ (.+)/g),
  ([, sql = '', complaint = '']) => [sql, complaint],
);
