// What a phone needs to trust the service: the page with the steps, and the certificate itself.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newFolder } from '../../support/command-support.ts';
import { newCertificate } from '../../support/new-certificate.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import type { RawResponse } from '../../support/raw-connection.ts';
import { ask } from '../../support/transport-support.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

function authorityOf({ folder }: TestService): string {
  return readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
}

function askFor(
  service: TestService,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawResponse> {
  return ask(service.port, { ca: authorityOf(service), path, headers });
}

describe('the authority to trust', () => {
  const service = sharedService({ settings: { tls: 'self-signed' } });

  test('a browser without an account gets a page with the fingerprint, the file and the steps of each device', async () => {
    const { status, headers, text } = await askFor(service(), '/certificate', browser);
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    const { fingerprint256 } = new X509Certificate(authorityOf(service()));
    assert.ok(text.includes(`<code id="fingerprint">${fingerprint256}</code>`));
    assert.ok(text.includes('href="/certificate/ca.crt"'));
    for (const name of ['iPhone and iPad', 'Android', 'Windows', 'macOS', 'Firefox on a computer'])
      assert.ok(text.includes(`<h2>${name}</h2>`), name);
  });

  for (const [accepted, language, heading] of [
    ['de-DE,de;q=0.9,en-US;q=0.8', 'de', 'iPhone und iPad'],
    ['en-US,en;q=0.9,de;q=0.8', 'en', 'iPhone and iPad'],
    ['fr,de;q=0.5', 'de', 'iPhone und iPad'],
    ['fr', 'en', 'iPhone and iPad'],
    ['x-den, nde', 'en', 'iPhone and iPad'],
  ] as const)
    test(`a browser with Accept-Language: ${accepted} gets the steps in ${language}`, async () => {
      const reply = await askFor(service(), '/certificate', { ...browser, 'accept-language': accepted });
      assert.ok(reply.text.includes(`<html lang="${language}">`));
      assert.ok(reply.text.includes(`<h2>${heading}</h2>`));
      assert.equal(reply.headers['content-language'], language);
      assert.match(String(reply.headers['vary']), /Accept-Language/);
    });

  test('the page of the authority has the policy of the pages that have no script', async () => {
    const page = await askFor(service(), '/certificate', browser);
    const other = await askFor(service(), '/problems', browser);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
    for (const name of [
      'content-security-policy',
      'referrer-policy',
      'cross-origin-opener-policy',
      'x-content-type-options',
    ])
      assert.equal(page.headers[name], other.headers[name], name);
  });

  for (const [path, accept, type] of [
    ['/certificate', '*/*', 'application/pem-certificate-chain'],
    ['/certificate', 'application/pem-certificate-chain', 'application/pem-certificate-chain'],
    ['/certificate/ca.crt', browser.accept, 'application/x-x509-ca-cert'],
  ] as const) {
    test(`GET ${path} with Accept: ${accept} is the authority’s certificate alone, as ${type}`, async () => {
      const { status, headers, text } = await askFor(service(), path, { accept });
      assert.deepEqual([status, headers['content-type']], [200, type]);
      assert.equal(text, authorityOf(service()));
      assert.doesNotMatch(text, /PRIVATE KEY/);
    });
  }

  test('after the authority was replaced, the page and the file are those of the new one', async (t) => {
    const own = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const old = authorityOf(own);
    const before = await askFor(own, '/certificate', browser);
    rmSync(join(own.folder, 'tls', 'ca.pem'));
    if (own.inside === undefined) await own.restart();
    else own.inside.reload();
    assert.notEqual(authorityOf(own), old);
    assert.equal((await askFor(own, '/certificate/ca.crt')).text, authorityOf(own));
    const etag = String(before.headers.etag);
    const after = await askFor(own, '/certificate', { ...browser, 'if-none-match': etag });
    assert.equal(after.status, 200);
    assert.ok(after.text.includes(new X509Certificate(authorityOf(own)).fingerprint256));
  });

  test('the page of the authority links no page that was left out', insideOnly, async (t) => {
    const bare = await serviceFor(t, { settings: { tls: 'self-signed', without: 'docs,openapi,console' } });
    const { status, text, headers } = await askFor(bare, '/certificate', browser);
    assert.equal(status, 200);
    assert.doesNotMatch(`${text} ${String(headers.link)}`, /\/docs|\/openapi|\/console/);
    assert.match((await askFor(service(), '/certificate', browser)).text, /href="\/console".*href="\/docs"/s);
  });
});

test('a service without an authority of its own says so: 404', async (t) => {
  const folder = newFolder(t);
  const { certPem, keyPem } = newCertificate();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, certPem);
  writeFileSync(key, keyPem);
  const off = await serviceFor(t, { settings: { tls: 'off' } });
  const files = await serviceFor(t, { settings: { tls: 'files', 'tls-cert': cert, 'tls-key': key } });
  for (const path of ['/certificate', '/certificate/ca.crt'])
    for (const headers of [{}, browser])
      for (const [mode, port, ca] of [
        ['off', off.port, undefined],
        ['files', files.port, certPem],
      ] as const) {
        const response = await ask(port, { path, headers, ...(ca === undefined ? {} : { ca }) });
        assertProblem(response, 'not-found');
        const detail = `With --tls ${mode} the service has no certificate authority of its own.`;
        assert.equal(response.body.detail, detail);
      }
});
