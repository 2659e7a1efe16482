// What is measured under load: each workload's requests and how its servers are set up.
import type { LoadClient, LoadRequest } from '../support/load-client.ts';
import type { Server } from './servers.ts';

/** What a workload knows of its server: credentials and data. */
export type Target = {
  readonly client: LoadClient;
  readonly authorization: string;
  readonly orderCount: number;
};

export type Workload = {
  readonly name: string;
  readonly title: string;
  readonly requests: (target: Target) => readonly LoadRequest[] | Promise<readonly LoadRequest[]>;
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
const withoutCache = { serviceFlags: ['--cache-bytes', '0'] };

export const workloads: readonly Workload[] = [
  { ...usual, name: 'read', title: 'read one of all orders', requests: anyRead, spreads: true },
  { ...usual, name: 'cold', title: 'the same, no cache', requests: anyRead, spreads: true, ...withoutCache },
  { ...usual, name: 'hot', title: `read one of ${hotCount} orders`, requests: hotReads },
  {
    ...usual,
    name: 'not-modified',
    title: 'the same, If-None-Match',
    requests: conditionalReads,
    status: 304,
  },
  { ...usual, name: 'list', title: 'list 20 open, newest first', requests: openOrders },
  { ...usual, name: 'cold-list', title: 'the same, no cache', requests: openOrders, ...withoutCache },
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

export function targetAt({ client }: Server, orderCount: number, authorization: string): Target {
  return { client, authorization, orderCount };
}

export function read({ authorization }: Target, id: number): LoadRequest {
  return { method: 'GET', path: `/orders/${id}`, headers: { Authorization: authorization } };
}

/** Its reads are spread over all orders. */
function anyRead(target: Target): LoadRequest[] {
  return [read(target, 1)];
}

export function hotReads(target: Target): LoadRequest[] {
  return idsOf(target, hotCount).map((id) => read(target, id));
}

/** Its reads are spread over all orders. */
export function mixture(target: Target): LoadRequest[] {
  const places = placements(target);
  return idsOf(target, anyCount).map((id, index) => {
    const turn = (index * 7) % 20; // 7 and 20 share no factor: 16 reads, 3 lists and 1 order, well mixed
    if (turn < 16) return read(target, id);
    return turn < 19 ? openList(target) : (places[index % places.length] ?? read(target, id));
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

async function conditionalReads(target: Target): Promise<LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (const request of hotReads(target)) {
    const { etag = '' } = (await target.client.ask(request)).headers;
    requests.push({ ...request, headers: { ...request.headers, 'If-None-Match': etag } });
  }
  return requests;
}

function openOrders(target: Target): LoadRequest[] {
  return [openList(target)];
}

function openList({ authorization }: Target): LoadRequest {
  const path = '/orders?status=open&limit=20&sort=-createdAt';
  return { method: 'GET', path, headers: { Authorization: authorization } };
}

function placements(target: Target): LoadRequest[] {
  return Array.from({ length: 500 }, (_, index) => post(target, newOrder(index)));
}

/** Two issues each: no currency, and a quantity below 1. */
function rejections(target: Target): LoadRequest[] {
  return Array.from({ length: 500 }, (_, index) => {
    const { currency: _currency, items, ...order } = newOrder(index);
    return post(target, { ...order, items: items.map((item) => ({ ...item, quantity: item.quantity - 1 })) });
  });
}

function post({ authorization }: Target, order: object): LoadRequest {
  return { method: 'POST', path: '/orders', headers: { Authorization: authorization }, body: order };
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
