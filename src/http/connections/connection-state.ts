// The state of a connection: who is at the other end, and what has been read from it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../base/addresses.ts';
import { keepPausedWhile } from './node-internals.ts';
import { plainAddress, type Peer } from './peer.ts';
import type { Problem } from '../../problem.ts';

/** The state is a property of the socket, which is faster than a look-up in a map. */
type StatefulSocket = Socket & { [stateKey]?: ConnectionState };
const stateKey = Symbol('state');

/** The part of a body that its connection knows. */
type ReceivedBody = {
  readonly isFull: boolean;
  readonly hasOwnTimeout: boolean;
  abort(problem: Problem): void;
};

class ConnectionState {
  readonly #socket: Socket;
  peer: Peer | undefined = undefined;
  /**
   * The body that is arriving; undefined once it is whole, so that an idle connection keeps no request in
   * memory.
   */
  body: ReceivedBody | undefined = undefined;
  /** The client whose response the connection sends; undefined if its bytes are not counted. */
  unsentOf: string | undefined = undefined;
  /** Whether the connection ends after its present response. */
  isEnding = false;
  /** How many requests wait for earlier responses. */
  waitingRequests = 0;
  /** The response of the last waiting request. */
  lastWaiting: ServerResponse | undefined = undefined;
  #hasPauseListener = false;
  #network: string | undefined = undefined;
  #bytesReadBefore = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** The network of the address at the other end, which may be a proxy's. */
  get network(): string {
    return (this.#network ??= networkOf(plainAddress(this.#socket.remoteAddress ?? '')));
  }

  /** Whether reading must stop: requests wait, or a route has not taken the body that has arrived. */
  get isHeld(): boolean {
    return !this.isEnding && (this.waitingRequests > 0 || this.body?.isFull === true);
  }

  /** Stops reading. The first `resume` while the connection is not held ends this. */
  hold(): void {
    if (!this.#hasPauseListener) keepPausedWhile(this.#socket, () => this.isHeld);
    this.#hasPauseListener = true;
    this.#socket.pause();
  }

  /** Whether anything was read since the last call. */
  takeWasRead(): boolean {
    const { bytesRead } = this.#socket;
    const wasRead = bytesRead !== this.#bytesReadBefore;
    this.#bytesReadBefore = bytesRead;
    return wasRead;
  }
}

export function stateOf(socket: StatefulSocket): ConnectionState {
  return (socket[stateKey] ??= new ConnectionState(socket));
}
