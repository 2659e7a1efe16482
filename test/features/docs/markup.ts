// A reader for the service's own pages: strict about what a browser would forgive.

export type Tag = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
};

// elements of SVG that are written so here
const empty = new Set(['meta', 'link', 'input', 'br', 'path', 'rect']);
const pattern =
  /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][\w:-]*(?:="[^"<]*")?)*)\s*(\/?)>|[^<]+|</gi;

/**
 * Every element with its own text. Throws for unbalanced tags, repeated attributes, stray `<` and unescaped
 * characters.
 */
export function tagsOf(html: string): Tag[] {
  const found: { name: string; attributes: Map<string, string>; text: string }[] = [];
  const open: { name: string; attributes: Map<string, string>; text: string }[] = [];
  for (const [whole, slash, name, attributes = '', end] of raw(html).matchAll(pattern)) {
    if (name === undefined) {
      if (whole === '<') throw new Error('a stray <');
      if (open.length > 0 && /&(?!#\d+;)/.test(whole)) throw new Error(`a bare & in ${whole.slice(0, 80)}`);
      const last = open.at(-1);
      if (last !== undefined) last.text += whole;
      continue;
    }
    if (slash === '/') {
      const last = open.pop();
      if (last?.name !== name) throw new Error(`</${name}> closes <${last?.name}>`);
      continue;
    }
    const tag = { name, attributes: attributesOf(attributes), text: '' };
    found.push(tag);
    if (!empty.has(name) && end !== '/') open.push(tag);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> isn't closed`);
  return found;
}

/** Style and script have no markup, so they are removed first. */
function raw(html: string): string {
  return html.replaceAll(/(<(style|script)>)[^]*?(<\/\2>)/g, '$1$3');
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/([a-z][\w:-]*)(?:="([^"]*)")?/gi)) {
    if (attributes.has(name)) throw new Error(`${name} twice in ${text}`);
    attributes.set(name, plain(value));
  }
  return attributes;
}

export function plain(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** The visible text, without markup. */
export function textOf(html: string): string {
  return plain(raw(html).replaceAll(/<[^>]*>/g, ''));
}
