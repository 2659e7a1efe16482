// The proxies of the page "Deployment", started with its own text; only names, ports and paths are replaced.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { blockOf, replaced } from '../../support/page-blocks.ts';
import { environment, startListening } from '../running-proxy.ts';

/** Where a proxy listens and what it needs. */
export type Place = {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly servicePort: number;
  readonly certificate: string;
  readonly key: string;
};

export type Proxy = {
  readonly name: string;
  readonly program: string;
  /** Writes the configuration, and returns the command's arguments. */
  configure(place: Place): readonly string[];
};

export type RunningProxy = { readonly port: number; readonly certificate: string; stop(): Promise<void> };

export const proxies: readonly Proxy[] = [
  { name: 'nginx', program: 'nginx', configure: configureNginx },
  { name: 'Caddy', program: 'caddy', configure: configureCaddy },
  { name: 'HAProxy', program: 'haproxy', configure: configureHaproxy },
  { name: 'Apache', program: 'apache2', configure: configureApache },
];

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: environment }).status === 0;
}

/** Resolves once it listens. */
export async function startProxy(proxy: Proxy, folder: string, servicePort: number): Promise<RunningProxy> {
  mkdirSync(folder);
  const certificate = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  makeCertificate(certificate, key);
  const [port, plainPort] = [await freePort(), await freePort()];
  const args = proxy.configure({ folder, port, plainPort, servicePort, certificate, key });
  const running = await startListening([proxy.program, ...args], { folder, port });
  return { ...running, port, certificate };
}

function makeCertificate(certificate: string, key: string): void {
  const names = ['-subj', '/CN=orders.example.com', '-addext', 'subjectAltName=DNS:orders.example.com'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const files = ['-out', certificate, '-keyout', key];
  const { status, stderr } = spawnSync('openssl', ['req', ...kind, ...names, ...files]);
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}

function configureNginx({ folder, port, plainPort, servicePort, certificate, key }: Place): string[] {
  const version = /nginx\/1\.(\d+)/.exec(String(spawnSync('nginx', ['-v'], { env: environment }).stderr));
  const isNew = Number(version?.[1]) >= 25;
  const ownTls = isNew ? `listen 127.0.0.1:${port} ssl; http2 on;` : `listen 127.0.0.1:${port} ssl http2;`;
  const server = replaced(blockOf('deployment.md', '# /etc/nginx/conf.d/orderly.conf'), {
    'listen 443 ssl http2;': ownTls,
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    '127.0.0.1:8443;': `127.0.0.1:${servicePort};`,
    '/etc/ssl/orders.example.com.pem': certificate,
    '/etc/ssl/private/orders.example.com.key': key,
    '/var/log/nginx/orderly.log': join(folder, 'access.log'),
  });
  writeFileSync(join(folder, 'orderly.conf'), server);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const isRoot = process.getuid?.() === 0;
  const main = `${isRoot ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {} http { ${temporary.join(' ')} include ${folder}/orderly.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
}

function configureCaddy({ folder, port, plainPort, servicePort, certificate, key }: Place): string[] {
  const text = replaced(blockOf('deployment.md', '# /etc/caddy/Caddyfile'), {
    'orders.example.com {': `orders.example.com:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    '127.0.0.1:8443': `127.0.0.1:${servicePort}`,
  });
  const options = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n}\n`;
  writeFileSync(join(folder, 'Caddyfile'), options + text);
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
}

function configureHaproxy({ folder, port, plainPort, servicePort, certificate, key }: Place): string[] {
  const both = join(folder, 'both.pem');
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
  const text = replaced(blockOf('deployment.md', '# /etc/haproxy/haproxy.cfg'), {
    'bind :443': `bind 127.0.0.1:${port}`,
    'bind :80': `bind 127.0.0.1:${plainPort}`,
    '127.0.0.1:8443': `127.0.0.1:${servicePort}`,
    '/etc/haproxy/orders.example.com.pem': both,
  });
  writeFileSync(join(folder, 'haproxy.cfg'), `global\n    log stdout format raw local0\n\n${text}`);
  return ['-db', '-f', join(folder, 'haproxy.cfg')];
}

function configureApache({ folder, port, plainPort, servicePort, certificate, key }: Place): string[] {
  const block = blockOf('deployment.md', '# /etc/apache2/sites-available/orderly.conf');
  const site = replaced(block, {
    '*:443': `127.0.0.1:${port}`,
    '*:80': `127.0.0.1:${plainPort}`,
    '127.0.0.1:8443': `127.0.0.1:${servicePort}`,
    '/etc/ssl/orders.example.com.pem': certificate,
    '/etc/ssl/private/orders.example.com.key': key,
    '/var/log/apache2/orderly.log': join(folder, 'access.log'),
  });
  // those of the page, and those that Debian enables
  const enabled = /a2enmod (.*?) —/.exec(block)?.[1]?.split(' ') ?? [];
  const needed = ['alias', 'authz_core', 'filter', 'mpm_event', 'proxy', 'socache_shmcb'];
  const modules = [...needed, ...enabled].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  const main = [
    ...modules,
    `Listen 127.0.0.1:${port}`,
    `Listen 127.0.0.1:${plainPort}`,
    `ServerName orders.example.com`,
    `PidFile ${folder}/pid`,
    `ErrorLog ${folder}/error.log`,
    `Mutex file:${folder}`,
    site,
  ];
  writeFileSync(join(folder, 'apache2.conf'), main.join('\n'));
  return ['-X', '-d', folder, '-f', join(folder, 'apache2.conf')];
}
