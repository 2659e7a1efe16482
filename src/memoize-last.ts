// What is made once, or anew only when what it is made of changes.

/** For texts that many ask for one after the other: of the millisecond, of a method. */
export function memoizeLast<Of extends string | number | null>(make: (of: Of) => string): (of: Of) => string {
  let last: Of | undefined;
  let text = '';
  return (of) => {
    if (of !== last) [last, text] = [of, make(of)];
    return text;
  };
}

export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
