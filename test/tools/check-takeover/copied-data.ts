// A data folder whose database Litestream copies to a folder of the other machine, once a second: what was
// acknowledged since then is lost with the machine, and no disk keeps the old one from acknowledging more.
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Litestream } from '../check-litestream/litestream.ts';

const copyMillisecondsMax = 20_000;
/** Without them all sessions would end, and devices had to trust another authority. */
const keys = ['secret.key', 'tls'];

export type CopyOptions = { readonly program: string; readonly folder: string; readonly otherFolder: string };

export class CopiedData {
  readonly folder: string;
  readonly #options: CopyOptions;
  readonly #copier: Litestream;

  constructor(options: CopyOptions) {
    this.folder = join(options.folder, 'data');
    this.#options = options;
    this.#copier = this.#litestream(options.otherFolder);
  }

  /** Puts what the other machine has copied here in place of the own data. Nobody signs in anew. */
  async takeOver(): Promise<void> {
    const restored = join(this.#options.folder, 'restored');
    for (const folder of [this.folder, restored]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
    }
    cpSync(join(this.#options.folder, 'keys'), this.folder, { recursive: true });
    await this.#litestream(this.#options.folder).restore(restored);
    renameSync(join(restored, 'copy.db'), join(this.folder, 'orderly.db'));
  }

  /** Resolves once the other machine could take over. */
  async start(): Promise<void> {
    for (const name of keys)
      cpSync(join(this.folder, name), join(this.#options.otherFolder, 'keys', name), { recursive: true });
    this.#copier.written = '';
    this.#copier.start();
    const end = performance.now() + copyMillisecondsMax;
    while (!this.#copier.written.includes('snapshot written') && performance.now() < end) await pause(50);
  }

  async stop(): Promise<void> {
    await this.#copier.kill();
  }

  #litestream(replicaFolder: string): Litestream {
    const { program, folder } = this.#options;
    const database = join(this.folder, 'orderly.db');
    return new Litestream(program, { folder, database, replica: join(replicaFolder, 'replica') });
  }
}
