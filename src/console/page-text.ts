// What the service has written into the page: codes that the API takes, and who sends packing slips.

export function textOfPage(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Codes, or codes with what belongs to them: `EUR:2`. */
export function wordsOfPage(name: string): string[] {
  return textOfPage(name).split(' ');
}
