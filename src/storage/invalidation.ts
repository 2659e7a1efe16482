// The cached values that a change makes stale. Writes name the values; caches drop them once the write is on
// disk.

export type Invalidation =
  | { readonly kind: 'order' | 'customer' | 'session' | 'key'; readonly id: number }
  /** An object that only the feature's own `onSync` knows. */
  | { readonly kind: 'other'; readonly feature: string; readonly id: number }
  /** Affects every session and key of the user, as a new role or a deletion does. */
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'everything' };
