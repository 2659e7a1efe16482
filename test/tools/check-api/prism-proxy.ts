// Prism between a client and the service: it compares each exchange with the document.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/free-port.ts';
import { binOf } from './outside-tools.ts';

export type Proxy = { readonly url: string; stop(): Promise<void> };

export async function startPrism(folder: string, document: string, upstream: string): Promise<Proxy> {
  writeFileSync(join(folder, 'openapi.json'), document);
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [binOf(folder, 'prism'), 'proxy', 'openapi.json', upstream, '--port', String(port)],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('Prism is listening')) resolve();
  });
  child.once('exit', (code) => reject(new Error(`Prism ended with ${code}`)));
  await listening;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

type Violation = { readonly location: readonly string[]; readonly code: string; readonly message: string };
export type Exchange = {
  readonly what: string;
  readonly status: number;
  readonly violations: readonly Violation[];
};

/** A `fetch` that collects what Prism reports about each exchange. */
export function noting(exchanges: Exchange[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const violations: Violation[] = JSON.parse(response.headers.get('sl-violations') ?? '[]');
    exchanges.push({
      what: `${request.method} ${new URL(request.url).pathname}`,
      status: response.status,
      violations,
    });
    return response;
  };
}
