// Values that are made when they are first needed.

/** Caches what `make` resolves to. A rejection isn't cached, so the next call makes it anew. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
