// Namespaces of this machine as machines of their own, joined by a bridge as by a switch.
import { execFileSync, spawnSync } from 'node:child_process';

export type Host = 'a' | 'b' | 'w' | 'c';
export const hosts: readonly Host[] = ['a', 'b', 'w', 'c'];
export const addresses: Readonly<Record<Host, string>> = {
  a: '10.79.0.1',
  b: '10.79.0.2',
  w: '10.79.0.3',
  c: '10.79.0.4',
};
/** It is where the service is. */
export const movingAddress = '10.79.0.9';
export const servicePort = 8443;
/** Nobody's, so a frame to it arrives nowhere, as on a broken line. */
const deadHardwareAddress = '02:00:00:00:00:99';

export class Network {
  /** Throws if another check has it, or has left it. */
  claim(): void {
    const name = this.namespaceOf('s');
    try {
      ip('netns', 'add', name);
    } catch (error) {
      const left = `for name in ${[...hosts, 's'].join(' ')}; do ip netns del orderly-takeover-$name; done`;
      throw new Error(`Another check runs; if one was killed, this removes what it left: ${left}`, {
        cause: error,
      });
    }
  }

  /** Once it is claimed. `remove` undoes both, also if this fails in between. */
  create(): void {
    const bridge = this.namespaceOf('s');
    ip('-n', bridge, 'link', 'add', 'bridge', 'type', 'bridge');
    ip('-n', bridge, 'link', 'set', 'bridge', 'up');
    for (const host of hosts) this.#join(host, bridge);
  }

  namespaceOf(host: Host | 's'): string {
    return `orderly-takeover-${host}`;
  }

  /** Nothing arrives from one at the other, and neither is told. */
  cut(one: Host, other: Host): void {
    const entry = ['lladdr', deadHardwareAddress, 'nud', 'permanent'];
    this.#neighbours(one, other, 'replace', entry);
  }

  mend(one: Host, other: Host): void {
    this.#neighbours(one, other, 'del', []);
  }

  /** The port of the switch. */
  setCable(host: Host, state: 'up' | 'down'): void {
    ip('-n', this.namespaceOf('s'), 'link', 'set', portOf(host), state);
  }

  /** A machine that starts again has its own address only. */
  dropMovingAddress(host: Host): void {
    const options = { stdio: 'ignore' } as const;
    const args = ['-n', this.namespaceOf(host), 'addr', 'del', `${movingAddress}/24`, 'dev', 'eth0'];
    spawnSync('ip', args, options); // it may not have it
  }

  remove(): void {
    for (const host of [...hosts, 's'] as const)
      spawnSync('ip', ['netns', 'del', this.namespaceOf(host)], { stdio: 'ignore' });
  }

  #join(host: Host, bridge: string): void {
    const namespace = this.namespaceOf(host);
    const port = portOf(host);
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', bridge, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('-n', bridge, 'link', 'set', port, 'master', 'bridge');
    ip('-n', bridge, 'link', 'set', port, 'up');
    ip('-n', namespace, 'addr', 'add', `${addresses[host]}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    // a connection that is cut off ends after 3 seconds, where DRBD has its own timeouts
    const settings = ['net.ipv4.tcp_retries2=3', 'net.ipv4.tcp_syn_retries=2'];
    ip('netns', 'exec', namespace, 'sysctl', '-q', '-w', ...settings);
  }

  /** Changes what each of them knows of the other's addresses. */
  #neighbours(one: Host, other: Host, command: 'replace' | 'del', entry: readonly string[]): void {
    const pairs = [
      ...addressesOf(other).map((address) => [one, address] as const),
      ...addressesOf(one).map((address) => [other, address] as const),
    ];
    for (const [host, address] of pairs)
      ip('-n', this.namespaceOf(host), 'neigh', command, address, ...entry, 'dev', 'eth0');
  }
}

function portOf(host: Host): string {
  return `to-${host}`;
}

/** A machine may have the moving address; the witness and the client never do. */
function addressesOf(host: Host): string[] {
  return host === 'a' || host === 'b' ? [addresses[host], movingAddress] : [addresses[host]];
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
