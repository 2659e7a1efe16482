// Prism between a client and the service: it compares each exchange with the document.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { admin } from '../../support/service.ts';
import { startListening } from '../running-proxy.ts';
import type { Walk } from './generated-clients.ts';
import { binOf, folderWith } from './outside-tools.ts';

type Violation = { readonly location: readonly string[]; readonly code: string; readonly message: string };
type Exchange = {
  readonly what: string;
  readonly status: number;
  readonly violations: readonly Violation[];
};
type Given = { readonly document: string; readonly folder: string; readonly url: string };

/** Returns what Prism reports, but for the request that is wrong on purpose. */
export async function walkThroughPrism(
  walk: Walk,
  { document, folder: parent, url }: Given,
): Promise<string[]> {
  const folder = folderWith('prism', parent);
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  const port = await freePort();
  const args = [binOf(folder, 'prism'), 'proxy', file, url, '--port', String(port)];
  const prism = await startListening([process.execPath, ...args], { folder, port });
  const exchanges: Exchange[] = [];
  const baseUrl = `http://127.0.0.1:${port}`;
  await walk({ baseUrl, fetch: noting(exchanges), admin }).finally(() => prism.stop());
  const found = exchanges.filter(({ violations }) => violations.length > 0);
  const isOnPurpose = ({ status, violations }: Exchange): boolean =>
    status === 422 && violations.every(({ location: [side] }) => side === 'request');
  return [
    ...(found.some(isOnPurpose) ? [] : ['it saw nothing wrong with the order that is wrong on purpose']),
    ...found
      .filter((exchange) => !isOnPurpose(exchange))
      .map(({ what, status, violations }) => `${what} → ${status}: ${JSON.stringify(violations)}`),
  ];
}

/** A `fetch` that collects what Prism reports about each exchange. */
function noting(exchanges: Exchange[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const violations: Violation[] = JSON.parse(response.headers.get('sl-violations') ?? '[]');
    const what = `${request.method} ${new URL(request.url).pathname}`;
    exchanges.push({ what, status: response.status, violations });
    return response;
  };
}
