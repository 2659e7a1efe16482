// One request of a test to its service, compared with the OpenAPI document.
import { type Agent, request as httpRequest } from 'node:http';
import type { Service } from '../src/running-service.ts';
import { checkExchange } from './conformance.ts';
import type { Call, TestResponse } from './service.ts';

export function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  sent: Call,
  inside: Service | undefined,
): Promise<TestResponse> {
  const { token, key, body, headers = {}, isUndescribed = false } = sent;
  const payload =
    body === undefined
      ? undefined
      : typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const request = httpRequest(
    {
      agent,
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: {
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...headers,
      },
    },
    (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: fields, rawHeaders } = message;
        const isJson = /[/+]json/.test(fields['content-type'] ?? '') && text !== '';
        const response: TestResponse = {
          status,
          headers: fields,
          rawHeaders,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        };
        const check = inside !== undefined && !isUndescribed;
        const checked = check ? checkExchange(inside, { method, path, sent, response }) : Promise.resolve();
        checked.then(() => resolve(response), reject);
      });
      message.on('error', reject);
    },
  );
  request.on('error', reject);
  request.end(payload);
  return promise;
}
