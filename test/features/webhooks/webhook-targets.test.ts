// Where webhooks may go: URLs that are rejected at once, and the addresses that a name may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookTargets } from '../../../src/features/webhooks/webhook-targets.ts';

const targets = new WebhookTargets([]);
const withLan = new WebhookTargets(['192.168.1.0/24', '127.0.0.1', 'fd00::/8']);

for (const url of [
  'https://example.com',
  'https://example.com/hook?key=1',
  'HTTPS://EXAMPLE.COM:8443/',
  'https://bücher.example/',
  'https://example.com./',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[64:ff9b::808:808]/',
  'https://[64:ff9b:0:0:0:0:8.8.4.4]/',
  'https://[0064:FF9B::0101:0101]/',
  'https://localhost.example.com/',
  'https://example.com/a@b',
  'https://example.com:65535/',
])
  test(`a webhook’s URL may be ${url}`, () => assert.equal(targets.issueOf(url), undefined));

const rows: readonly (readonly [url: string, issue: RegExp])[] = [
  ['', /must be a URL/],
  ['example.com', /must be a URL/],
  ['/hook', /must be a URL/],
  ['https://', /must be a URL/],
  ['https://exa mple.com/', /must be a URL/],
  ['https://example.com/a\tb', /must be a URL/],
  ['https:\\\\example.com', /must be a URL/],
  ['https://1.2.3.4.5/', /must be a URL/],
  ['https://256.1.1.1/', /must be a URL/],
  ['https://[fe80::1%25eth0]/', /must be a URL/],
  ['https://[fe80::1%eth0]/', /must be a URL/],
  ['https://example.com:65536/', /must be a URL/],
  ['http://example.com/', /must begin with https/],
  ['ftp://example.com/', /must begin with https/],
  ['file:///etc/passwd', /must begin with https/],
  ['javascript:alert(1)', /must begin with https/],
  ['data:,x', /must begin with https/],
  ['https://user@example.com/', /user name/],
  ['https://user:password@example.com/', /user name/],
  ['https://:@example.com/', /user name/],
  ['https://@example.com/', /user name/],
  ['https://1.1.1.1@example.com/', /user name/],
  ['https:///user:password@example.com/', /user name/],
  ['https:user:password@example.com/', /user name/],
  ['https:/user@example.com/', /user name/],
  ['https://example.com/#part', /fragment/],
  ['https://example.com/#', /fragment/],
  ['https://example.com:0/', /a port from 1/],
  ['https://localhost/', /not public/],
  ['https://LOCALHOST:8443/', /not public/],
  ['https://localhost./', /not public/],
  ['https://loc%61lhost/', /not public/],
  ['https://orders.localhost/', /not public/],
  ['https://127.0.0.1/', /not public/],
  ['https://127.1/', /not public/],
  ['https://127.0.0.1./', /not public/],
  ['https://2130706433/', /not public/],
  ['https://0x7f000001/', /not public/],
  ['https://0x7f.1/', /not public/],
  ['https://0177.0.0.1/', /not public/],
  ['https://%31%32%37.0.0.1/', /not public/],
  ['https://①②⑦.0.0.1/', /not public/],
  ['https://127。0。0。1/', /not public/],
  ['https:127.0.0.1', /not public/],
  ['https:/127.0.0.1', /not public/],
  ['https://0/', /not public/],
  ['https://0x/', /not public/],
  ['https://[::1]/', /not public/],
  ['https://[0:0:0:0:0:0:0:1]/', /not public/],
  ['https://[::]/', /not public/],
  ['https://[::ffff:127.0.0.1]/', /not public/],
  ['https://[::ffff:7f00:1]/', /not public/],
  ['https://[::127.0.0.1]/', /not public/],
  ['https://[64:ff9b::7f00:1]/', /not public/],
  ['https://[64:ff9b::]/', /not public/],
  ['https://[64:ff9b::1]/', /not public/],
  ['https://[64:ff9b::10.0.0.1]/', /not public/],
  ['https://[64:ff9b::a9fe:a9fe]/', /not public/],
  ['https://[64:ff9b:1::808:808]/', /not public/],
  ['https://169.254.169.254/latest/meta-data', /not public/],
  ['https://3232235777/', /not public/],
  [`https://example.com/${'ü'.repeat(500)}`, /at most 2,000 characters/],
];
for (const [url, issue] of rows)
  test(`a webhook’s URL may not be ${JSON.stringify(url)}`, () =>
    assert.match(targets.issueOf(url) ?? '', issue));

for (const url of [
  'http://192.168.1.7/',
  'https://192.168.1.7:444/',
  'http://127.0.0.1:9000/',
  'http://[::ffff:127.0.0.1]/',
  'http://[fd12::1]/',
  'http://localhost:9000/',
  'http://till.lan/',
])
  test(`addresses that --webhook-allow names may be ${url}`, () =>
    assert.equal(withLan.issueOf(url), undefined));
for (const url of [
  'http://1.1.1.1/',
  'http://192.168.2.7/',
  'https://192.168.2.7/',
  'http://127.0.0.2/',
  'https://[fe80::1]/',
])
  test(`addresses that --webhook-allow names may not be ${url}`, () =>
    assert.match(withLan.issueOf(url) ?? '', /--webhook-allow/));

const blocked = [
  ['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.1', '127.255.255.255', '168.63.129.16', '169.254.0.0', '169.254.169.254'],
  ['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1'],
  ['192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ['::', '::1', '::ffff:1.1.1.1', '::ffff:10.0.0.1', '::1.1.1.1', '64:ff9b::10.1.1.1', '64:ff9b:1::1'],
  ['100::1', 'fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '5f00::1'],
  ['2001::1', '2001:2::1', '2001:10::1', '2001:1ff::1', '2001:db8::1', '2002:7f00:1::1', '3fff::1'],
  ['', 'localhost', 'example.com', '1.1.1', '0x01010101'],
].flat();
for (const address of blocked)
  test(`a connection to ${address || 'nowhere'} is blocked`, () =>
    assert.equal(targets.permits(address, 'https:'), false));

const taken = [
  ['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.20.0.0', '223.255.255.255', '2001:200::1', '2606:4700:4700::1111', '2a00:1450::1'],
].flat();
for (const address of taken)
  test(`a connection to ${address} is made over HTTPS alone`, () => {
    assert.deepEqual(
      ['https:', 'http:', 'ftp:'].map((protocol) => targets.permits(address, protocol)),
      [true, false, false],
    );
  });

test('a connection to an allowed address is also made over HTTP, even if IPv6 embeds it', () => {
  for (const address of ['192.168.1.7', '::ffff:192.168.1.7', 'fd12::1'])
    assert.ok(withLan.permits(address, 'http:') && withLan.permits(address, 'https:'), address);
  assert.equal(withLan.permits('192.168.2.7', 'https:'), false);
});

test('--webhook-allow 64:ff9b::/96 opens no private address behind NAT64', () => {
  const nat64 = new WebhookTargets(['64:ff9b::/96', '192.168.1.0/24']);
  assert.equal(nat64.permits('64:ff9b::7f00:1', 'https:'), false);
  assert.equal(nat64.permits('64:ff9b::10.0.0.1', 'https:'), false);
  assert.equal(nat64.permits('64:ff9b::808:808', 'https:'), true);
  assert.equal(nat64.permits('64:ff9b::192.168.1.5', 'http:'), true);
});
