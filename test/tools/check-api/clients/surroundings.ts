// The parameters of a walk-through, and its requests: those of the README, step by step.
import assert from 'node:assert/strict';

export type Surroundings = {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly admin: { readonly email: string; readonly password: string };
};

const address = {
  line1: 'Ammerländer Heerstraße 114',
  city: 'Oldenburg',
  postalCode: '26129',
  country: 'DE',
};
const items = [
  { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
  { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  { name: 'Cup', quantity: 4, unitPrice: 650 },
];
const password = 'correct horse battery staple';

export const sent = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.com', password },
  till: { name: 'Till', email: 'till@example.com', password, role: 'staff' as const },
  customer: { name: 'Grace Hopper', email: 'grace@example.com', address },
  order: { currency: 'EUR', items, shippingAddress: address },
  total: 2 * 749 + 3900 + 4 * 650,
  sugar: { currency: 'EUR', items: [{ name: 'Sugar', quantity: 1, unitPrice: 129 }] },
  wrong: {
    customerId: 1,
    currency: 'EURO',
    items: [{ name: '', quantity: 0, unitPrice: 1 }],
    shippingAddress: { ...address, postalCode: '123' },
  },
  violations: ['#/currency', '#/items/0/name', '#/items/0/quantity', '#/shippingAddress/postalCode'],
};

/** The body of a call's response; throws its problem. */
export function need<T>({ data, error }: { readonly data?: T | undefined; readonly error?: unknown }): T {
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

/** The `cursor` of a `next`. */
export function cursorOf(next: string | null): string {
  assert.ok(next !== null);
  return new URL(next, 'https://localhost').searchParams.get('cursor') ?? '';
}
