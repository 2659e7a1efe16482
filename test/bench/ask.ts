// One HTTP request of the benchmark and its response, over plain HTTP or over TLS without verifying the
// certificate.
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export type Ask = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type TestResponse = {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

export async function ask(
  origin: string,
  { method = 'GET', path, headers = {}, body }: Ask,
): Promise<TestResponse> {
  const send = origin.startsWith('https:') ? tlsRequest : plainRequest;
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const sent = send(
    origin + path,
    { method, headers, rejectUnauthorized: false, timeout: 10_000 },
    (response) => {
      text(response).then(
        (all) => resolve({ status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body: all }),
        reject,
      );
    },
  );
  sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within 10 s.`)));
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

export function headerOf(response: TestResponse, name: string): string | undefined {
  const at = response.rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? undefined : response.rawHeaders[at + 1];
}
