// What is measured under load: each workload's requests and how its servers are set up.
import { ask, headerOf, type TestResponse, type Ask } from './ask.ts';

export type FixedAnswer = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
};
export type FixedAnswers = {
  readonly read: FixedAnswer;
  readonly list: FixedAnswer;
  readonly place: FixedAnswer;
};

/** What a workload knows of its server: credentials and data. */
export type Target = {
  readonly ask: (request: Ask) => Promise<TestResponse>;
  readonly authorization: string;
  readonly orderCount: number;
};

export type Workload = {
  readonly name: string;
  readonly title: string;
  readonly requests: (target: Target) => readonly Ask[] | Promise<readonly Ask[]>;
  readonly status: number;
  /** Writing workloads run on a copy of the data, so that the next one finds it as it was. */
  readonly writes: boolean;
  readonly spreads: boolean;
  readonly serviceFlags: readonly string[];
};

const usual = { status: 200, writes: false, spreads: false, serviceFlags: [] } as const;
const hotCount = 1000;
/** How many of the ids are read, at most. */
const anyCount = 20_000;
const withoutCache = ['--cache-bytes', '0'];

export const workloads: readonly Workload[] = [
  { ...usual, name: 'read', title: 'read one of all orders', requests: anyRead, spreads: true },
  {
    ...usual,
    name: 'cold',
    title: 'the same, no cache',
    requests: anyRead,
    spreads: true,
    serviceFlags: withoutCache,
  },
  { ...usual, name: 'hot', title: `read one of ${hotCount} orders`, requests: hotReads },
  {
    ...usual,
    name: 'not-modified',
    title: 'the same, If-None-Match',
    requests: conditionalReads,
    status: 304,
  },
  { ...usual, name: 'list', title: 'list 20 open, newest first', requests: (target) => [openOrders(target)] },
  {
    ...usual,
    name: 'cold-list',
    title: 'the same, no cache',
    requests: (target) => [openOrders(target)],
    serviceFlags: withoutCache,
  },
  {
    ...usual,
    name: 'place',
    title: 'place an order, durable',
    requests: placements,
    status: 201,
    writes: true,
  },
  { ...usual, name: 'mixed', title: 'mixed 80/15/5', requests: mixture, writes: true },
  { ...usual, name: 'refused', title: 'rejected order', requests: rejections, status: 422 },
];

export function targetAt(origin: string, orderCount: number, authorization: string): Target {
  return { ask: (request) => ask(origin, request), authorization, orderCount };
}

export function read({ authorization }: Target, id: number): Ask {
  return { path: `/orders/${id}`, headers: { Authorization: authorization } };
}

/** Its reads are spread over all orders. */
function anyRead(target: Target): Ask[] {
  return [read(target, 1)];
}

export function hotReads(target: Target): Ask[] {
  return idsOf(target, hotCount).map((id) => read(target, id));
}

/** Its reads are spread over all orders. */
export function mixture(target: Target): Ask[] {
  const places = placements(target);
  return idsOf(target, anyCount).map((id, index) => {
    const turn = (index * 7) % 20; // 7 and 20 share no factor: 16 reads, 3 lists and 1 order, well mixed
    if (turn < 16) return read(target, id);
    return turn < 19 ? openOrders(target) : (places[index % places.length] ?? read(target, id));
  });
}

/** Unordered and spread over the data, so that they aren't neighbours in the file. */
function idsOf({ orderCount }: Target, count: number): number[] {
  const distinct = Math.min(count, orderCount);
  const stride = 7919; // a prime
  return Array.from({ length: count }, (_, index) => {
    const rank = (index * stride) % distinct;
    return Math.floor((rank * orderCount) / distinct) + 1;
  });
}

async function conditionalReads(target: Target): Promise<Ask[]> {
  const requests: Ask[] = [];
  for (const request of hotReads(target)) {
    const etag = headerOf(await target.ask(request), 'etag') ?? '';
    requests.push({ ...request, headers: { ...request.headers, 'If-None-Match': etag } });
  }
  return requests;
}

function openOrders({ authorization }: Target): Ask {
  return { path: '/orders?status=open&limit=20&sort=-createdAt', headers: { Authorization: authorization } };
}

function placements(target: Target): Ask[] {
  return Array.from({ length: 500 }, (_, index) => post(target, newOrder(index)));
}

/** Two issues each: no currency, and a quantity below 1. */
function rejections(target: Target): Ask[] {
  return Array.from({ length: 500 }, (_, index) => {
    const {
      currency: _left,
      items: [first, ...others],
      ...order
    } = newOrder(index);
    return post(target, { ...order, items: [{ ...first, quantity: 0 }, ...others] });
  });
}

function post({ authorization }: Target, order: object): Ask {
  return {
    method: 'POST',
    path: '/orders',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  };
}

function newOrder(index: number) {
  return {
    customerId: 1,
    currency: 'EUR',
    items: Array.from({ length: 1 + (index % 3) }, (_, item) => ({
      sku: `SKU-${1000 + index * 3 + item}`,
      name: `Stoneware mug, glaze ${index}`,
      quantity: 1 + item,
      unitPrice: 1250 + index,
    })),
    shippingAddress: {
      name: `Customer ${index}`,
      line1: `Hauptstraße ${1 + index}`,
      line2: null,
      city: 'Berlin',
      region: null,
      postalCode: String(10115 + (index % 80)),
      country: 'DE',
    },
    note: index % 4 === 0 ? 'Please ring twice.' : null,
  };
}
