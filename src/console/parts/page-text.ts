// Texts that the service has written into the page: the codes that the API accepts, the shop, where the documentation
// is, and whether there are webhooks. Those of the shop are replaced when somebody changes it.
import type { Shop } from './api-types.ts';

export function textOfPage(name: string): string {
  return metaOf(name)?.content ?? '';
}

/** Returns a list of codes, which may have values: `EUR:2`. */
export function wordsOfPage(name: string): string[] {
  return textOfPage(name).split(' ');
}

/** Whether anybody may sign up. */
export function isRegistrationOpen(): boolean {
  return textOfPage('registration') === 'open';
}

/** Whether the service delivers events to webhooks. */
export const hasWebhooks = textOfPage('webhooks') !== '';

/** Returns whether the page had another one. */
export function setShop({
  name,
  address,
  country,
  currency,
  timeZone,
  registration,
  updatedAt,
}: Shop): boolean {
  const texts = {
    'shop-name': name,
    'shop-address': address,
    'default-country': country,
    'default-currency': currency,
    'time-zone': timeZone,
    registration,
    'shop-updated': updatedAt,
  };
  const changed = Object.entries(texts).filter(([meta, text]) => textOfPage(meta) !== (text ?? ''));
  for (const [meta, text] of changed) metaOf(meta)?.setAttribute('content', text ?? '');
  return changed.length > 0;
}

function metaOf(name: string): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
}
