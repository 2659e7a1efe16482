// Texts that the service has written into the page: the codes that the API accepts, the shop's name, what new
// orders begin with, where the documentation is, whether there are webhooks, and whether anybody may sign up.

export function textOfPage(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Returns a list of codes, which may have values: `EUR:2`. */
export function wordsOfPage(name: string): string[] {
  return textOfPage(name).split(' ');
}

/** Whether anybody may sign up. */
export const isRegistrationOpen = textOfPage('registration') !== '';

/** Whether the service delivers events to webhooks. */
export const hasWebhooks = textOfPage('webhooks') !== '';
