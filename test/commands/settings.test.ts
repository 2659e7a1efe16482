// Settings: where they come from, and all their issues at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNames, commands, type CommandName } from '../../src/commands/commands.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { ConfigError } from '../../src/config/command-error.ts';
import { assertAll } from '../support/command-support.ts';

const faults: readonly (readonly [line: string, ...complaints: RegExp[]])[] = [
  ['restore', /^FILE is missing$/],
  ['restore a b c', /^unexpected argument "b"$/, /^unexpected argument "c"$/],
  ['keys create --name n', /^--email EMAIL is missing$/, /^--scopes LIST is missing$/],
  ['sample --orders 0 --seed x', /^--orders must be a whole number from 1 .*, not "0"$/, /^--seed must be/],
  ['sample --until soon', /^--until must be now, or a time such as 2026-01-01, not "soon"$/],
  ['check -d', /^-d is unknown; --help/],
  ['check --data', /^--data needs a value$/],
  [
    'check --data --log=debug --tls-cert --tls-key=x',
    /^--data needs a value, not the flag --log=/,
    /^--tls-cert needs a value, not the flag --tls-key=x$/,
  ],
  ['restore x --force=yes', /^--force takes no value$/],
  ['check --constructor --__proto__=1', /^--constructor is unknown/, /^--__proto__ is unknown/],
  ['check --log info --log warn', /^--log is given more than once$/],
  ['serve --port 1e3', /^--port must be a whole number from 0 to 65535, not "1e3"$/],
  [
    'serve --rate-default 5 --rate-anonymous 0/60',
    /^--rate-default must be like 600\/60/,
    /^--rate-anonymous must be/,
  ],
  ['serve --jwt-secrets planted', /^--jwt-secrets must be secrets of at least 32 bytes each$/],
  [
    'serve --host [::1]',
    /^--host must be an address or a host name, without brackets and port, not "\[::1\]"$/,
  ],
  ['serve --host localhost:8443', /^--host must be an address/],
  ['serve --trusted-proxy 10.0.0.0/33', /^--trusted-proxy must be addresses or blocks/],
  [
    'serve --cors-origins https://a.example/path --public-url example.com --default-country de',
    /^--public-url must be/,
    /^--default-country must be a country code/,
    /^--cors-origins must be/,
  ],
  [
    'serve --cors-origins https://A.example:443 --public-url https://orders.example.com/?',
    /^--public-url must be like https/,
    /^--cors-origins must be like https/,
  ],
  [
    'serve --cors-origins https://*.example.com',
    /^--cors-origins must be like https:\/\/orders\.example\.com, without \*, not "https/,
  ],
  ['serve --public-url https://:planted@orders.example.com', /^--public-url must be like https/],
  ['serve --tls files --tls-cert x', /^--tls files requires --tls-cert and --tls-key$/],
  ['serve --tls-cert x', /^--tls-cert and --tls-key are only used with --tls files$/],
  [
    'serve --registration half --api-key-query maybe --log loud',
    /^--registration must be open or closed/,
    /^--api-key-query must be on or off/,
    /^--log must be debug, info, warn, error or off, not "loud"$/,
  ],
  ...['null', 'file://', 'capacitor://localhost/path', 'tauri://a@localhost', 'about:blank', 'app:///'].map(
    (text) =>
      [
        `serve --cors-origins ${text}`,
        /^--cors-origins must be like https:\/\/orders\.example\.com, not "/,
      ] as const,
  ),
];
for (const [text, ...complaints] of faults)
  test(`the line "${text}" is rejected`, () => {
    const name = commandNames.find((each) => `${text} `.startsWith(`${each} `)) ?? assert.fail();
    assertAll(issuesOf(name, text.slice(name.length)), complaints);
  });

test('the environment wins over .env, and flags win over both', () => {
  const dotEnv = { ORDERLY_DATA: 'c', ORDERLY_PORT: '3', ORDERLY_LOG: 'off' };
  const { config } = readCommandLine(['--data=a'], {
    environment: { ORDERLY_DATA: 'b', ORDERLY_PORT: '2' },
    dotEnv,
  });
  assert.deepEqual([config.dataFolder, config.port, config.log], ['a', 2, 'off']);
});

test('a slash at the end of an origin is removed', () => {
  const { config } = readCommandLine(
    ['--public-url=https://orders.example.com/', '--cors-origins=https://a.example/,https://b.example'],
    {},
  );
  assert.deepEqual(
    [config.publicUrl, config.corsOrigins],
    ['https://orders.example.com', ['https://a.example', 'https://b.example']],
  );
});

test('an unknown variable of orderly is an issue, in the environment and in .env', () => {
  const issues = issuesOf('check', '', { ORDERLY_JWT_SECRET: 'planted' }, { ORDERLY_PROT: '1' });
  assertAll(issues, [/^ORDERLY_PROT is unknown/, /^ORDERLY_JWT_SECRET is unknown/]);
  assert.doesNotMatch(issues.join(), /planted/);
});

for (const [name, issue] of [
  ['ORDERLY-LOG', 'ORDERLY-LOG is unknown; write ORDERLY_LOG'],
  ['orderly_log', 'orderly_log is unknown; write ORDERLY_LOG'],
  ['Orderly.Public.Url', 'Orderly.Public.Url is unknown; write ORDERLY_PUBLIC_URL'],
  ['ORDERLY_LOGS', 'ORDERLY_LOGS is unknown; --help lists the settings'],
] as const)
  test(`a variable in other letters is an issue that has the right ones: ${name}`, () => {
    assertAll(issuesOf('serve', '', {}, { [name]: '' }), [new RegExp(`^${issue}$`)]);
  });

test('the administrator of the environment needs a valid address and a valid password', () => {
  assertAll(issuesOf('serve', '', { ORDERLY_ADMIN_EMAIL: 'root', ORDERLY_ADMIN_PASSWORD: 'password' }), [
    /^ORDERLY_ADMIN_EMAIL is invalid: /,
    /^ORDERLY_ADMIN_PASSWORD is invalid: .*too common/,
  ]);
  assertAll(issuesOf('serve', '', { ORDERLY_ADMIN_EMAIL: 'root@example.com' }), [/must be set together/]);
  const given = { ORDERLY_ADMIN_EMAIL: 'root@example.com', ORDERLY_ADMIN_PASSWORD: 'nineteen characters' };
  assert.ok(readCommandLine(['--password-min=19'], { environment: given }));
  assertAll(issuesOf('serve', '--password-min=20', given), [/^ORDERLY_ADMIN_PASSWORD .*20 to 128/]);
});

function issuesOf(name: CommandName, line: string, environment = {}, dotEnv = {}): readonly string[] {
  try {
    readCommandLine(line.split(' ').filter(Boolean), { environment, dotEnv }, commands[name]);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.issues;
  }
  return assert.fail('nothing was found wrong');
}
