// The address that a service listens on, its URLs, and the number of connections that it accepts.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { capacity } from '../base/capacity.ts';
import { isSystemError } from '../base/system-error.ts';
import { CommandError, ConfigError } from '../config/command-error.ts';
import type { Config } from '../config/config.ts';
import { connectionBytesMax } from '../http/connections/http-connection.ts';
import { connectionsMax, type HttpServer } from '../http/connections/http-server.ts';

/**
 * Listens on the configured address. Throws ConfigError if this is impossible, and CommandError if another process uses
 * the port.
 */
export async function listen(server: HttpServer, config: Config): Promise<AddressInfo> {
  try {
    return await server.listen(config.host, config.port);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code = '', message } = error;
    const place = `${config.host}, port ${config.port}`;
    if (code === 'EADDRINUSE')
      throw new CommandError(`another process listens on ${place}: choose another --port, or stop it.`);
    throw new ConfigError([`can't listen on ${place}: ${listenErrors[code] ?? message}`]);
  }
}

const listenErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; choose a --port above 1023',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EINVAL: 'a link-local address needs to be given with its interface, such as fe80::1%eth0',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
};

/** Returns how many connections may be open, with the memory and the files that this process may have. */
export function openConnectionsMax(): number {
  const filesMax = openFilesMax();
  const connections = connectionsWithin(
    filesMax,
    Math.min(connectionsMax, Math.floor(capacity.connectionBytes / connectionBytesMax)),
  );
  if (connections < 1)
    throw new ConfigError([
      `this process may open only ${filesMax} files (ulimit -n): raise the limit to 1024 or more.`,
    ]);
  return connections;
}

export function publicUrlOf({ publicUrl }: Config, port: number): string {
  return publicUrl === '' ? `https://localhost:${port}` : publicUrl;
}

/** The URL that reaches the service from this machine. */
export function localUrlOf({ tls }: Config, { address, port, family }: AddressInfo): string {
  const isHere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address);
  const literal = family === 'IPv6' ? `[${address}]` : address;
  const host = isHere ? 'localhost' : literal;
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host}:${port}`;
}

/** The files that the service itself opens, such as the files of its database. */
const serviceFilesMax = 100;

/**
 * Returns how many files this process may have open, on Linux. Elsewhere it is undefined: Node has raised the limit as
 * far as the system lets it.
 */
export function openFilesMax(): number | undefined {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined; // there is no such file, or this process may not read it
  }
}

/** Lowers the number of connections until enough files are left for the service itself. */
export function connectionsWithin(filesMax: number | undefined, connectionsMax: number): number {
  return Math.min(connectionsMax, (filesMax ?? Infinity) - serviceFilesMax);
}
