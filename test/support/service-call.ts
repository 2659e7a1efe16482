// One request of a test to its service, compared with the OpenAPI document.
import { type Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Service } from '../../src/service/running-service.ts';
import { checkExchange } from './conformance.ts';
import type { Call, TestResponse } from './service.ts';

type Target = {
  readonly agent: Agent;
  readonly port: number;
  /** Undefined when an executable is under test. */
  readonly inside: Service | undefined;
};

type Sent = Call & { readonly method: string; readonly path: string };

/** Rejects if the exchange doesn't conform to the OpenAPI document. */
export async function send({ agent, port, inside }: Target, sent: Sent): Promise<TestResponse> {
  const { method, path } = sent;
  const payload = payloadOf(sent);
  const headers = { ...fieldsOf(sent, payload), ...sent.headers };
  const request = httpRequest({ agent, port, host: '127.0.0.1', method, path, headers });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve).on('error', reject).end(payload);
  const response = await readResponse(await promise);
  if (inside !== undefined && sent.isUndescribed !== true)
    await checkExchange(inside, { method, path, sent, response });
  return response;
}

function payloadOf({ body }: Sent): string | Buffer | undefined {
  const isAsItIs = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  return isAsItIs ? body : JSON.stringify(body);
}

function fieldsOf({ token, key }: Sent, payload: string | Buffer | undefined): Record<string, string> {
  const fields: Record<string, string> = {};
  if (payload !== undefined) {
    fields['content-type'] = 'application/json';
    fields['content-length'] = String(Buffer.byteLength(payload));
  }
  if (token !== undefined) fields['authorization'] = `Bearer ${token}`;
  if (key !== undefined) fields['x-api-key'] = key;
  return fields;
}

async function readResponse(message: IncomingMessage): Promise<TestResponse> {
  const text = Buffer.concat(await message.toArray()).toString('utf8');
  const { statusCode: status = 0, headers, rawHeaders } = message;
  const isJson = /[/+]json/.test(headers['content-type'] ?? '') && text !== '';
  return { status, headers, rawHeaders, text, body: isJson ? JSON.parse(text) : undefined };
}
