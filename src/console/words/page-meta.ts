// The `meta` elements that the service has written into the page: the codes that the API accepts, the shop, where the
// documentation is, and whether there are webhooks and imports. The shop is replaced when somebody changes it.
import type { Shop } from './api-types.ts';
import { storage } from '../browser/browser-gaps.ts';
import { type Child, h } from '../browser/elements.ts';

export function metaText(name: string): string {
  return metaElement(name)?.content ?? '';
}

/** Returns the codes in the element, which may have values: `EUR:2`. */
export function metaCodes(name: string): string[] {
  return metaText(name).split(' ');
}

/** Whether the service delivers events to webhooks. */
export const hasWebhooks = metaText('webhooks') !== '';

/** Whether the service imports files. */
export const hasImports = metaText('imports') !== '';

/** The link to the documentation, if the service has it. */
export function documentationLink(...content: readonly Child[]): Child {
  const url = metaText('documentation');
  return url !== '' && h('a', { href: url }, content);
}

/** The shop as it was when the page was loaded, or as it was set since. */
export function shopOfPage(): Shop {
  return JSON.parse(metaText('shop')); // as the service has written it, or `setShop`
}

/** Stored where an administrator at this device has put off the questions about the shop. */
export const storedShopLater = 'orderly-shop-later';

/** Whether an administrator is asked about the shop: nobody has said anything of it, or put it off at this device. */
export function isShopAsked(): boolean {
  return shopOfPage().updatedAt === null && storage.read(storedShopLater) === null;
}

/** Whether anybody may sign up. */
export function isRegistrationOpen(): boolean {
  return shopOfPage().registration === 'open';
}

/** Returns whether the page had another one. */
export function setShop(shop: Shop): boolean {
  const known: Readonly<Record<string, unknown>> = shopOfPage();
  metaElement('shop')?.setAttribute('content', JSON.stringify(shop));
  return Object.entries(shop).some(([name, value]) => known[name] !== value);
}

function metaElement(name: string): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
}
