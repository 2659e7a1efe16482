// Runs commands one after the other in one process, for tests that need the command but no process of its own. It
// is forked by command-support.ts, which sends it each command and receives how it ended.
import { inspect } from 'node:util';
import { run } from '../../src/main.ts';
import type { Ended, HostedCommand } from './command-support.ts';

const streams = ['stdout', 'stderr'] as const;

process.on('message', (command: HostedCommand) => {
  void runHosted(command).then((ended) => process.send?.(ended));
});

async function runHosted({ args, env, cwd }: HostedCommand): Promise<Ended> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const output = { stdout: '', stderr: '' };
  for (const name of streams)
    process[name].write = (text: string | Uint8Array, ...rest: unknown[]) => {
      output[name] += text.toString();
      const done = rest.at(-1);
      if (typeof done === 'function') setImmediate(() => done());
      return true;
    };
  try {
    const status = await run(args);
    return { status, ...output };
  } catch (error) {
    return { status: 1, ...output, stderr: output.stderr + inspect(error) };
  } finally {
    for (const name of streams) process[name].removeAllListeners('error');
  }
}
