// JSON Schemas of the Fastify peer: what comes in is checked by them (Ajv), what goes out is written by them
// (fast-json-stringify).
// @ts-nocheck
const text = (maxLength) => ({ type: 'string', minLength: 1, maxLength });
const nullable = (schema) => ({ ...schema, type: [schema.type, 'null'] });
const strict = (properties, required) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const countOf = (minimum, maximum) => ({ type: 'integer', minimum, maximum });
const idMax = Number.MAX_SAFE_INTEGER;

const address = strict(
  {
    name: nullable(text(200)),
    line1: text(200),
    line2: nullable(text(200)),
    city: text(200),
    region: nullable(text(200)),
    postalCode: nullable({ ...text(20), pattern: '^[A-Z0-9][A-Z0-9 -]*$' }),
    country: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
  ['line1', 'city', 'country'],
);

const item = {
  sku: nullable(text(64)),
  name: text(200),
  quantity: countOf(1, 1_000_000),
  unitPrice: countOf(0, 1e12),
  total: countOf(0, idMax),
};

export const newOrder = strict(
  {
    status: { type: 'string', const: 'open' },
    customerId: countOf(1, idMax),
    userId: countOf(1, idMax),
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: strict(item, ['name', 'quantity', 'unitPrice']),
    },
    total: countOf(0, idMax),
    shippingAddress: nullable(address),
    note: nullable(text(2000)),
  },
  ['customerId', 'currency', 'items'],
);

export const listQuery = strict({
  status: { type: 'string', pattern: '^[a-z]+(,[a-z]+)*$' },
  customerId: { type: 'string', pattern: '^[1-9][0-9]{0,15}$' },
  sort: { type: 'string', enum: ['createdAt', '-createdAt', 'id', '-id'] },
  limit: { type: 'string', pattern: '^[1-9][0-9]{0,2}$' },
  cursor: text(400),
});

export const orderParams = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[1-9][0-9]{0,15}$' } },
};

export const order = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    status: { type: 'string' },
    customerId: { type: 'integer' },
    userId: { type: ['integer', 'null'] },
    currency: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          sku: { type: ['string', 'null'] },
          name: { type: 'string' },
          quantity: { type: 'integer' },
          unitPrice: { type: 'integer' },
          total: { type: 'integer' },
        },
      },
    },
    total: { type: 'integer' },
    shippingAddress: {
      type: ['object', 'null'],
      properties: {
        name: { type: ['string', 'null'] },
        line1: { type: 'string' },
        line2: { type: ['string', 'null'] },
        city: { type: 'string' },
        region: { type: ['string', 'null'] },
        postalCode: { type: ['string', 'null'] },
        country: { type: 'string' },
      },
    },
    note: { type: ['string', 'null'] },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
};

export const orderList = {
  type: 'object',
  properties: { data: { type: 'array', items: order }, next: { type: ['string', 'null'] } },
};
