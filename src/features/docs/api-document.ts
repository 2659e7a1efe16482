// The parts of the OpenAPI document that the pages read. openapi/openapi.ts makes the document, and tests
// compare it with the pages.

type Texts<Names extends string> = Readonly<Record<Names, string>>;
type Named<T> = Readonly<Record<string, T>>;
export type DocumentSchema = Partial<
  Texts<'$ref' | 'description' | 'format' | 'pattern'> &
    Readonly<{
      type: string | readonly string[];
      minLength: number;
      maxLength: number;
      minimum: number;
      maximum: number;
      minItems: number;
      maxItems: number;
      uniqueItems: boolean;
      enum: readonly (string | null)[];
      anyOf: readonly DocumentSchema[];
      items: DocumentSchema;
      properties: Named<DocumentSchema>;
      required: readonly string[];
      examples: readonly unknown[];
    }>
>;
type Content = Named<{
  readonly schema: DocumentSchema;
  /** The schema of each line, if the body has lines. */
  readonly 'x-line-schema'?: DocumentSchema;
  readonly example?: unknown;
  readonly examples?: object;
}>;
export type Parameter = Texts<'name' | 'in' | 'description'> & {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: DocumentSchema;
};
type Response = Texts<'description'> & { readonly $ref?: string; readonly content?: Content };
export type Operation = Texts<'operationId' | 'summary' | 'description'> & {
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Named<Response>;
};
export type ApiDocument = {
  readonly info: Texts<'version'>;
  readonly tags: readonly Texts<'name' | 'description'>[];
  readonly paths: Named<Named<Operation>>;
  readonly components: {
    /** Header fields that several operations take. */
    readonly parameters: Named<Parameter>;
    readonly examples: Named<{ readonly value: unknown }>;
  };
};
export type PlacedOperation = Texts<'method' | 'path'> & { readonly operation: Operation };

/** Returns the operations with short paths first, otherwise in the order of the routes. */
export function operationsOf({ paths }: ApiDocument): PlacedOperation[] {
  const placed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return placed.sort((a, b) => a.path.split('/').length - b.path.split('/').length);
}

/** Returns the node that a reference points to, or the node itself. */
export function follow<T extends { readonly $ref?: string }>(api: ApiDocument, node: T): T {
  const steps = node.$ref?.slice(2).split('/');
  return (
    steps === undefined
      ? node
      : steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], api)
  ) as T; // a reference points to a value of the same type
}

export function successOf({ responses }: Operation): readonly [status: string, Response] {
  return Object.entries(responses).find(([status]) => status < '300') ?? ['', { description: '' }];
}

/** Returns the codes of the problems that an operation's response names. */
export function codesOf({ description }: Response): string[] {
  return Array.from(description.matchAll(/`([a-z-]+)`/g), ([, code = '']) => code);
}

/** Returns the codes that every operation can report, except `validation-failed`, which each one lists. */
export function codesEverywhere(api: ApiDocument): Set<string> {
  const sets = operationsOf(api).map(
    ({ operation }) => new Set(Object.values(operation.responses).flatMap(codesOf)),
  );
  return sets
    .reduce((common, codes) => common.intersection(codes))
    .difference(new Set(['validation-failed']));
}
