// The command line: help, exit statuses, and all that is wrong at once.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  commandNames,
  helpText,
  loadCommand,
  type Command,
  type CommandName,
} from '../../src/commands/commands.ts';
import { readCommandLine } from '../../src/config/command-line.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { settings } from '../../src/config/settings.ts';
import { version } from '../../src/version.ts';
import { dataFolder, newFolder, orderly } from './command-support.ts';

describe('the command line', { concurrency: true }, () => {
  test('--version prints the version of package.json, wherever it stands', async () => {
    const { version: packaged } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    );
    assert.equal(version, packaged);
    const stdout = `${packaged}\n`;
    assert.deepEqual(await orderly(['backup', '--version']), { status: 0, stdout, stderr: '' });
  });

  test('--help lists all commands and settings in 80 columns', async () => {
    const { status, stdout, stderr } = await orderly(['--help']);
    assert.deepEqual([status, stderr, stdout], [0, '', `${await helpText()}\n`]);
    for (const name of commandNames) assert.match(stdout, new RegExp(`^  ${name}\\b`, 'm'));
    for (const { flag } of settings) assert.match(stdout, new RegExp(`^  --${flag} [A-Z]`, 'm'));
    assertNarrow(stdout);
  });

  for (const line of ['-h', 'help', 'help --help']) {
    test(`"${line}" is the help on all commands`, async () => {
      const stdout = `${await helpText()}\n`;
      assert.deepEqual(await orderly(line.split(' ')), { status: 0, stdout, stderr: '' });
    });
  }

  test('help on a word that several commands begin with is the help on each', async () => {
    const both = `${await helpText('admin create')}\n\n${await helpText('admin reset')}`;
    for (const line of ['admin --help', 'admin -h', 'help admin']) {
      assert.deepEqual(await orderly(line.split(' ')), { status: 0, stdout: `${both}\n`, stderr: '' });
    }
    const one = await orderly(['help', 'admin', 'create']);
    assert.equal(one.stdout, `${await helpText('admin create')}\n`);
  });

  test('-v prints the version', async () => {
    assert.deepEqual(await orderly(['-v']), { status: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('--help of a command says what it takes in 80 columns', async () => {
    const { status, stdout } = await orderly(['keys', 'create', '--help']);
    assert.deepEqual([status, stdout], [0, `${await helpText('keys create')}\n`]);
    for (const [name, { operands, flags }] of commands) {
      const help = await helpText(name);
      assert.ok(help.startsWith(`Usage: orderly ${[name, ...operands].join(' ')} `));
      for (const { flag } of [...flags, { flag: 'data' }])
        assert.match(help, new RegExp(`^  --${flag}\\b`, 'm'));
      assertNarrow(help);
    }
  });

  const wrong: readonly (readonly [command: string, status: number, complaints: readonly RegExp[]])[] = [
    ['bakup', 64, [/no command "bakup"; did you mean backup\?/]],
    ['admin creat', 64, [/no command "admin creat"; did you mean admin create\?/]],
    ['admin remove', 64, [/no command "admin remove"; there are admin create, admin reset$/]],
    ['export users', 64, [/no command "export users"; there are export orders, export customers/]],
    ['help nonsense', 64, [/no command "nonsense"; there are serve, admin create/]],
    ['serve --prot=8443', 78, [/--prot is unknown; did you mean --port\?/]],
    ['keys create --name n', 64, [/--email EMAIL is missing/, /--scopes LIST is missing/]],
    ['keys create --email a@example.com --name n --scopes orders:eat', 64, [/--scopes: .*orders:write/]],
    [
      'serve --port 99999 --tls maybe --nope',
      78,
      [/--nope is unknown/, /--port must be .*, not "99999"/, /--tls must be .*, not "maybe"/],
    ],
    [
      '--tls files --tls-cert none.pem --tls-key none.pem --port 0',
      78,
      [/none.pem.* can't be used: none.pem can't be opened: it does not exist/],
    ],
    [
      '--host 203.0.113.7 --tls off',
      78,
      [/can't listen on 203.0.113.7, port 8443: this machine does not have this address/],
    ],
    ['check --data nowhere', 1, [/There is no orderly database at nowhere.orderly\.db/]],
    [
      'keys create --email a@example.com --name n --scopes orders:read --data nowhere',
      1,
      [/There is no orderly database/],
    ],
    ['--data THIS-FILE/x', 1, [/can't be opened: a part of its path is not a folder/]],
    ['--data /proc/nowhere', 1, [/\/proc\/nowhere can't be opened/]],
  ];
  for (const [line, status, complaints] of wrong) {
    test(`"${line}" ends with ${status} and says why`, async (t) => {
      const args = line.split(' ').map((arg) => arg.replace('THIS-FILE', import.meta.filename));
      if (!args.includes('--data')) args.push(`--data=${await dataFolder(t)}`);
      const ended = await orderly(args, { cwd: newFolder(t) });
      assert.deepEqual([ended.status, ended.stdout], [status, ''], ended.stderr);
      assertAll(
        ended.stderr.trim().split('\n'),
        complaints.map(({ source }) => new RegExp(`^orderly: .*${source}`)),
      );
    });
  }

  test('a .env is read, and flags go before it', async (t) => {
    const cwd = newFolder(t);
    writeFileSync(join(cwd, '.env'), 'ORDERLY_DATA=from-file\nORDERLY_LOG=loud\n');
    const both = await orderly(['check'], { cwd });
    assert.deepEqual(
      [both.status, both.stderr],
      [78, 'orderly: ORDERLY_LOG must be debug or info or warn or error or off, not "loud"\n'],
    );
    assert.match((await orderly(['check', '--log=warn'], { cwd })).stderr, /at from-file/);
  });

  test('openapi prints the document for the address that is configured, and makes nothing', async (t) => {
    const cwd = newFolder(t);
    const { status, stdout } = await orderly(['openapi', '--public-url', 'https://orders.example.com'], {
      cwd,
    });
    assert.equal(status, 0);
    const { openapi, servers, paths } = JSON.parse(stdout);
    assert.match(openapi, /^3\.1/);
    assert.equal(servers[0].url, 'https://orders.example.com');
    assert.ok('/orders/{id}' in paths);
  });
});

const commands = new Map<CommandName, Command>();
for (const name of commandNames) commands.set(name, await loadCommand(name));

describe('settings', () => {
  const faultTable: readonly (readonly [
    name: string,
    command: CommandName,
    line: string,
    complaints: readonly RegExp[],
  ])[] = [
    ['an operand that is missing', 'backup', '', [/^FILE is missing$/]],
    ['operands beyond', 'restore', 'a b c', [/^unexpected argument "b"$/, /^unexpected argument "c"$/]],
    ['a required flag that is missing', 'admin create', '', [/^--email EMAIL is missing$/]],
    [
      'wrong flags of a command',
      'sample',
      '--orders 0 --seed x',
      [/^--orders must be a whole number from 1 .*, not "0"$/, /^--seed must be/],
    ],
    [
      'a time that is none',
      'sample',
      '--until soon',
      [/^--until must be now, or a time such as 2026-01-01, not "soon"$/],
    ],
    ['a short flag', 'check', '-d', [/^-d is unknown; --help/]],
    ['a flag without its value', 'check', '--data', [/^--data needs a value$/]],
    ['a value for a flag without', 'restore', 'x --force=yes', [/^--force takes no value$/]],
    [
      'a flag named as what every object has',
      'check',
      '--constructor --__proto__=1',
      [/^--constructor is unknown/, /^--__proto__ is unknown/],
    ],
    ['a flag given twice', 'check', '--log info --log warn', [/^--log is given more than once$/]],
    [
      'a port that is none',
      'serve',
      '--port 1e3',
      [/^--port must be a whole number from 0 to 65535, not "1e3"$/],
    ],
    [
      'rates',
      'serve',
      '--rate-default 5 --rate-anonymous 0/60',
      [/^--rate-default must be like 600\/60/, /^--rate-anonymous must be/],
    ],
    [
      'a short secret, which is not repeated',
      'serve',
      '--jwt-secrets planted',
      [/^--jwt-secrets must be secrets of at least 32 bytes each$/],
    ],
    ['proxies', 'serve', '--trusted-proxy 10.0.0.0/33', [/^--trusted-proxy must be addresses or blocks/]],
    [
      'origins',
      'serve',
      '--cors-origins https://a.example/path --public-url example.com --default-country de',
      [/^--public-url must be/, /^--default-country must be a country code/, /^--cors-origins must be/],
    ],
    [
      'origins not as browsers write them',
      'serve',
      '--cors-origins https://A.example:443 --public-url https://orders.example.com/?',
      [/^--public-url must be like https/, /^--cors-origins must be like https/],
    ],
    [
      'a public URL with a password',
      'serve',
      '--public-url https://:planted@orders.example.com',
      [/^--public-url must be like https/],
    ],
    [
      'half a certificate',
      'serve',
      '--tls files --tls-cert x',
      [/^--tls files requires --tls-cert and --tls-key$/],
    ],
    [
      'a certificate that is not asked for',
      'serve',
      '--tls-cert x',
      [/^--tls-cert and --tls-key are only used with --tls files$/],
    ],
    [
      'modes',
      'serve',
      '--registration half --api-key-query maybe --log loud',
      [/^--registration must be open or closed/, /^--api-key-query must be on or off/, /^--log must be/],
    ],
  ];
  for (const [name, command, line, complaints] of faultTable) {
    test(`${name}: "${command} ${line}" is rejected`, () => assertAll(issuesOf(command, line), complaints));
  }

  test('the environment goes before .env, and flags before both', () => {
    const dotEnv = { ORDERLY_DATA: 'c', ORDERLY_PORT: '3', ORDERLY_LOG: 'off' };
    const { config } = readCommandLine(['--data=a'], { ORDERLY_DATA: 'b', ORDERLY_PORT: '2' }, dotEnv);
    assert.deepEqual([config.data, config.port, config.log], ['a', 2, 'off']);
  });

  test('a slash at the end of an origin is left out', () => {
    const { config } = readCommandLine(
      ['--public-url=https://orders.example.com/', '--cors-origins=https://a.example/,https://b.example'],
      {},
      {},
    );
    assert.deepEqual(
      [config.publicUrl, config.corsOrigins],
      ['https://orders.example.com', ['https://a.example', 'https://b.example']],
    );
  });

  test('a variable of orderly that is not known is an issue, in the environment and in .env', () => {
    const issues = issuesOf('check', '', { ORDERLY_JWT_SECRET: 'planted' }, { ORDERLY_PROT: '1' });
    assertAll(issues, [/^ORDERLY_PROT is unknown/, /^ORDERLY_JWT_SECRET is unknown/]);
    assert.doesNotMatch(issues.join(), /planted/);
  });

  test('variables that Kubernetes sets for a Service of this name are named as such', () => {
    const links = { ORDERLY_PORT: 'tcp://10.0.0.1:8443', ORDERLY_SERVICE_HOST: '10.0.0.1' };
    assertAll(issuesOf('serve', '', links), [
      /^ORDERLY_PORT must be a whole number/,
      /^ORDERLY_SERVICE_HOST is unknown/,
      /^Kubernetes sets .*enableServiceLinks: false/,
    ]);
  });

  test('the administrator of the environment needs an address and a password that would do', () => {
    assertAll(issuesOf('serve', '', { ORDERLY_ADMIN_EMAIL: 'root', ORDERLY_ADMIN_PASSWORD: 'password' }), [
      /^ORDERLY_ADMIN_EMAIL is invalid: /,
      /^ORDERLY_ADMIN_PASSWORD is invalid: .*too common/,
    ]);
    assertAll(issuesOf('serve', '', { ORDERLY_ADMIN_EMAIL: 'root@example.com' }), [/must be set together/]);
    const given = { ORDERLY_ADMIN_EMAIL: 'root@example.com', ORDERLY_ADMIN_PASSWORD: 'nineteen characters' };
    assert.ok(readCommandLine(['--password-min=19'], given, {}));
    assertAll(issuesOf('serve', '--password-min=20', given), [/^ORDERLY_ADMIN_PASSWORD .*20 to 128/]);
  });
});

function issuesOf(name: CommandName, line: string, environment = {}, dotEnv = {}): readonly string[] {
  try {
    readCommandLine(line.split(' ').filter(Boolean), environment, dotEnv, commands.get(name));
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.issues;
  }
  return assert.fail('nothing was found wrong');
}

function assertAll(lines: readonly string[], patterns: readonly RegExp[]): void {
  assert.equal(lines.length, patterns.length, lines.join('\n'));
  patterns.forEach((pattern, index) => assert.match(lines[index] ?? '', pattern));
}

function assertNarrow(text: string): void {
  assert.deepEqual(
    text.split('\n').filter((line) => [...line].length > 80),
    [],
  );
}
