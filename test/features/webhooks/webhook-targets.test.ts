// Where webhooks may go: URLs that are rejected at once, and the addresses that a name may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookTargets } from '../../../src/features/webhooks/webhook-targets.ts';

const targets = new WebhookTargets([]);
const withLan = new WebhookTargets(['192.168.1.0/24', '127.0.0.1', 'fd00::/8']);
/** The words of a text. */
const all = (text: string): string[] => text.trim().split(/\s+/);

test('a webhook’s URL may name any public host by HTTPS', () => {
  for (const url of all(`
    https://example.com https://example.com/hook?key=1 HTTPS://EXAMPLE.COM:8443/ https://bücher.example/
    https://example.com./ https://1.1.1.1/ https://[2606:4700:4700::1111]/ https://[64:ff9b::808:808]/
    https://[64:ff9b:0:0:0:0:8.8.4.4]/ https://[0064:FF9B::0101:0101]/ https://localhost.example.com/
    https://example.com/a@b https://example.com:65535/`))
    assert.equal(targets.issueOf(url), undefined, url);
});

const rejected: readonly (readonly [issue: RegExp, urls: readonly string[]])[] = [
  [/must be a URL/, ['', 'https://exa mple.com/', 'https://example.com/a\tb', 'https:\\\\example.com']],
  [
    /must be a URL/,
    all(`example.com /hook https:// https://1.2.3.4.5/ https://256.1.1.1/ https://[fe80::1%25eth0]/
      https://[fe80::1%eth0]/ https://example.com:65536/`),
  ],
  [
    /must begin with https/,
    all('http://example.com/ ftp://example.com/ file:///etc/passwd javascript:alert(1) data:,x'),
  ],
  [
    /user name/,
    all(`https://user@example.com/ https://user:password@example.com/ https://:@example.com/
      https://@example.com/ https://1.1.1.1@example.com/ https:///user:password@example.com/
      https:user:password@example.com/ https:/user@example.com/`),
  ],
  [/fragment/, all('https://example.com/#part https://example.com/#')],
  [/a port from 1/, ['https://example.com:0/']],
  [
    /not public/,
    all(`https://localhost/ https://LOCALHOST:8443/ https://localhost./ https://loc%61lhost/
      https://orders.localhost/ https://127.0.0.1/ https://127.1/ https://127.0.0.1./ https://2130706433/
      https://0x7f000001/ https://0x7f.1/ https://0177.0.0.1/ https://%31%32%37.0.0.1/ https://①②⑦.0.0.1/
      https://127。0。0。1/ https:127.0.0.1 https:/127.0.0.1 https://0/ https://0x/ https://[::1]/
      https://[0:0:0:0:0:0:0:1]/ https://[::]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/
      https://[::127.0.0.1]/ https://[64:ff9b::7f00:1]/ https://[64:ff9b::]/ https://[64:ff9b::1]/
      https://[64:ff9b::10.0.0.1]/ https://[64:ff9b::a9fe:a9fe]/ https://[64:ff9b:1::808:808]/
      https://169.254.169.254/latest/meta-data https://3232235777/`),
  ],
  [/at most 2,000 characters/, [`https://example.com/${'ü'.repeat(500)}`]],
];
for (const [issue, urls] of rejected)
  test(`a webhook’s URL may not be ${urls[0]}, or one like it: ${issue.source}`, () => {
    for (const url of urls) assert.match(targets.issueOf(url) ?? '', issue, url);
  });

test('addresses that --webhook-allow names may be in a URL, also with HTTP, and no others', () => {
  for (const url of all(`
    http://192.168.1.7/ https://192.168.1.7:444/ http://127.0.0.1:9000/ http://[::ffff:127.0.0.1]/
    http://[fd12::1]/ http://localhost:9000/ http://till.lan/`))
    assert.equal(withLan.issueOf(url), undefined, url);
  for (const url of all(
    'http://1.1.1.1/ http://192.168.2.7/ https://192.168.2.7/ http://127.0.0.2/ https://[fe80::1]/',
  ))
    assert.match(withLan.issueOf(url) ?? '', /--webhook-allow/, url);
});

test('a connection to an address that is not public, or to none, is blocked', () => {
  for (const address of [
    '',
    ...all(`
    0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
    168.63.129.16 169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.2.1
    192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 198.51.100.254 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::ffff:1.1.1.1 ::ffff:10.0.0.1 ::1.1.1.1
    64:ff9b::10.1.1.1 64:ff9b:1::1 100::1 fc00::1 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 5f00::1
    2001::1 2001:2::1 2001:10::1 2001:1ff::1 2001:db8::1 2002:7f00:1::1 3fff::1 localhost example.com 1.1.1
    0x01010101`),
  ])
    assert.equal(targets.permits(address, 'https:'), false, address);
});

test('a connection to a public address is made over HTTPS alone', () => {
  for (const address of all(`
    1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
    223.255.255.255 2001:200::1 2606:4700:4700::1111 2a00:1450::1`)) {
    const permitted = ['https:', 'http:', 'ftp:'].map((protocol) => targets.permits(address, protocol));
    assert.deepEqual(permitted, [true, false, false], address);
  }
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
