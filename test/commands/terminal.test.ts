// The service and its commands on a terminal: their output, and a terminal that is closed or blocked.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { until } from '../support/storage-support.ts';
import { checked, dataFolder, program } from '../support/command-support.ts';

const noTerminal = {
  skip: spawnSync('script', ['--version']).error !== undefined && 'there is no script(1)',
};

describe('orderly on a terminal', { concurrency: true }, () => {
  test(
    'on a terminal the start says where it listens, the log is lines for people, coloured unless ' +
      'NO_COLOR says no, and Ctrl-C ends it',
    noTerminal,
    async (t) => {
      for (const [env, hasEscapes] of [
        [{}, true],
        [{ NO_COLOR: '1' }, false],
      ] as const) {
        const { shown, status } = await onTerminal(
          `exec ${quoted(program)} --port 0 --tls off --data ${await dataFolder(t)}`,
          env,
        );
        assert.match(shown, /orderly \S+ listens on http:\/\/localhost:\d+\r\n/);
        assert.match(shown, /Console, for people: http:\/\/localhost:\d+\/console\r\n/);
        assert.match(shown, /\d\d:\d\d:\d\d .*info.* SIGINT: finishing open requests/);
        assert.equal(status, 0);
        // eslint-disable-next-line no-control-regex
        assert.equal(/\x1b/.test(shown), hasEscapes);
      }
    },
  );

  test(
    'a terminal that accepts no more output stops nothing, and closing it ends the service',
    noTerminal,
    async (t) => {
      const folder = await dataFolder(t);
      const command = `echo pid $$; exec ${quoted(program)} --port 0 --tls off --data ${folder}`;
      const terminal = spawn('script', ['-qec', command, '/dev/null'], {
        timeout: 60_000,
        env: { PATH: process.env['PATH'], TERM: 'xterm' },
      });
      t.after(() => terminal.kill('SIGKILL'));
      let shown = '';
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
        shown += text;
      });
      await until(() => shown.includes('Ctrl-C stops'));
      const pid = Number(/pid (\d+)/.exec(shown)?.[1]);
      const url = /listens on (\S+)/.exec(shown)?.[1] ?? '';
      terminal.stdout.pause();
      const path = 'x'.repeat(7_000); // a hundred log lines exceed the buffers
      for (let count = 0; count < 150; count += 1) await (await fetch(`${url}/${path}`)).text();
      terminal.kill('SIGKILL');
      await until(() => !isRunning(pid));
      await checked(folder, 0);
    },
  );

  test('on a terminal commands show their progress in one line', noTerminal, async (t) => {
    const folder = await dataFolder(t);
    const { shown } = await onTerminal(
      `${quoted(program)} check --data ${folder}; ` +
        `${quoted(program)} backup ${folder}/copy.db --data ${folder}`,
      {},
    );
    for (const label of ['Pages and indexes', 'orders', 'Events of orders', 'Backing up'])
      assert.match(shown, new RegExp(`\\r${label}: 100 %`));
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(shown, /\x1b/);
  });

  test('a command that is rejected shows no progress', noTerminal, async (t) => {
    const folder = await dataFolder(t);
    for (const command of ['backup /tmp', 'restore /nope.db'])
      assert.doesNotMatch(
        (await onTerminal(`${quoted(program)} ${command} --data=${folder}`, {})).shown,
        /%/,
      );
  });
});

/** Quoted for a shell: the project's folder may have blanks in its name. */
function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/**
 * What a terminal shows of a command (by util-linux script(1)); presses Ctrl-C when the output mentions it.
 */
async function onTerminal(
  command: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly shown: string; readonly status: number | null }> {
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
    timeout: 60_000,
  });
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (text.includes('Ctrl-C stops')) terminal.stdin.write('\x03');
  });
  const [status] = await once(terminal, 'close');
  return { shown, status };
}

/** A process that has ended is still listed until its parent has waited for it. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return !/^(Z|$)/.test(stdout.trim());
}
