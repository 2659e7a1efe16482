// What is measured under load: each workload's requests, its aims and how its servers are set up.
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
export type Peer = 'bare' | 'fastify';

/** A server as a workload sees it: who asks, and what data is there. */
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
  readonly peers: readonly Peer[];
  /** The least ratio of requests/s to each peer that issue 5 asks for. */
  readonly aims: Readonly<Partial<Record<Peer, number>>>;
  /** Writing workloads run on a copy of the data, so that the next one finds it as it was. */
  readonly writes: boolean;
  readonly spreads: boolean;
  readonly isTls: boolean;
  readonly slowSyncMs: number;
  readonly serviceFlags: readonly string[];
};

const usual = {
  status: 200,
  peers: ['bare', 'fastify'],
  writes: false,
  spreads: false,
  isTls: false,
  slowSyncMs: 0,
  serviceFlags: [],
} as const;
const hotCount = 1000;

export const workloads: readonly Workload[] = [
  { ...usual, name: 'read', title: 'read one order', requests: hotReads, aims: { bare: 0.85, fastify: 8 } },
  {
    ...usual,
    name: 'not-modified',
    title: 'the same, If-None-Match',
    requests: conditionalReads,
    status: 304,
    aims: { bare: 0.95 },
  },
  {
    ...usual,
    name: 'list',
    title: 'list 20 open, newest first',
    requests: (target) => [openOrders(target)],
    aims: { bare: 0.3, fastify: 4 },
  },
  {
    ...usual,
    name: 'place',
    title: 'place an order, durable',
    requests: placements,
    status: 201,
    writes: true,
    aims: { fastify: 5 },
  },
  { ...usual, name: 'mixed', title: 'mixed 80/15/5', requests: mixture, writes: true, aims: {} },
  { ...usual, name: 'refused', title: 'refused order', requests: refusals, status: 422, aims: { bare: 0.5 } },
  {
    ...usual,
    name: 'cold',
    title: 'read any order, nothing kept',
    requests: (target) => [read(target, 1)],
    spreads: true,
    serviceFlags: ['--cache-bytes', '0'],
    aims: {},
  },
  {
    ...usual,
    name: 'tls',
    title: 'read one order, TLS 1.3',
    requests: hotReads,
    isTls: true,
    peers: ['bare'],
    aims: { bare: 0.75 },
  },
  {
    ...usual,
    name: 'slow-sync',
    title: 'place an order, syncs +2 ms',
    requests: placements,
    status: 201,
    writes: true,
    slowSyncMs: 2,
    peers: ['fastify'],
    aims: { fastify: 15 },
  },
];

export function targetAt(origin: string, orderCount: number, authorization: string): Target {
  return { ask: (request) => ask(origin, request), authorization, orderCount };
}

export function read({ authorization }: Target, id: number): Ask {
  return { path: `/orders/${id}`, headers: { Authorization: authorization } };
}

export function hotReads(target: Target): Ask[] {
  return hotIds(target).map((id) => read(target, id));
}

export function mixture(target: Target): Ask[] {
  const places = placements(target);
  return hotReads(target).map((request, index) => {
    const turn = (index * 7) % 20; // 7 and 20 share no factor: 16 reads, 3 lists and 1 order, well mixed
    return turn < 16 ? request : turn < 19 ? openOrders(target) : (places[index % places.length] ?? request);
  });
}

/** Spread over the data, so that the hot orders are not neighbours in the file. */
function hotIds({ orderCount }: Target): number[] {
  const count = Math.min(hotCount, orderCount);
  return Array.from(
    { length: hotCount },
    (_, index) => Math.floor(((index % count) * orderCount) / count) + 1,
  );
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

/** Two faults each: no currency, and a quantity below 1. */
function refusals(target: Target): Ask[] {
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
