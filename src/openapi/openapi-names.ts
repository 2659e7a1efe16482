// Names of operations in the OpenAPI document, from which clients name their functions.
import type { Method, Route } from '../http/route.ts';

/** Returns a name such as `listOrders` or `createSession`, unless the route names its operation. */
export function operationIdOf({ method, path, reply, operationId }: Route): string {
  if (operationId !== undefined) return operationId;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  const words = segments.map((segment, index) => {
    if (segment.startsWith('{')) return '';
    const isNamed = segments[index + 1]?.startsWith('{') === true;
    const isCreated = method === 'POST' && index === segments.length - 1;
    return pascalCase(isNamed || isCreated ? segment.replace(/s$/, '') : segment);
  });
  const verb = method === 'GET' && reply.kind === 'list' ? 'list' : verbs[method];
  return verb + (words.join('') || 'Home');
}

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** Converts `email-taken` to `EmailTaken`. */
export function pascalCase(name: string): string {
  const words = name.split(/\W/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
