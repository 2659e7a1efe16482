// Security 9 and outside 10: TCP without TLS, and old cipher suites.
import { spawnSync } from 'node:child_process';
import { connect } from 'node:tls';
import { startAbused, type AbusedService } from './abused-service.ts';
import { openSocket } from './attack-client.ts';
import { notTried, type Row, type Target } from './attack.ts';

const silentMillisecondsMax = 15_000;
const withTls = { settings: { tls: 'self-signed' } };

export async function handshakes(target: Target): Promise<Row[]> {
  return [await silence(target), await endWithSilence(target), await oldSuites(target)];
}

async function silence(target: Target): Promise<Row> {
  const service = await startAbused(target, withTls);
  const milliseconds = await lifeOfSilence(service);
  await service.stop();
  return {
    attack: '9 TCP without a handshake',
    done: `a connection that says nothing to a TLS port, watched for ${silentMillisecondsMax / 1000} s`,
    achieved:
      milliseconds === undefined ? 'still open' : `closed after ${(milliseconds / 1000).toFixed(1)} s`,
  };
}

async function lifeOfSilence({ port }: AbusedService): Promise<number | undefined> {
  const start = performance.now();
  const socket = await openSocket(port);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const late = setTimeout(() => resolve(undefined), silentMillisecondsMax);
  const end = (): void => resolve(performance.now() - start);
  socket?.on('end', end).on('close', end).resume();
  return await promise.finally(() => {
    clearTimeout(late);
    socket?.destroy();
  });
}

async function endWithSilence(target: Target): Promise<Row> {
  const service = await startAbused(target, withTls);
  const socket = await openSocket(service.port);
  socket?.resume();
  const start = performance.now();
  const { code, signal } = await service.stop();
  const seconds = (performance.now() - start) / 1000;
  socket?.destroy();
  return {
    attack: '9 SIGTERM beside such a connection',
    done: 'SIGTERM while a connection is open on which no handshake came',
    achieved: `ended after ${seconds.toFixed(1)} s with ${signal ?? code}`,
  };
}

async function oldSuites(target: Target): Promise<Row> {
  const attack = 'outside 10 CBC suites of TLS 1.2';
  if (spawnSync('openssl', ['version']).error !== undefined) return notTried(attack, 'there is no openssl');
  const service = await startAbused(target, withTls);
  const suites = ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256'];
  const results = suites.map((suite) => `${suite} ${isTaken(service, suite) ? 'taken' : 'refused'}`);
  const version = await versionOf(service);
  await service.stop();
  return {
    attack,
    done: 'openssl s_client with one suite at a time; the last is one that should work',
    achieved: `${results.join(', ')}; by default ${version}`,
  };
}

function isTaken({ port }: AbusedService, suite: string): boolean {
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-tls1_2', '-cipher', `${suite}:@SECLEVEL=0`];
  const { stdout } = spawnSync('openssl', args, { input: '', encoding: 'utf8', timeout: 5_000 });
  return new RegExp(`Cipher( is|\\s+:) ${suite}$`, 'm').test(stdout);
}

function versionOf({ port }: AbusedService): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.once('secureConnect', () => resolve(socket.getProtocol() ?? 'no version'));
  socket.once('error', () => resolve('no handshake'));
  return promise.finally(() => socket.destroy());
}
