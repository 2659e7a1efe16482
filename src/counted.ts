// A number with its noun, as messages show it.

/** `1 second`, `2,000 seconds`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
