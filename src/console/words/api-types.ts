// The API's closed lists, and the members of its objects that the console uses. A test compares them with the
// service's.

export const roles = ['user', 'staff', 'admin'] as const;
export type Role = (typeof roles)[number];

/** How an order was paid, the usual way first. */
export const payments = ['card', 'cash', 'transfer', 'other'] as const;
export type Payment = (typeof payments)[number];

/** The statuses of an order, in the order in which it usually gets them. */
export const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'] as const;
export type Status = (typeof statuses)[number];

/** What an API key may be allowed, the most usual first. */
export const scopes = [
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'products:read',
  'products:write',
  'events:read',
  'users:read',
  'users:write',
] as const;
export type Scope = (typeof scopes)[number];

/** The kinds of objects that events are about, and what happens to each. */
export const happenings = {
  order: ['created', 'changed', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded', 'corrected'],
  customer: ['created', 'changed', 'deleted', 'erased'],
  product: ['created', 'changed', 'deleted'],
  shop: ['changed'],
  user: ['created', 'changed', 'suspended', 'deleted'],
  session: ['created', 'ended', 'reused'],
  key: ['created', 'removed'],
  webhook: ['created', 'changed', 'disabled', 'deleted'],
} as const;
export type EventKind = keyof typeof happenings;
export type EventType = { [K in EventKind]: `${K}.${(typeof happenings)[K][number]}` }[EventKind];
export const eventTypes = Object.entries(happenings).flatMap(([kind, own]) =>
  own.map((happening) => `${kind}.${happening}`),
) as readonly EventType[]; // each is a kind with what happens to it

export type Address = {
  readonly name: string | null;
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly region: string | null;
  readonly postalCode: string | null;
  readonly country: string;
};
export type Customer = {
  readonly id: number;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  /** For the shop; it is never printed. */
  readonly note: string | null;
  /** The number of the customer in the shop's own records. */
  readonly reference: string | null;
  readonly createdAt: string;
};
/** What people set of a customer: the form, words for conflicts and imports have each member. */
export type CustomerContent = Omit<Customer, 'id' | 'createdAt'>;
export type Item = {
  readonly sku: string | null;
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly total: number;
};
export type Order = {
  readonly id: number;
  readonly status: Status;
  readonly payment: Payment | null;
  readonly customerId: number;
  readonly userId: number | null;
  readonly currency: string;
  readonly items: readonly Item[];
  readonly total: number;
  readonly shippingAddress: Address | null;
  readonly note: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly customer?: { readonly id: number; readonly name: string } | null;
};
export type Product = {
  readonly id: number;
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: number;
  readonly currency: string;
  readonly barcode: string | null;
  readonly active: boolean;
  readonly createdAt: string;
};
/** What people set of a product. */
export type ProductContent = Omit<Product, 'id' | 'createdAt'>;
export type User = {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: string;
};
export type Session = {
  readonly id: number;
  readonly userId: number;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly userAgent: string | null;
};
export type Tokens = {
  readonly id: number;
  readonly userId: number;
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly browserKey?: string;
};
export type Key = {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly prefix: string;
};
export type WebhookErrorCode =
  | 'status'
  | 'name-not-found'
  | 'unreachable'
  | 'timeout'
  | 'connection-closed'
  | 'certificate'
  | 'address-not-allowed'
  | 'no-secret'
  | 'other';
export type Webhook = {
  readonly id: number;
  readonly url: string;
  readonly createdAt: string;
  readonly types: readonly string[];
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly position: number;
  readonly lastStatus: number | null;
  readonly lastAt: string | null;
  readonly failingSince: string | null;
  /** Why the last delivery failed, in English. */
  readonly lastError: string | null;
  readonly lastErrorCode: WebhookErrorCode | null;
  readonly retryAt: string | null;
};
export type KeptBackups = {
  /** The command by which a timer makes one where the service was installed. */
  readonly command: string;
  readonly data: readonly { readonly name: string; readonly createdAt: string; readonly bytes: number }[];
};
export type ServiceEvent = {
  readonly id: number;
  readonly type: string;
  readonly createdAt: string;
  readonly subject: string;
  /** The id of the request that has made the change. */
  readonly requestId: string | null;
  readonly actor: { readonly userId: number; readonly keyId: number | null } | null;
  readonly actorName?: string | null;
  readonly reason: string | null;
  readonly changes: Readonly<Record<string, unknown>>;
};
/** The number of orders in each status. */
export type StatusCounts = Readonly<Record<Status, number>>;
export type Figures = {
  readonly currency: string;
  readonly status: Status;
  readonly orders: number;
  readonly total: number | null;
  /** Only `of=received` has it. */
  readonly byPayment?: readonly {
    readonly payment: Payment | null;
    readonly orders: number;
    readonly total: number | null;
  }[];
};
export type Sales = {
  /** Sums of `received` are complete only from this time on; null if they are complete from the beginning. */
  readonly completeFrom: string | null;
  readonly from: string;
  readonly before: string;
  readonly buckets: readonly {
    readonly from: string;
    readonly before: string;
    readonly figures: readonly Figures[];
  }[];
};
type SoldItem = {
  readonly currency: string;
  readonly sku: string | null;
  readonly name: string;
  readonly orders: number;
  readonly quantity: number;
  readonly total: number | null;
};
export type SoldItems = {
  /** Orders before it aren’t counted; null if all are. */
  readonly completeFrom: string | null;
  readonly items: readonly SoldItem[];
};
export type Shop = {
  readonly name: string | null;
  readonly address: string | null;
  readonly country: string | null;
  readonly currency: string;
  /** Null: the device’s time zone. */
  readonly timeZone: string | null;
  readonly registration: 'open' | 'closed';
  /** Null until something is set. */
  readonly updatedAt: string | null;
};
export type Suspension = { readonly createdAt: string; readonly reason: string | null };
export type Totp = { readonly isOn: boolean; readonly recoveryCodesLeft: number };
export type List<T> = {
  readonly data: readonly T[];
  readonly next: string | null;
  readonly total?: number;
};

export type Issue = {
  readonly pointer?: string;
  readonly parameter?: string;
  /** Absent from issues of the console itself. */
  readonly code?: string;
  readonly detail: string;
};
export type Problem = {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly Issue[];
};
