// Numbers with their nouns, for messages.

/** Returns `1 second` or `2,000 seconds`. */
export function counted(count: number, noun: string): string {
  return `${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Not by toLocaleString: loading its data takes 8 to 12 ms of the start. */
export function withCommas(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
