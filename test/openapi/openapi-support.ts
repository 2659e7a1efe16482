// For the tests of the OpenAPI document: its types, operations and references.

export type Json = { readonly [name: string]: unknown };

export type Operation = Json & {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly 'x-access': { readonly callers: string; readonly scope: string | null };
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, Response>;
};

export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Json;
};

export type Media = {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly $ref: string }>;
};

export type Response = {
  readonly description: string;
  readonly content?: Record<string, Media>;
};

export type Listed = { readonly method: string; readonly path: string; readonly operation: Operation };

export function operationsOf(document: Json): Listed[] {
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Operation>>);
  return paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export function follow<T>(document: Json, node: T | { readonly $ref: string }): T {
  const { $ref } = node as { $ref?: string };
  return $ref === undefined ? (node as T) : (resolve(document, $ref.slice(1)) as T);
}

export function resolve(document: Json, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (at, step) => (at as Json | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
}
