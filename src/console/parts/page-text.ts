// Texts that the service has written into the page: the codes that the API accepts, the shop's name, what new
// orders begin with, and where the documentation is.

export function textOfPage(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Returns a list of codes, which may have values: `EUR:2`. */
export function wordsOfPage(name: string): string[] {
  return textOfPage(name).split(' ');
}
