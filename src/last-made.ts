// Text that is made anew only when what it is made of changes.

/** For texts of the time, which many ask for within one millisecond or second. */
export function lastMade(make: (of: number) => string): (of: number) => string {
  let last = NaN;
  let text = '';
  return (of) => {
    if (of !== last) [last, text] = [of, make(of)];
    return text;
  };
}
