// Random and mutated requests for the operations of the OpenAPI document; the same ones for the same seed.
import assert from 'node:assert/strict';
import { isObject } from '../../../src/schema/json-objects.ts';
import { operationsOf as documentedOperations, type Json } from '../../openapi/openapi-support.ts';
import { anyValue, Dice, mutated, numbers, texts } from './fuzz-values.ts';

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  /** Of the body, after `application/`; with `x-ndjson` the body has lines of it. */
  readonly bodyType: 'json' | 'x-ndjson';
  readonly example: unknown;
};

/** What the requests are made of. */
export type Vocabulary = {
  readonly operations: readonly Operation[];
  readonly credentials: readonly string[];
  readonly cursors: readonly string[];
};

/**
 * `isBroken`: its bytes were damaged at random, so that it may have no end; the client then closes its side
 * after it.
 */
export type FuzzRequest = { readonly bytes: Buffer; readonly method: string; readonly isBroken: boolean };

function bodyFor(dice: Dice, example: unknown): string {
  const value = dice.chance(0.3) ? example : mutated(dice, example);
  // A new address, so that most new users conflict with no other.
  const fresh =
    isObject(value) && 'email' in value && dice.chance(0.7)
      ? { ...value, email: `u${dice.below(1e9)}@example.com` }
      : value;
  const text = JSON.stringify(fresh) ?? '';
  if (dice.chance(0.9)) return text;
  const at = dice.below(text.length + 1);
  const noise = dice.pick(['"', '{', ']', ',', ':', '\\', '\\ud800', '\u0000', '1', 'e', '\ufeff']);
  return dice.pick([
    text.slice(0, at),
    text.slice(0, at) + noise + text.slice(at),
    text + text,
    '['.repeat(at),
    text.replace('{', '{"a":1,"a":2,'),
    '',
  ]);
}

const usualIds = ['1', '2', '3', '5', '7', '40'];
const oddIds =
  '999 0 -1 01 1.0 x %31 9007199254740991 9007199254740992 99999999999999999999 __proto__ ../..'.split(' ');

/**
 * Users and sessions other than those of the requests: the first valid DELETE would otherwise end the
 * credentials of all later requests.
 */
const idsOfOthers = '20 21 22 25 30 40 999 0 -1 x 9007199254740992'.split(' ');

function targetFor(
  dice: Dice,
  { path, parameters }: Operation,
  method: string,
  { cursors }: Vocabulary,
): string {
  const mayEndCredentials = method !== 'GET' && /^\/api\/(users|sessions)\/\{id\}/.test(path);
  const idFor = (): string =>
    mayEndCredentials
      ? dice.pick(idsOfOthers)
      : dice.pick(dice.chance(0.8) ? usualIds : [...usualIds, ...oddIds, '']);
  let target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'name' ? dice.pick(['not-found', 'nonsense', '__proto__', '1']) : idFor(),
  );
  const odd = [`/${target}`, `${target}/`, target.toUpperCase(), `http://elsewhere${target}`];
  if (dice.chance(0.02)) target = dice.pick([...odd, '*', '//', '/%2e%2e/']);
  const pairs: string[] = [];
  while (dice.chance(0.35)) {
    const name = dice.chance(0.85) && parameters.length > 0 ? dice.pick(parameters) : dice.pick(texts);
    let value = dice.chance(0.3) ? String(dice.pick(numbers)) : dice.pick(texts);
    if (name === 'cursor' && dice.chance(0.7)) value = dice.pick(cursors);
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    const broken = ['=', name.replaceAll(/[^a-z]/g, ''), '%', '%zz=%ff', 'api_key=%', 'api_key=x', '&&', '+'];
    pairs.push(dice.chance(0.95) ? pair : dice.pick(broken));
  }
  return pairs.length === 0 ? target : `${target}?${pairs.join('&')}`;
}

/** Others are made of these. */
const oddFields = [
  ...['text/html', '*/*;q=0', 'application/json;q=0.5, text/html', '\t,;=', 'image/png'].map(
    fieldOf('Accept'),
  ),
  ...['*', '"x"', 'W/"x", "y"'].map(fieldOf('If-Match')),
  ...['*', '"', 'W/"x"'].map(fieldOf('If-None-Match')),
  ...['a', 'b', '', 'a b', 'k'.repeat(300)].map(fieldOf('Idempotency-Key')),
  ...['mine', '\u00ff'].map(fieldOf('X-Request-Id')),
  ...['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '"\u0080'].map(fieldOf('traceparent')),
  ...['text/plain', 'application/json; charset=latin1'].map(fieldOf('Content-Type')),
  ...['\u00e9\u00ff', 'u'.repeat(2000)].map(fieldOf('User-Agent')),
  ...(
    'Origin: https://evil.example|Range: bytes=0-1|Cookie: a=b|X-HTTP-Method-Override: DELETE|TE: trailers|' +
    'Content-Encoding: gzip|Content-Language: de|Connection: keep-alive|Upgrade: h2c|Host: elsewhere|Date: never|' +
    'X-Forwarded-For: 203.0.113.1|X-Forwarded-Proto: https|Forwarded: for=x;proto=https'
  ).split('|'),
];

function fieldOf(name: string): (value: string) => string {
  return (value) => `${name}: ${value}`;
}

export function requestFor(dice: Dice, vocabulary: Vocabulary): FuzzRequest {
  const operation = dice.pick(vocabulary.operations);
  const method = dice.chance(0.93)
    ? operation.method
    : dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']);
  const fields = ['Host: localhost'];
  if (dice.chance(0.9)) fields.push(dice.pick(vocabulary.credentials));
  while (dice.chance(0.15)) fields.push(dice.pick(oddFields));
  const hasBody = dice.chance(operation.example === undefined ? 0.03 : 0.97);
  const lines = hasBody ? [bodyFor(dice, operation.example ?? anyValue(dice))] : [];
  while (operation.bodyType === 'x-ndjson' && dice.chance(0.5)) lines.push(bodyFor(dice, operation.example));
  const body = Buffer.from(lines.join('\n'));
  if (hasBody && dice.chance(0.97)) {
    const isMergePatch = method === 'PATCH' && dice.chance(0.5);
    fields.push(`Content-Type: application/${isMergePatch ? 'merge-patch+json' : operation.bodyType}`);
  }
  const isChunked = hasBody && dice.chance(0.1);
  if (hasBody) fields.push(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`);
  const target = targetFor(dice, operation, method, vocabulary);
  const head = Buffer.from([`${method} ${target} HTTP/1.1`, ...fields, '', ''].join('\r\n'), 'latin1');
  const ending = body.length === 0 ? '\r\n' : '\r\n0\r\n\r\n';
  const chunked = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from(ending)];
  const bytes = Buffer.concat([head, ...(isChunked ? chunked : [body])]);
  const isBroken = dice.chance(0.05);
  return { bytes: isBroken ? damaged(dice, bytes) : bytes, method, isBroken };
}

function damaged(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.below(bytes.length);
  const changed = Buffer.from(bytes);
  switch (dice.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([dice.below(256)]), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.below(20))]);
    default:
      for (let flips = dice.below(4); flips >= 0; flips -= 1)
        changed[dice.below(changed.length)] = dice.below(256);
      return changed;
  }
}

/** The operations of the document; their examples place orders for this customer. */
export function operationsOf(document: Json, customerId: number): Operation[] {
  return documentedOperations(document).map(({ method, path, operation }) => {
    const { parameters = [], requestBody } = operation;
    const lines = requestBody?.content['application/x-ndjson']?.example;
    const shown = requestBody?.content['application/json']?.example ?? lines;
    assert.ok(requestBody === undefined || shown !== undefined, `${method} ${path} shows no example`);
    const example: unknown =
      typeof shown === 'string' ? JSON.parse(shown.trim().split('\n').at(-1) ?? '') : shown;
    const isOrder = isObject(example) && 'customerId' in example;
    return {
      method,
      path,
      parameters: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      bodyType: lines === undefined ? 'json' : 'x-ndjson',
      example: isOrder ? { ...example, customerId } : example,
    };
  });
}
