// Proxies that compress what the service answers: what they make of its tags, and that clients get on with it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { startListening } from '../running-proxy.ts';
import { baseUrlOf, signedIn, startIn, withFolder } from './local-service.ts';

type Place = { readonly folder: string; readonly port: number; readonly servicePort: number };
type Proxy = {
  readonly name: string;
  readonly start: (place: Place) => readonly [program: string, ...args: string[]];
};

const proxies: readonly Proxy[] = [
  {
    name: 'nginx with gzip',
    start({ folder, port, servicePort }) {
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
  },
  {
    name: 'Caddy with encode',
    start({ folder, port, servicePort }) {
      const text = `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {
        encode {\n gzip\n minimum_length 1\n }
        reverse_proxy 127.0.0.1:${servicePort} {\n header_up X-Forwarded-Proto https\n }\n}\n`;
      writeFileSync(join(folder, 'Caddyfile'), text);
      return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
];

/** Returns what each proxy makes of a tag, and what went wrong. */
export async function walkThroughCompression(): Promise<{
  readonly notes: string[];
  readonly violations: string[];
}> {
  const notes: string[] = [];
  const violations: string[] = [];
  for (const proxy of proxies)
    await withFolder(async (folder) => {
      const service = await startIn(join(folder, 'data'), ['--port=0', '--trusted-proxy=127.0.0.1']);
      const place = { folder: join(folder, 'proxy'), port: await freePort() };
      mkdirSync(place.folder);
      const [program, ...args] = proxy.start({
        ...place,
        servicePort: Number(new URL(baseUrlOf(service)).port),
      });
      const running = await startListening(program, args, place);
      try {
        const { tag, failures } = await walk(`http://127.0.0.1:${place.port}`);
        notes.push(`${proxy.name}: the tag is ${tag}`);
        violations.push(...failures.map((failure) => `${proxy.name}: ${failure}`));
      } finally {
        await running.stop();
        await service.stop();
      }
    });
  return { notes, violations };
}

/** Reads an order compressed, and changes it with the tag that came: a weak one is 412 with the reason. */
async function walk(baseUrl: string): Promise<{ readonly tag: string; readonly failures: string[] }> {
  const failures: string[] = [];
  const call = await signedIn(baseUrl);
  const { id } = (await (await call('POST', '/customers', { name: 'Grace Hopper' })).json()) as {
    id: number;
  };
  const path = `/customers/${id}`;
  const read = await call('GET', path);
  const tag = read.headers.get('etag') ?? '';
  if (read.headers.get('content-encoding') !== 'gzip') failures.push('it compresses nothing');
  const same = await call('GET', path, undefined, { 'If-None-Match': tag }, [304]);
  if (same.status !== 304) failures.push(`If-None-Match: ${tag} is ${same.status}`);
  const changed = await call('PATCH', path, { note: 'x' }, { 'If-Match': tag }, [200, 412]);
  const text = await changed.text();
  const isWeak = tag.startsWith('W/');
  if (changed.status !== (isWeak ? 412 : 200))
    failures.push(`If-Match: ${tag} is ${changed.status}: ${text}`);
  if (isWeak && !/weak/.test(text)) failures.push(`the 412 names no weak tag: ${text}`);
  const [, plain = ''] = /"(.*)"$/.exec(tag) ?? [];
  if (isWeak) await call('PATCH', path, { note: 'x' }, { 'If-Match': `"${plain}"` });
  return { tag, failures };
}
