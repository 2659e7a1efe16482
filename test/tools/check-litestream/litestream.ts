// The real Litestream on one database, with a replica in a folder.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Places = {
  readonly folder: string;
  readonly database: string;
  /** A folder. */
  readonly replica: string;
};

export class Litestream {
  readonly #program: string;
  readonly #config: string;
  readonly #database: string;
  #child: ChildProcess | undefined;
  /** The end of what it wrote. */
  written = '';

  constructor(program: string, { folder, database, replica: path }: Places) {
    this.#program = program;
    this.#database = database;
    this.#config = join(folder, 'litestream.yml');
    const replica = { type: 'file', path };
    writeFileSync(this.#config, JSON.stringify({ dbs: [{ path: database, replicas: [replica] }] }));
  }

  get version(): string {
    return this.#run('version').trim();
  }

  start(): void {
    const child = spawn(this.#program, ['replicate', '-config', this.#config], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        this.written = (this.written + text).slice(-100_000);
      });
    const killWithThis = (): unknown => child.kill('SIGKILL');
    process.on('exit', killWithThis);
    child.once('close', () => process.off('exit', killWithThis));
    this.#child = child;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  /** Each costs a snapshot of the whole database. */
  generations(): number {
    const [, ...rows] = this.#run('generations', '-config', this.#config, this.#database).trim().split('\n');
    return rows.length;
  }

  restore(file: string): void {
    rmSync(file, { force: true });
    this.#run('restore', '-config', this.#config, '-o', file, this.#database);
  }

  #run(...args: readonly string[]): string {
    return execFileSync(this.#program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
