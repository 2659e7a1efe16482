// The cached values that a change makes stale. Writes name them; caches drop them once the write is on disk.

export type Invalidation =
  | { readonly kind: 'order' | 'customer' | 'session' | 'key' | 'webhook'; readonly id: number }
  /** Affects every session and key of the user, such as a new role or a deletion. */
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'everything' };
