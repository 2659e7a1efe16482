// A service of its own for a check: a folder, a port, the defaults, and a reserved public URL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Service } from '../../../src/service/running-service.ts';
import { readCommandLine } from '../../../src/service/command-line.ts';
import { LineLogger } from '../../../src/base/logger.ts';

export const admin = { email: 'admin@example.com', password: 'the first administrator' };

export async function withService<T>(use: (service: Service, baseUrl: string) => T | Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const service = await startIn(folder);
    try {
      return await use(service, baseUrlOf(service));
    } finally {
      await service.stop();
    }
  });
}

/** A folder for a service, which may be started in it again. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-check-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function startIn(folder: string, more: readonly string[] = ['--port=0']): Promise<Service> {
  const flags = ['--tls=off', `--data=${folder}`, '--public-url=https://orders.test', ...more];
  const { config } = readCommandLine(flags, {
    environment: { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password },
  });
  const log = new LineLogger({
    level: 'off',
    sink: process.stdout,
    isTerminal: false,
    hasColor: false,
    now: Date.now,
  });
  return startService({ config, log });
}

export function baseUrlOf({ localUrl }: Service): string {
  return localUrl.replace('localhost', '127.0.0.1');
}

/** Signs the administrator in, and returns a function that calls the API with JSON; other statuses than these throw. */
export async function signedIn(baseUrl: string) {
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
    statuses: readonly number[] = [200, 201],
  ): Promise<Response> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!statuses.includes(response.status))
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const { accessToken } = (await (await call('POST', '/api/sessions', admin)).json()) as {
    accessToken: string;
  };
  return (...[method, path, body, headers, statuses]: Parameters<typeof call>): Promise<Response> =>
    call(method, path, body, { Authorization: `Bearer ${accessToken}`, ...headers }, statuses);
}
