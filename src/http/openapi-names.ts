// Names of operations in the OpenAPI document, from which clients name their functions.
import type { Method } from './route.ts';

/** `listOrders`, `getUserOrder`, `createSession` … */
export function operationId(method: Method, path: string, isList: boolean): string {
  const given = givenNames[`${method} ${path}`];
  if (given !== undefined) return given;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  const words = segments.map((segment, index) => {
    if (segment.startsWith('{')) return '';
    const isNamed = segments[index + 1]?.startsWith('{') === true;
    const isCreated = method === 'POST' && index === segments.length - 1;
    return pascalCase(isNamed || isCreated ? segment.replace(/s$/, '') : segment);
  });
  const verb = method === 'GET' && isList ? 'list' : verbs[method];
  return verb + (words.join('') || 'Home');
}

/** Operations that are known by another word than their path's. */
const givenNames: Readonly<Record<string, string>> = {
  'GET /console/{name}': 'getConsoleFile',
  'POST /api/sessions/{id}/tokens': 'refreshSession',
  'POST /api/sessions/current/tokens': 'refreshCookie',
};

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** `email-taken` → `EmailTaken`. */
export function pascalCase(name: string): string {
  const words = name.split(/\W/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
