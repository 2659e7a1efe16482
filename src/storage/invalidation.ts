// The cached values that a change makes stale. Writes name them; caches drop them once the write is on disk.

export type Invalidation =
  | { readonly kind: 'order' | 'customer' | 'session' | 'key'; readonly id: number }
  /** Of a feature that isn't in every service: no cache of the service has it, but its `onSync` may. */
  | { readonly kind: 'other'; readonly feature: string; readonly id: number }
  /** Affects every session and key of the user, such as a new role or a deletion. */
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'everything' };
