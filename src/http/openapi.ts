// The OpenAPI 3.1 document: a pure function of the routes.
import type { Router } from './router.ts';

export function openapiDocument(router: Router, publicUrl: string): object {
  return { openapi: '3.1.0', info: { title: 'orderly', version: '1.0.0' }, servers: [{ url: publicUrl }], paths: Object.fromEntries(router.mounted.map(({ route }) => [route.path, {}])) };
}
