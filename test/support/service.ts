// A real service for a test: a port, a folder and a clock of its own. Everything goes through HTTP.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { PasswordHasher } from '../../src/auth/password.ts';
import { once as onceOnly } from '../../src/base/once.ts';
import { version } from '../../src/base/version.ts';
import { features, migrations } from '../../src/service/features.ts';
import { startService, type Service, type ServiceOptions } from '../../src/service/running-service.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { LineLogger } from '../../src/base/logger.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { openMigrated } from '../../src/storage/migrations.ts';
import { FrozenClock } from './frozen-clock.ts';
import { noAddress } from './receiver-names.ts';
import { cheapHasher } from './cheap-hasher.ts';
import { runProgram } from './running-program.ts';
import { send } from './service-call.ts';

export type TestResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The parsed JSON, or undefined. Tests read any member. */
  // deno-lint-ignore no-explicit-any
  readonly body: any;
};

export type Call = {
  /** Access token. */
  readonly token?: string | undefined;
  readonly key?: string | undefined;
  /** Sent as JSON; strings and buffers as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /**
   * Don't compare it with the OpenAPI document: it violates the API on purpose, or its path isn't declared.
   */
  readonly isUndescribed?: boolean;
};

type Fields = NonNullable<Call['headers']>;

/** The requests of one caller. */
export type Client = {
  get(path: string, headers?: Fields): Promise<TestResponse>;
  post(path: string, body?: unknown, headers?: Fields): Promise<TestResponse>;
  put(path: string, body?: unknown, headers?: Fields): Promise<TestResponse>;
  patch(path: string, body?: unknown, headers?: Fields): Promise<TestResponse>;
  delete(path: string, headers?: Fields): Promise<TestResponse>;
};

export type Person = Client & {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly sessionId: number;
};

export type TestService = {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly clock: FrozenClock;
  /** What was logged, as JSON lines. */
  readonly logged: string[];
  /** The service's objects, for what HTTP doesn't show; undefined if an executable is under test. */
  readonly inside: Service | undefined;
  readonly admin: { readonly email: string; readonly password: string };
  call(method: string, path: string, call?: Call): Promise<TestResponse>;
  get(path: string, call?: Call): Promise<TestResponse>;
  post(path: string, call?: Call): Promise<TestResponse>;
  put(path: string, call?: Call): Promise<TestResponse>;
  patch(path: string, call?: Call): Promise<TestResponse>;
  delete(path: string, call?: Call): Promise<TestResponse>;
  /** A new user of that role, signed in. */
  person(role?: 'user' | 'staff' | 'admin', name?: string): Promise<Person>;
  signIn(email: string, password: string): Promise<Person>;
  /** The first administrator, signed in. */
  root(): Promise<Person>;
  /** The requests with this credential; with none, a stranger's. */
  as(credential?: Pick<Call, 'token' | 'key'>): Client;
  /** Asks for new tokens of a session. */
  renew(session: Pick<Person, 'sessionId' | 'refreshToken'>, more?: Call): Promise<TestResponse>;
  /** Stops and starts again on the same folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export type TestOptions = {
  /** Flags without dashes. Rates are off unless named, except those of one-time codes and of sign-ups. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the service has resources of a file of their own, which `test/resources/` tests; by default not. */
  readonly hasDeclared?: true;
  readonly extraRoutes?: ServiceOptions['extraRoutes'];
  readonly fdatasync?: NonNullable<ServiceOptions['storage']>['fdatasync'];
  readonly onFatal?: (error: Error) => void;
  /** Without it no name has an address. */
  readonly lookup?: ServiceOptions['lookup'];
  readonly hasher?: PasswordHasher;
  /** Whether the first administrator is `admin`, or created by the service with a random password. */
  readonly firstAdmin?: 'given' | 'initial-admin.json';
  /** A folder with data in it; otherwise a new one. */
  readonly folder?: string;
};

export const executable = process.env['ORDERLY_EXECUTABLE'];
/** The options of a test that needs more than HTTP shows, such as the service’s clock. */
export const insideOnly = { skip: executable !== undefined && 'needs the inside of the service' };
/** A build adds its commit. */
export const testedVersion =
  executable === undefined
    ? version
    : execFileSync(executable, ['--version'], { encoding: 'utf8' }).trimEnd();
export const admin = { email: 'admin@example.com', password: 'the first administrator' };
export const password = 'a password for tests';
const firstTime = Date.parse('2026-03-01T09:30:00.000Z');

/** Ends with the test (or suite) `t`. */
export async function serviceFor(
  t: Pick<TestContext, 'after'>,
  options: TestOptions = {},
): Promise<TestService> {
  const folder = options.folder ?? (await newFolder());
  const clock = new FrozenClock(firstTime);
  const logged: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const starting: Start = { options, folder, clock, logged };
  let running = await start(starting);

  const call = (method: string, path: string, sent: Call = {}): Promise<TestResponse> =>
    send({ agent, port: running.port, inside: running.inside }, { ...sent, method, path });
  const as: TestService['as'] = (credential = {}) => ({
    get: (path, headers = {}) => call('GET', path, { ...credential, headers }),
    post: (path, body, headers = {}) => call('POST', path, { ...credential, body, headers }),
    put: (path, body, headers = {}) => call('PUT', path, { ...credential, body, headers }),
    patch: (path, body, headers = {}) => call('PATCH', path, { ...credential, body, headers }),
    delete: (path, headers = {}) => call('DELETE', path, { ...credential, headers }),
  });
  async function signIn(email: string, secret: string): Promise<Person> {
    const { status, body, text } = await call('POST', '/api/sessions', { body: { email, password: secret } });
    if (status !== 201) throw new Error(`sign-in failed: ${status} ${text}`);
    return {
      ...as({ token: body.accessToken }),
      id: body.userId,
      email,
      password: secret,
      token: body.accessToken,
      refreshToken: body.refreshToken,
      sessionId: body.id,
    };
  }
  let people = 0;
  const root = (): Promise<Person> => signIn(admin.email, admin.password);
  let firstAdmin: Promise<Person> | undefined;
  async function person(role: 'user' | 'staff' | 'admin' = 'user', name = 'Ada Lovelace'): Promise<Person> {
    people += 1;
    const email = `${role}${people}@example.com`;
    const token = role === 'user' ? undefined : (await (firstAdmin ??= root())).token;
    const { status, text } = await call('POST', '/api/users', {
      token,
      body: { name, email, password, ...(role === 'user' ? {} : { role }) },
    });
    if (status !== 201) throw new Error(`sign-up failed: ${status} ${text}`);
    return signIn(email, password);
  }
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    agent.destroy();
    stopped ??= running.stop();
    return stopped;
  };
  t.after(async () => {
    await stop();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    folder,
    clock,
    admin,
    call,
    as,
    signIn,
    root,
    renew: ({ sessionId, refreshToken }, more) =>
      call('POST', `/api/sessions/${sessionId}/tokens`, { body: { refreshToken }, ...more }),
    person,
    stop,
    get url() {
      return `http://127.0.0.1:${running.port}`;
    },
    get port() {
      return running.port;
    },
    get logged() {
      running.flush();
      return logged;
    },
    get inside() {
      return running.inside;
    },
    get: (path, sent) => call('GET', path, sent),
    post: (path, sent) => call('POST', path, sent),
    put: (path, sent) => call('PUT', path, sent),
    patch: (path, sent) => call('PATCH', path, sent),
    delete: (path, sent) => call('DELETE', path, sent),
    async restart() {
      await running.stop();
      running = await start(starting);
    },
  };
}

/** The same for a program that is no test: the service ends with `use`. */
export async function withService<T>(
  options: TestOptions,
  use: (service: TestService) => Promise<T>,
): Promise<T> {
  await using ends = new AsyncDisposableStack();
  const after = (end: unknown): void => ends.defer(end as () => Promise<void>); // it takes no arguments
  return await use(await serviceFor({ after }, options));
}

/** A new folder with an empty database, which a service opens faster than it migrates a new one. */
async function newFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  if (executable === undefined) writeFileSync(databaseFile(folder), await emptyDatabase());
  return folder;
}

const emptyDatabase = onceOnly(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-empty-'));
  (await openMigrated(folder, migrations)).close();
  const content = readFileSync(databaseFile(folder));
  rmSync(folder, { recursive: true });
  return content;
});

type Running = {
  readonly port: number;
  readonly inside: Service | undefined;
  flush(): void;
  stop(): Promise<void>;
};

const ratesOff = ['default', 'anonymous', 'login-account', 'login-account-total', 'login-address', 'created'];

/** The resources that the sources declare beside their own (`declaredFeature`). */
export const declaredNames = features.flatMap(({ name, declares }) =>
  declares?.scopes === undefined ? [] : name,
);

function argumentsFor({ settings = {}, hasDeclared }: TestOptions, folder: string): string[] {
  const all = {
    ...(hasDeclared === true || declaredNames.length === 0 ? {} : { without: declaredNames.join() }),
    port: '0',
    tls: 'off',
    data: folder,
    ...Object.fromEntries(ratesOff.map((name) => [`rate-${name}`, 'off'])),
    ...settings,
  };
  return Object.entries(all).map(([flag, value]) => `--${flag}=${value}`);
}

function environmentFor({ firstAdmin = 'given' }: TestOptions): Record<string, string> {
  return firstAdmin === 'given'
    ? { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password }
    : {};
}

type Start = {
  readonly options: TestOptions;
  readonly folder: string;
  readonly clock: FrozenClock;
  readonly logged: string[];
};

function start(starting: Start): Promise<Running> {
  return executable === undefined ? startInside(starting) : startExecutable(executable, starting);
}

async function startInside({ options, folder, clock, logged }: Start): Promise<Running> {
  const { config } = readCommandLine(argumentsFor(options, folder), {
    environment: environmentFor(options),
  });
  const sink = {
    write: (lines: string | Uint8Array) => logged.push(...lines.toString().trimEnd().split('\n')),
    writableLength: 0,
  };
  const log = new LineLogger({
    level: config.log,
    sink,
    isTerminal: false,
    hasColor: false,
    now: () => clock.now,
  });
  const { extraRoutes, fdatasync, onFatal, lookup = noAddress, hasher = cheapHasher() } = options;
  const service = await startService({
    config,
    log,
    hasher,
    now: () => clock.now,
    timers: clock,
    lookup,
    storage: {
      ...(fdatasync === undefined ? {} : { fdatasync }),
    },
    ...(extraRoutes === undefined ? {} : { extraRoutes }),
    ...(onFatal === undefined ? {} : { onFatal }),
  });
  return {
    port: Number(new URL(service.localUrl).port),
    inside: service,
    flush: () => log.flush(),
    stop: () => service.stop(),
  };
}

/** The same for an executable with orderly's command line. It has the real clock. */
async function startExecutable(program: string, { options, folder, logged }: Start): Promise<Running> {
  const { ORDERLY_EXECUTABLE: _notASetting, ...inherited } = process.env;
  const running = runProgram([program, ...argumentsFor(options, folder)], {
    env: { ...inherited, ...environmentFor(options) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (running.child.stdout !== null)
    createInterface({ input: running.child.stdout }).on('line', (line) => logged.push(line));
  const [, port] = await running.writes(/"url":"https?:\/\/[^"]+:(\d+)"/);
  return {
    port: Number(port),
    inside: undefined,
    flush: () => {},
    async stop() {
      await running.end();
    },
  };
}
