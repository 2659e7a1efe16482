// What a change makes stale in memory: named inside the write, dropped once that is on disk.

export type Invalidation =
  | { readonly kind: 'order' | 'customer' | 'session' | 'key' | 'webhook'; readonly id: number }
  /** A role or a deletion touches every session and key of the user. */
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'everything' };
