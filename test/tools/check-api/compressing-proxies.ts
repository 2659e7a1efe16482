// Proxies that compress what the service answers: what they make of its tags, and that clients get on with it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { newCustomer, rootToken } from '../../support/resource-support.ts';
import { withService } from '../../support/service.ts';
import { startListening } from '../running-proxy.ts';

type Place = { readonly folder: string; readonly port: number; readonly servicePort: number };
type Start = (place: Place) => readonly [program: string, ...args: string[]];

const proxies: Readonly<Record<string, Start>> = {
  'nginx with gzip'({ folder, port, servicePort }) {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const text = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
      http {
        ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} access_log off;
        gzip on; gzip_min_length 1; gzip_proxied any; gzip_types application/json;
        server {
          listen 127.0.0.1:${port};
          location / { proxy_pass http://127.0.0.1:${servicePort}; proxy_set_header X-Forwarded-Proto https; }
        }
      }`;
    writeFileSync(join(folder, 'nginx.conf'), text);
    return ['nginx', '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  },
  'Caddy with encode'({ folder, port, servicePort }) {
    const text = `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {
      encode {\n gzip\n minimum_length 1\n }
      reverse_proxy 127.0.0.1:${servicePort} {\n header_up X-Forwarded-Proto https\n }\n}\n`;
    writeFileSync(join(folder, 'Caddyfile'), text);
    return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
};

/** Returns what went wrong, and prints what each proxy makes of a tag. */
export async function walkThroughCompression(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const violations: string[] = [];
  for (const [name, start] of Object.entries(proxies))
    await withService({ settings: { ...settings, 'trusted-proxy': '127.0.0.1' } }, async (service) => {
      const token = await rootToken(service);
      const { id } = await newCustomer(service, token);
      const place = { folder: mkdtempSync(join(tmpdir(), 'orderly-proxy-')), port: await freePort() };
      const [program, ...args] = start({ ...place, servicePort: service.port });
      const proxy = await startListening(program, args, place);
      try {
        const failures = await walk(name, `http://127.0.0.1:${place.port}/customers/${id}`, token);
        violations.push(...failures.map((failure) => `${name}: ${failure}`));
      } finally {
        await proxy.stop();
        rmSync(place.folder, { recursive: true });
      }
    });
  return violations;
}

/** Reads a customer compressed, and changes it with the tag that came: a weak one is 412 with the reason. */
async function walk(name: string, url: string, token: string): Promise<string[]> {
  const failures: string[] = [];
  const ask = (method: string, fields: Readonly<Record<string, string>>): Promise<Response> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...fields };
    return fetch(url, { method, headers, body: method === 'PATCH' ? '{"note":"x"}' : null });
  };
  const read = await ask('GET', {});
  const tag = read.headers.get('etag') ?? '';
  const isWeak = tag.startsWith('W/');
  console.log(`${name}: the tag is ${tag}.`);
  if (read.headers.get('content-encoding') !== 'gzip') failures.push('it compresses nothing');
  const same = await ask('GET', { 'If-None-Match': tag });
  if (same.status !== 304) failures.push(`If-None-Match: ${tag} is ${same.status}`);
  const changed = await ask('PATCH', { 'If-Match': tag });
  const text = await changed.text();
  if (changed.status !== (isWeak ? 412 : 200))
    failures.push(`If-Match: ${tag} is ${changed.status}: ${text}`);
  if (!isWeak) return failures;
  if (!/weak/.test(text)) failures.push(`the 412 names no weak tag: ${text}`);
  const again = await ask('PATCH', { 'If-Match': tag.slice(2) });
  if (again.status !== 200) failures.push(`If-Match: ${tag.slice(2)} is ${again.status}`);
  return failures;
}
