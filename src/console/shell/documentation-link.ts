// The link to the documentation, if the service has it.
import { type Child, h } from '../parts/elements.ts';
import { textOfPage } from '../parts/page-text.ts';

export function documentationLink(...content: readonly Child[]): Child {
  const url = textOfPage('documentation');
  return url === '' ? undefined : h('a', { href: url }, ...content);
}
