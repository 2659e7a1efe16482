// Values that are computed again only when their argument changes.

/** Caches the last result, for values that many successive requests need, such as the text of a second. */
export function memoizeLast<Key extends string | number>(make: (key: Key) => string): (key: Key) => string {
  let last: Key | undefined;
  let text = '';
  return (key) => {
    if (key !== last) [last, text] = [key, make(key)];
    return text;
  };
}
