// The pages of problem types, for people.
import { kinds, type Kind } from '../errors.ts';
import { problems } from '../http/problem.ts';

export function problemPage(kind: Kind | undefined): { html: string; policy: string } {
  const body = (kind === undefined ? kinds : [kind]).map((each) => `<h2>${problems[each].title}</h2><p>${problems[each].about}</p>`).join('');
  return { html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Problems</title>${body}</html>`, policy: "default-src 'none'; frame-ancestors 'none'" };
}
