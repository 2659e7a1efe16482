// Values computed only when their argument changes.

/** Caches the last result, for values that many successive requests need, such as the text of a second. */
export function memoizeLast<Of extends string | number | null>(make: (of: Of) => string): (of: Of) => string {
  let last: Of | undefined;
  let text = '';
  return (of) => {
    if (of !== last) [last, text] = [of, make(of)];
    return text;
  };
}
