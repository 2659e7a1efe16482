// The code of src/docs/new-resource.md: in a copy of the sources it compiles, and its four routes work.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { admin, executable } from './service.ts';
import { isElsewhere, root, texts } from './source-text.ts';

const page = texts.get('src/docs/new-resource.md') ?? '';

test('the resource of new-resource.md compiles, and its routes, events and audit work', async (t) => {
  if (executable !== undefined) return t.skip('an executable has its sources in it');
  const copy = copyWithResource(t);
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit'], { cwd: copy });
  const service = await started(t, copy);
  const { accessToken } = await service.call('POST', '/api/sessions', 201, admin);
  const withToken = (method: string, path: string, status: number, body?: object) =>
    service.call(method, path, status, body, accessToken);

  const first = await withToken('POST', '/suppliers', 201, { name: 'Tea Traders' });
  await withToken('POST', '/suppliers', 201, { name: 'Cups Ltd' });
  const refused = await withToken('POST', '/suppliers', 422, { name: '' });
  assert.equal(refused.errors[0].pointer, '#/name');
  const { name } = await withToken('PATCH', `/suppliers/${first.id}`, 200, { name: 'Tea Traders Ltd' });
  assert.equal(name, 'Tea Traders Ltd');
  assert.equal((await withToken('GET', `/suppliers/${first.id}`, 200)).name, name);
  const { data } = await withToken('GET', '/suppliers?sort=-name', 200);
  assert.deepEqual(
    data.map((supplier: typeof first) => supplier.name),
    ['Tea Traders Ltd', 'Cups Ltd'],
  );
  const feed = await withToken('GET', '/events?type=supplier.created,supplier.changed', 200);
  assert.equal(feed.data.length, 3);
  const document = await withToken('GET', '/openapi.json', 200);
  assert.ok(Object.hasOwn(document.paths, '/suppliers/{id}'));
  await service.call('GET', '/suppliers', 401);

  const checked = execFileSync(
    process.execPath,
    [join(copy, 'src/start.js'), 'check', '--data', service.data],
    {
      encoding: 'utf8',
    },
  );
  assert.match(checked, /\bsuppliers: 2\b[^]* is sound\./);
});

test('every line of code in new-resource.md fits 110 columns', () => {
  const long = filesIn(page).flatMap(({ text }) => text.split('\n').filter((line) => line.length > 110));
  assert.deepEqual(long, []);
});

/** Returns a copy of the sources with the files of the page, and its lines in those that exist. */
function copyWithResource(t: TestContext): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-resource-')));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const part of ['src', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !isElsewhere(path.slice(root.length)),
    });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { path, text } of filesIn(page)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
  for (const { path, text } of changesIn(page))
    writeFileSync(join(copy, path), withLines(readFileSync(join(copy, path), 'utf8'), text));
  return copy;
}

type Part = { readonly path: string; readonly text: string };

function filesIn(text: string): Part[] {
  return partsIn(text, /^`(?<path>src\/\S+)`:\n\n```ts\n(?<text>[^]*?)^```$/gm);
}

function changesIn(text: string): Part[] {
  return partsIn(text, /\(`(?<path>src\/\S+)`\):\n\n```diff\n(?<text>[^]*?)^```$/gm);
}

function partsIn(text: string, pattern: RegExp): Part[] {
  const parts = Array.from(text.matchAll(pattern), ({ groups = {} }) => groups);
  assert.notDeepEqual(parts, []);
  return parts.map(({ path = '', text = '' }) => ({ path, text }));
}

/** Adds each line that begins with `+` before the line that follows it in the diff. */
function withLines(text: string, diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+ ]/.test(line));
  return lines.reduce((result, line, index) => {
    const next = lines[index + 1]?.slice(1) ?? '';
    if (!line.startsWith('+')) return result;
    assert.ok(result.includes(`\n${next}\n`), `there is no line "${next}"`);
    return result.replace(`\n${next}\n`, () => `\n${line.slice(1)}\n${next}\n`);
  }, text);
}

/** Starts the copy in a process of its own. */
async function started(t: TestContext, copy: string) {
  const data = join(copy, 'data');
  const child = spawn(
    process.execPath,
    [join(copy, 'src/start.js'), '--port=0', '--tls=off', `--data=${data}`],
    {
      env: { ...process.env, ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.after(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url = /"url":"([^"]+)"/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  const base = url;
  assert.ok(base !== undefined, 'the service did not start');
  child.stdout.resume();

  async function call(method: string, path: string, status: number, body?: object, token?: string) {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, status, text);
    return JSON.parse(text);
  }
  return { data, call };
}
