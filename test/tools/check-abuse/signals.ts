// Security 14, 16, 26 and 28: signals, and a closed terminal.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { emptyFolder, preparedFolder, spawnAbused, startAbused } from './abused-service.ts';
import { firstStatus, headOf, openSocket } from './attack-client.ts';
import { notTried, sleep, type Row, type Target } from './attack.ts';

const startDelays = [30, 100, 200];

export async function signals(target: Target): Promise<Row[]> {
  return [
    await debuggerBySignal(target),
    await interruptedTwice(target),
    await stoppedWhileStarting(target),
    await closedTerminal(target),
  ];
}

async function debuggerBySignal(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const before = listeningSockets(service.pid);
  service.child.kill('SIGUSR1');
  await sleep(1_000);
  const ended = service.isOver();
  const after = ended ? 0 : listeningSockets(service.pid);
  await service.stop();
  const isAnnounced = /Debugger listening/.test(service.written());
  return {
    attack: '16 SIGUSR1',
    done: 'SIGUSR1 to the running service',
    achieved: ended
      ? 'the service ended'
      : `listening sockets: ${before}, then ${after}; debugger announced: ${isAnnounced ? 'yes' : 'no'}`,
  };
}

/** As `npm start` and Ctrl-C deliver it. */
async function interruptedTwice(target: Target): Promise<Row> {
  const { owner } = target.people;
  const service = await startAbused(target);
  const socket = await openSocket(service.port);
  const body = JSON.stringify({ name: 'In flight' });
  const status = socket === undefined ? 0 : firstStatus(socket, 5_000);
  socket?.write(headOf('POST', '/customers', body, { token: owner.token }));
  await sleep(300);
  service.child.kill('SIGINT');
  await sleep(300);
  service.child.kill('SIGINT');
  await sleep(300);
  socket?.write(body);
  const answered = await status;
  socket?.destroy();
  const { code, signal } = await service.stop();
  return {
    attack: '28 SIGINT twice',
    done: 'twice within 0.3 s, while the body of a POST is still to come',
    achieved: `its status ${answered}; the service ended with ${signal ?? code}`,
  };
}

async function stoppedWhileStarting(target: Target): Promise<Row> {
  const endings: string[] = [];
  for (const delay of startDelays) {
    const { child, ended, written } = spawnAbused(target, { folder: emptyFolder(target) });
    await sleep(delay);
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    const { code, signal } = await ended.finally(() => clearTimeout(late));
    endings.push(
      `after ${delay} ms ${signal ?? code}${/"listening"/.test(written()) ? ' (it listened)' : ''}`,
    );
  }
  return {
    attack: '26 SIGTERM during the first start',
    done: 'in an empty folder, not as PID 1',
    achieved: `ended with: ${endings.join(', ')}`,
  };
}

async function closedTerminal(target: Target): Promise<Row> {
  const attack = '14 a closed terminal';
  if (spawnSync('script', ['--version']).error !== undefined) return notTried(attack, 'there is no script');
  const command = [...target.program, '--port=0', '--tls=off', `--data=${preparedFolder(target)}`].join(' ');
  const terminal = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    cwd: target.scratch,
    env: { PATH: process.env['PATH'], ...target.environment },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await sleep(2_500);
  const [pid] = childrenOf(terminal.pid ?? Number.NaN);
  if (pid === undefined) {
    terminal.kill('SIGKILL');
    return notTried(attack, 'the service did not start on a terminal');
  }
  terminal.kill('SIGKILL');
  await sleep(2_500);
  const isThere = isRunning(pid);
  if (isThere) process.kill(pid, 'SIGKILL');
  return {
    attack,
    done: 'the terminal of a running service goes away, 2.5 s',
    achieved: isThere ? 'the service goes on' : 'the service has ended',
  };
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** How many listening TCP sockets the process has. */
function listeningSockets(pid: number): number {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => inodeOf(`/proc/${pid}/fd/${descriptor}`)),
  );
  return ['tcp', 'tcp6'].flatMap(listeningInodes).filter((inode) => own.has(inode)).length;
}

function inodeOf(link: string): string[] {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1];
    return inode === undefined ? [] : [inode];
  } catch {
    return []; // closed meanwhile
  }
}

function listeningInodes(protocol: string): string[] {
  const lines = readFileSync(`/proc/net/${protocol}`, 'utf8').split('\n').slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  return fields.filter((each) => each[3] === '0A').map((each) => each[9] ?? '');
}
