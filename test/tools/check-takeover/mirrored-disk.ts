// The half of a disk that this machine has, and its mirror on the other one, where a shop has DRBD. A write is
// complete once both halves have it, or, alone, the own one; what ends when, is decided by the keeper.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const port = '10809';
const startMillisecondsMax = 5_000;

export type MirrorOptions = {
  /** It has the own half. */
  readonly folder: string;
  readonly loopDevice: string;
  readonly own: string;
  readonly other: string;
};

export class MirroredDisk {
  readonly #half: string;
  /** A file whose content is the mirrored disk while it is open. */
  readonly #whole: string;
  readonly #options: MirrorOptions;
  #daemon: ChildProcess | undefined;
  readonly folder: string;

  constructor(options: MirrorOptions) {
    const { folder } = options;
    this.#half = join(folder, 'half');
    this.#whole = join(folder, 'whole');
    this.folder = join(folder, 'mounted');
    this.#options = options;
  }

  /** Lets the other machine write this half, under a name that only this term of it knows. */
  offer(term: string): void {
    this.#start([
      ...['--blockdev', `driver=file,node-name=half,filename=${this.#half}`],
      ...['--nbd-server', `addr.type=inet,addr.host=${this.#options.own},addr.port=${port}`],
      ...['--export', `type=nbd,id=half,node-name=half,name=${term},writable=on`],
    ]);
  }

  /** Makes the other half equal to this one, which nobody writes. DRBD does that beside the service. */
  async copyTo(term: string): Promise<boolean> {
    const uri = `nbd://${this.#options.other}:${port}/${term}`;
    const args = ['convert', '-n', '-f', 'raw', '-O', 'raw', '-t', 'writeback', this.#half, uri];
    const copied = run('qemu-img', args, { timeout: 30_000 });
    return copied.then(
      () => true,
      () => false,
    );
  }

  /** Whether the other machine listens for a mirror now. */
  otherListens(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect({ host: this.#options.other, port: Number(port), timeout: 500 });
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket
      .on('connect', () => end(true))
      .on('timeout', () => end(false))
      .on('error', () => end(false));
    return promise;
  }

  /** With a term, each write also goes to the half that was offered for it. */
  async mount(term: string | undefined): Promise<void> {
    const own = ['--blockdev', `driver=file,node-name=half,filename=${this.#half}`];
    const { other } = this.#options;
    const server = `server.type=inet,server.host=${other},server.port=${port}`;
    const both = [
      ...['--blockdev', `driver=nbd,node-name=other,${server},export=${term}`],
      ...['--blockdev', 'driver=quorum,node-name=both,vote-threshold=2,children.0=half,children.1=other'],
    ];
    const node = term === undefined ? 'half' : 'both';
    closeSync(openSync(this.#whole, 'w'));
    this.#start([
      ...own,
      ...(term === undefined ? [] : both),
      ...['--export', `type=fuse,id=whole,node-name=${node},mountpoint=${this.#whole},writable=on`],
    ]);
    const begin = performance.now();
    while (statSync(this.#whole).size === 0) {
      assert.ok(performance.now() - begin < startMillisecondsMax, 'the mirror does not open');
      assert.ok(this.#daemon?.exitCode === null, 'the mirror ended');
      await pause(10);
    }
    // `mount -o loop` would ask all other loop devices, also one whose machine is frozen
    const { loopDevice } = this.#options;
    await run('losetup', [loopDevice, this.#whole]);
    await run('mount', [loopDevice, this.folder]).finally(() => run('losetup', ['-d', loopDevice]));
  }

  /** Once the writer of the mounted disk has ended by itself. */
  async unmount(): Promise<void> {
    await run('umount', [this.folder]);
    await this.close();
  }

  /** Whatever still writes gets errors from now on. */
  async close(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (daemon !== undefined && daemon.exitCode === null && daemon.signalCode === null) {
      const closed = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await closed;
    }
    for (const mounted of [this.folder, this.#whole])
      while (spawnSync('umount', ['-l', mounted], { stdio: 'ignore' }).status === 0);
  }

  #start(args: readonly string[]): void {
    assert.equal(this.#daemon, undefined);
    this.#daemon = spawn('qemu-storage-daemon', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}
