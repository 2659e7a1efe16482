// Names of operations in the OpenAPI document, from which clients name their functions.
import type { Method } from './route.ts';

/** `listOrders`, `getUserOrder`, `createSessionToken` … */
export function operationId(method: Method, path: string, isList: boolean): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  const words = segments.map((segment, index) => {
    if (segment.startsWith('{')) return '';
    const isNamed = segments[index + 1]?.startsWith('{') === true;
    const isCreated = method === 'POST' && index === segments.length - 1;
    return capitalized(isNamed || isCreated ? segment.replace(/s$/, '') : segment);
  });
  const verb = method === 'GET' && isList ? 'list' : verbs[method];
  return verb + (words.join('') || 'Home');
}

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

function capitalized(segment: string): string {
  const words = segment.split(/\W/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
