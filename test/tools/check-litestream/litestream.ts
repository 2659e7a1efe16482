// The real Litestream on one database, run by the commands of the page "A second machine", with the paths of
// this check in place of the page's.
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../support/second-machine-page.ts';

const run = promisify(execFile);

type Places = {
  readonly folder: string;
  readonly database: string;
  /** A folder. */
  readonly replica: string;
};

const [pageConfig = assert.fail('the page has no configuration')] = blocksOf('Litestream', 'yaml');
const [replicate = '', restore = assert.fail('the page has no command to restore')] = blocksOf('Litestream');

export class Litestream {
  readonly #path: string;
  readonly #config: string;
  /** Texts of the page, and their replacements. */
  readonly #places: ReadonlyMap<string, string>;
  #child: ChildProcess | undefined;
  /** The end of its output. */
  written = '';

  constructor(program: string, { folder, database, replica }: Places) {
    this.#path = `${dirname(program)}:${process.env['PATH']}`;
    this.#config = join(folder, 'litestream.yml');
    this.#places = new Map([
      ['/etc/litestream.yml', this.#config],
      ['/var/lib/orderly/orderly.db', database],
      ['/mnt/second/orderly-replica', replica],
      ['/srv/orderly-replica', replica],
    ]);
  }

  async version(): Promise<string> {
    return (await this.#run('litestream version')).trim();
  }

  start(): void {
    writeFileSync(this.#config, this.#here(pageConfig));
    const child = spawn('sh', ['-c', `exec ${this.#here(replicate)}`], {
      env: { PATH: this.#path },
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
  async generations(): Promise<number> {
    const config = '-config /etc/litestream.yml /var/lib/orderly/orderly.db';
    const [, ...rows] = (await this.#run(`litestream generations ${config}`)).trim().split('\n');
    return rows.length;
  }

  /** Leaves `copy.db` in the folder. */
  async restore(folder: string): Promise<void> {
    await this.#run(restore, folder);
  }

  #here(text: string): string {
    let result = text;
    for (const [there, here] of this.#places) result = result.replaceAll(there, here);
    return result;
  }

  async #run(command: string, cwd?: string): Promise<string> {
    const env = { PATH: this.#path };
    return (await run('sh', ['-c', this.#here(command)], { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  }
}
