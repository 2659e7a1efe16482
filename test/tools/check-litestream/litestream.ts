// The real Litestream on one database, run by the commands of the page "A second machine", with the paths of
// this check in place of the page's.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blockOf } from '../../support/page-blocks.ts';
import { runProgram, type RunningProgram } from '../../support/running-program.ts';

type Places = {
  readonly folder: string;
  readonly database: string;
  /** A folder. */
  readonly replica: string;
};

const page = 'second-machine.md';
const pageConfig = blockOf(page, '# /etc/litestream.yml');
const replicate = blockOf(page, 'litestream replicate');
const restore = blockOf(page, 'litestream restore');

export class Litestream {
  readonly #path: string;
  readonly #config: string;
  /** Texts of the page, and their replacements. */
  readonly #places: readonly (readonly [there: string, here: string])[];
  #replicating: RunningProgram | undefined;

  constructor(program: string, { folder, database, replica }: Places) {
    this.#path = `${dirname(program)}:${process.env['PATH']}`;
    this.#config = join(folder, 'litestream.yml');
    this.#places = [
      ['/etc/litestream.yml', this.#config],
      ['/var/lib/orderly/orderly.db', database],
      ['/mnt/second/orderly-replica', replica],
      ['/srv/orderly-replica', replica],
    ];
  }

  start(): void {
    writeFileSync(this.#config, this.#here(pageConfig));
    this.#replicating = this.#begin(`exec ${replicate}`);
  }

  async kill(): Promise<void> {
    await this.#replicating?.end('SIGKILL');
  }

  /** What it has written since it was started. */
  written(): string {
    return this.#replicating?.written() ?? '';
  }

  async version(): Promise<string> {
    return (await this.#run('litestream version')).trim();
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

  async #run(command: string, cwd?: string): Promise<string> {
    const { ended, output, written } = this.#begin(command, cwd);
    const { code } = await ended;
    assert.equal(code, 0, `${command}: ${written()}`);
    return output.stdout;
  }

  #begin(command: string, cwd?: string): RunningProgram {
    return runProgram(['sh', '-c', this.#here(command)], { cwd, env: { PATH: this.#path } });
  }

  #here(text: string): string {
    return this.#places.reduce((result, [there, here]) => result.replaceAll(there, here), text);
  }
}
