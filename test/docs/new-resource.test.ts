// The code of src/docs/new-resource.md: in a copy of the sources it compiles, and the tests hold.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
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
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { features } from '../../src/service/features.ts';
import { orderly, program, serving } from '../support/command-support.ts';
import { admin, executable } from '../support/service.ts';
import { isElsewhere, root, texts } from '../support/source-text.ts';
import { compileErrors } from '../support/type-project.ts';

/** The names of the page, and what stands for them where the sources have such a resource already. */
const others = {
  supplier: 'pagesupplier',
  Supplier: 'Pagesupplier',
  booking: 'pagebooking',
  Booking: 'Pagebooking',
};
const isTaken = features.some(({ name }) => name === 'suppliers' || name === 'bookings');
const written = texts.get('src/docs/new-resource.md') ?? '';
const page = written.replaceAll(
  /supplier|booking/gi,
  (word) => (isTaken ? others[word as keyof typeof others] : word), // it is one of these
);
const [suppliers, bookings] = isTaken ? ['pagesuppliers', 'pagebookings'] : ['suppliers', 'bookings'];

/** What reads all features, and would name what a resource lacks. */
const tests = ['sources/tidy', 'openapi/openapi', 'resources/declared-resources'];
/** The resources of the sources themselves are tried outside of the copy. */
const flags = [
  '--test',
  '--test-isolation=none',
  '--test-skip-pattern=/^the resource (?:customers|products)$/',
];

test('the resources of new-resource.md compile, and the tests hold with them', async (t) => {
  if (executable !== undefined) return t.skip('an executable has its sources in it');
  const copy = copyWithResource(t);
  assert.deepEqual(await compileErrors(copy), []);
  const files = tests.map((each) => join(copy, `test/${each}.test.ts`));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // which would report to this process
  const run = promisify(execFile)(process.execPath, [...flags, ...files], {
    cwd: copy,
    env,
    maxBuffer: 2 ** 26,
  });
  const { stdout } = await run.catch(({ stdout }: { readonly stdout: string }) => assert.fail(stdout));
  assert.match(stdout, new RegExp(`^ *✔ ${suppliers}: .*pages?`, 'm'));

  const where = {
    runs: program.with(-1, join(copy, 'src/start.js')),
    env: { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password },
  };
  const data = `--data=${join(copy, 'data')}`;
  const { url } = await serving(t, ['--tls=off', data], where);
  const { accessToken } = await call('POST', `${url}/api/sessions`, 201, admin);
  const times = { startsAt: '2026-03-02T10:00:00+01:00', endsAt: '2026-03-02T10:00:00Z' };
  const sent = { ...times, persons: 2, price: 749, currency: 'EUR' };
  const booking = await call('POST', `${url}/${bookings}`, 201, sent, accessToken);
  assert.equal(booking.startsAt, '2026-03-02T09:00:00.000Z');
  const late = { endsAt: '2026-03-02T08:00:00Z' };
  const refused = await call('PATCH', `${url}/${bookings}/${booking.id}`, 422, late, accessToken);
  assert.equal(refused.errors[0].pointer, '#/endsAt');
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'text/csv' };
  assert.match(await (await fetch(`${url}/${bookings}`, { headers })).text(), /,7\.49,EUR,/);
  const checked = await orderly(['check', data], where);
  assert.match(checked.stdout, new RegExp(`\\b${bookings}: 1\\b[^]* is sound\\.`));
});

/** Returns a copy of the sources with the files of the page, and its lines in those that exist. */
function copyWithResource(t: TestContext): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-resource-')));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(root, copy, { recursive: true, filter: (path) => !isElsewhere(path.slice(root.length)) });
  const project = readFileSync(join(copy, 'tsconfig.json'), 'utf8');
  writeFileSync(
    join(copy, 'tsconfig.json'),
    project.replace('"include": ["src", "test"]', '"include": ["src"]'),
  );
  mkdirSync(join(copy, 'node_modules')); // its own, since the compile cache of the copy is there
  for (const each of ['@types', 'typescript'])
    symlinkSync(join(root, 'node_modules', each), join(copy, 'node_modules', each));
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

/** Adds each line that begins with `+` before the next line of the diff that doesn't. */
function withLines(text: string, diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+ ]/.test(line));
  return lines.reduce((result, line, index) => {
    const next =
      lines
        .slice(index)
        .find((each) => !each.startsWith('+'))
        ?.slice(1) ?? '';
    if (!line.startsWith('+')) return result;
    assert.ok(result.includes(`\n${next}\n`), `there is no line "${next}"`);
    return result.replace(`\n${next}\n`, () => `\n${line.slice(1)}\n${next}\n`);
  }, text);
}

async function call(method: string, url: string, status: number, body?: object, token?: string) {
  const response = await fetch(url, {
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
