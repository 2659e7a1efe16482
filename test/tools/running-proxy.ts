// A proxy, as a process of a check.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from '../support/running-program.ts';

type Place = { readonly folder: string; readonly port: number };

const startMillisecondsMax = 20_000;

/** Debian's proxies are no programs of ordinary accounts. */
export const environment = { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };

/** Starts it with a folder of its own. Resolves once it listens; throws with what it has written if it doesn't. */
export async function startListening(
  command: readonly string[],
  { folder, port }: Place,
): Promise<{ stop(): Promise<void> }> {
  const env = { ...environment, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const { child, end, written } = runProgram(command, { env });
  const late = performance.now() + startMillisecondsMax;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > late)
      throw new Error(`${command[0]} doesn't listen: ${written()}${logOf(folder)}`);
    await pause(100);
  }
  return {
    async stop() {
      await end();
    },
  };
}

function logOf(folder: string): string {
  const file = join(folder, 'error.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
