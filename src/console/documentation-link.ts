// The link to the documentation, if the service has it.
import { type Child, h } from './elements.ts';
import { textOfPage } from './page-text.ts';

export function documentationLink(...content: readonly Child[]): Child {
  const url = textOfPage('documentation');
  return url === '' ? undefined : h('a', { href: url }, ...content);
}
