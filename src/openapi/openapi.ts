// The OpenAPI 3.1 document: a pure function of the routes, their tags, the public URL and the version.
import { problemTypes, problemTypeUri } from '../http/responses/problem-types.ts';
import type { MountedRoute } from '../http/routing/router.ts';
import { problemCodes, type ProblemCode } from '../problem.ts';
import { createComponents, type Json } from './openapi-components.ts';
import { describeOperation } from './openapi-operation.ts';
import { requestFieldParameters, responseHeaders, securitySchemes } from './openapi-parts.ts';
import { webhooksOf } from './openapi-webhooks.ts';

/** A section of the document: each route names one. */
export type Tag = { readonly name: string; readonly description: string };

type About = { readonly tags: readonly Tag[]; readonly publicUrl: string; readonly version: string };

/** Makes the document in steps, since the whole takes tens of milliseconds. */
export function* openapiDocument(
  mounted: readonly MountedRoute[],
  { tags, publicUrl, version }: About,
): Generator<void, Json> {
  const components = createComponents();
  const paths: Record<string, Json> = {};
  for (const each of mounted) {
    const { path, method } = each.route;
    const operations = (paths[path] ??= {});
    operations[method.toLowerCase()] = describeOperation(each, components);
    yield;
  }
  const { schemas, responses } = components;
  return {
    openapi: '3.1.1',
    info: infoOf(publicUrl, version),
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    tags,
    paths,
    webhooks: webhooksOf(mounted, components),
    components: {
      schemas,
      responses,
      parameters: requestFieldParameters,
      headers: responseHeaders,
      securitySchemes,
      examples: problemExamples(publicUrl),
    },
  };
}

function infoOf(publicUrl: string, version: string): Json {
  return {
    title: 'orderly',
    version,
    summary: 'Users, customers and orders.',
    license: { name: 'MIT', identifier: 'MIT' },
    contact: { name: 'orderly', url: `${publicUrl}/docs` },
    description:
      'Errors are problem details (RFC 9457). Lists are pages: follow `next`. ' +
      'Objects have a strong ETag for `If-None-Match` and `If-Match`. ' +
      'Money is an integer count of the currency’s minor unit. ' +
      'Paths that accept GET also accept HEAD, and all paths accept OPTIONS.',
  };
}

function problemExamples(publicUrl: string): Json {
  const examples: Json = {};
  for (const code of problemCodes)
    examples[code] = { summary: problemTypes[code].title, value: problemExample(code, publicUrl) };
  return examples;
}

function problemExample(code: ProblemCode, publicUrl: string): Json {
  const { status, title, about } = problemTypes[code];
  const example: Json = {
    type: problemTypeUri(code, publicUrl),
    title,
    status,
    detail: about.replaceAll('`', ''),
    instance: '/orders',
    code,
    requestId: 'mB2x-1',
  };
  if (code === 'validation-failed') example['errors'] = [issueExample];
  if (code === 'invalid-transition') Object.assign(example, transitionExample);
  return example;
}

const issueExample = {
  pointer: '#/items/0/quantity',
  code: 'minimum',
  detail: 'items[0].quantity must be at least 1.',
};
const transitionExample = { from: 'shipped', to: 'open', allowed: ['delivered', 'refunded', 'paid'] };
