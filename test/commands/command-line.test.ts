// The command line: help, exit statuses, and all issues at once.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../../src/base/version.ts';
import { commandNames, commands, helpText } from '../../src/commands/commands.ts';
import { settings } from '../../src/service/features.ts';
import { assertAll, dataFolder, newFolder, orderly } from '../support/command-support.ts';
import { executable, testedVersion } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');

/** A line of arguments, and all that it prints. */
const printing: readonly (readonly [line: string, ...texts: string[]])[] = [
  ['backup --version', testedVersion],
  ['-v', testedVersion],
  ['--help', helpText()],
  ['-h', helpText()],
  ['help', helpText()],
  ['help --help', helpText()],
  ['admin --help', helpText('admin create'), helpText('admin reset')],
  ['admin -h', helpText('admin create'), helpText('admin reset')],
  ['help admin', helpText('admin create'), helpText('admin reset')],
  ['help admin create', helpText('admin create')],
  ['keys create --help', helpText('keys create')],
];
for (const [line, ...texts] of printing)
  test(`"${line}" prints the version or the help on what it names`, async () => {
    const stdout = `${texts.join('\n\n')}\n`;
    assert.deepEqual(await orderly(line.split(' ')), { status: 0, stdout, stderr: '' });
  });

test('the version is that of package.json', () => {
  const { version: packaged } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(version, packaged);
  if (executable !== undefined) assert.match(testedVersion, /^[\d.]+(-dev(\+[\da-f]{12}(\.changed)?)?)?$/);
});

test('the help lists all commands, their operands, and settings in 80 columns', () => {
  for (const name of commandNames) assert.match(helpText(), new RegExp(`^  ${name}\\b`, 'm'));
  for (const { flag } of settings) assert.match(helpText(), new RegExp(`^  --${flag} [A-Z]`, 'm'));
  assertNarrow(helpText());
  for (const name of commandNames) {
    const { operands = [], flags = [] } = commands[name];
    const help = helpText(name);
    assert.ok(help.startsWith(`Usage: orderly ${[name, ...operands].join(' ')} `));
    for (const { flag } of [...flags, { flag: 'data' }])
      assert.match(help, new RegExp(`^  --${flag}\\b`, 'm'));
    assertNarrow(help);
  }
});

function assertNarrow(text: string): void {
  const wide = text.split('\n').filter((line) => [...line].length > 80);
  assert.deepEqual(wide, []);
}

const keysCreate = 'keys create --email a@example.com --name n --scopes';
const wrong: readonly (readonly [command: string, status: number, ...complaints: RegExp[]])[] = [
  ['bakup', 64, /no command "bakup"; there are serve, admin create/],
  ['admin remove', 64, /no command "admin remove"; there are admin create, admin reset$/],
  ['help nonsense', 64, /no command "nonsense"; there are serve, admin create/],
  ['backup ', 64, /FILE is missing$/],
  ['serve --prot=8443', 78, /--prot is unknown; --help lists the flags/],
  [`${keysCreate} orders:eat`, 64, /--scopes: .*orders:write/],
  [
    'serve --port 99999 --tls maybe --nope',
    78,
    /--nope is unknown/,
    /--port must be .*, not "99999"/,
    /--tls must be .*, not "maybe"/,
  ],
  [
    '--tls files --tls-cert none.pem --tls-key none.pem --port 0',
    78,
    /none.pem.* can't be used: none.pem can't be opened: it does not exist/,
  ],
  [
    '--host 203.0.113.7 --tls off',
    78,
    /can't listen on 203.0.113.7, port 8443: this machine does not have this address/,
  ],
  ['check --data nowhere', 1, /There is no orderly database at nowhere.orderly\.db/],
  [`${keysCreate} orders:read --data nowhere`, 1, /There is no orderly database/],
  ['--data THIS-FILE/x', 1, /can't be opened: a part of its path is not a folder/],
  ['--data /proc/nowhere', 1, /\/proc\/nowhere can't be opened/],
  ['--host fe80::1 --tls off', 78, /fe80::1, port 8443: .* with its interface, such as fe80::1%eth0/],
];
for (const [line, status, ...complaints] of wrong)
  test(`"${line}" ends with ${status} and says why`, async (t) => {
    const args = line.split(' ').map((arg) => arg.replace('THIS-FILE', import.meta.filename));
    if (!args.includes('--data')) args.push(`--data=${await dataFolder(t)}`);
    const ended = await orderly(args, { cwd: newFolder(t) });
    assert.deepEqual([ended.status, ended.stdout], [status, ''], ended.stderr);
    const patterns = complaints.map(({ source }) => new RegExp(`^orderly: .*${source}`));
    assertAll(ended.stderr.trim().split('\n'), patterns);
  });

/** A .env, further flags, and what the start says. */
const dotEnvs: readonly (readonly [text: string | Buffer, flags: string[], status: number, issue: RegExp])[] =
  [
    [
      'ORDERLY_DATA=x\nORDERLY_LOG=loud\n',
      [],
      78,
      /^orderly: ORDERLY_LOG must be debug, .* or off, not "loud"\n$/,
    ],
    ['ORDERLY_DATA=from-file\nORDERLY_LOG=loud\n', ['--log=warn'], 1, / at from-file/],
    ['\ufeffORDERLY_DATA=from-file\r\n', [], 1, / at from-file/], // as some editors write it
    ['ORDERLY_DATA=a\nORDERLY_PORT\n', [], 78, /^orderly: line 2 of \.env can't be read/],
    [Buffer.from('ORDERLY_SHOP_NAME=Caf\xe9\n', 'latin1'), [], 78, /^orderly: \.env is not UTF-8/],
  ];
for (const [text, flags, status, issue] of dotEnvs)
  test(`a .env file of ${JSON.stringify(String(text))} is read, and flags such as ${flags} win over it`, async (t) => {
    const cwd = newFolder(t);
    writeFileSync(join(cwd, '.env'), text);
    const ended = await orderly(['check', ...flags], { cwd });
    assert.equal(ended.status, status);
    assert.match(ended.stderr, issue);
  });

const taken: readonly (readonly [line: string, flag: string])[] = [
  ['8444', 'port'], // npm start --port 8444
  ['', 'tls'], // npm start --tls=off
  ['restore x.db', 'force'],
  ['sample 5', 'orders'],
];
for (const [line, flag] of taken)
  test(`"${line}" of npm start, which took --${flag} for itself, ends with 78`, async (t) => {
    const env = { npm_lifecycle_event: 'start', [`npm_config_${flag}`]: '' };
    const { status, stderr } = await orderly(line.split(' ').filter(Boolean), { cwd: newFolder(t), env });
    assert.equal(status, 78, stderr);
    const what = `orderly: npm took --${flag} for itself: put -- before the flags`;
    assert.ok(stderr.startsWith(`${what}, as in "npm start -- --${flag} …"\n`), stderr);
  });

test('a flag that npm has in its own configuration may be given', async (t) => {
  const env = { npm_lifecycle_event: 'start', npm_config_force: 'true', npm_config_data: 'npm' };
  const { stderr } = await orderly(['restore', 'x.db', '--force', '--data=own'], { cwd: newFolder(t), env });
  assert.equal(stderr, 'orderly: x.db does not exist.\n');
});

test('openapi prints the document for the configured address, and creates nothing', async (t) => {
  const cwd = newFolder(t);
  const { status, stdout } = await orderly(['openapi', '--public-url', 'https://orders.example.com'], {
    cwd,
  });
  assert.deepEqual([status, readdirSync(cwd)], [0, []]);
  const { openapi, servers, paths } = JSON.parse(stdout);
  assert.match(openapi, /^3\.1/);
  assert.equal(servers[0].url, 'https://orders.example.com');
  assert.ok('/orders/{id}' in paths);
});

test('licenses prints those of orderly, of the data in its tables and of Node, and creates nothing', async (t) => {
  const cwd = newFolder(t);
  const { status, stdout } = await orderly(['licenses'], { cwd });
  assert.deepEqual([status, readdirSync(cwd)], [0, []]);
  assert.ok(stdout.startsWith(readFileSync(join(root, 'LICENSE'), 'utf8')));
  const parts = ['commerceguys/addressing', 'libphonenumber', 'zxcvbn-ts', 'Apache License', 'OpenSSL', 'V8'];
  for (const part of parts) assert.ok(stdout.includes(part), part);
});
