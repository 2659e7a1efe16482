// The sentences of issues, and the pointers to their values.
import type { Validator } from './schema.ts';

/** Names of members and indexes of elements, from the outside in. */
export type Path = (string | number)[];

/** Returns the JSON Pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  let pointer = '';
  for (const step of path)
    pointer += typeof step === 'number' ? `/${step}` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}

/** Returns the subject of a sentence, such as `items[0].quantity`. */
export function placeLabel(path: Path): string {
  if (path.length === 0) return 'The body';
  let label = '';
  for (const step of path) {
    if (typeof step === 'number') label += `[${step}]`;
    else label += label === '' ? step : `.${step}`;
  }
  return label;
}

export function unknownMember(path: Path, members: ReadonlyMap<string, unknown>): string {
  const supported = members.size === 0 ? 'none' : [...members.keys()].join(', ');
  return `Unknown member "${placeLabel(path)}". Supported: ${supported}.`;
}

export function kindLabel({ kind }: Validator): string {
  return kind === 'integer' || kind === 'array' || kind === 'object' ? `an ${kind}` : `a ${kind}`;
}
