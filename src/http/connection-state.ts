// The state of a connection: who is at the other end, and what has been read from it.
import type { Socket } from 'node:net';
import { addressBucket } from '../addresses.ts';
import type { Problem } from '../problem.ts';
import { plainAddress, type Peer } from './peer.ts';

/** The state is a property of the socket, which is faster than a look-up in a map. */
type StatefulSocket = Socket & { [stateKey]?: ConnectionState };
const stateKey = Symbol('state');

/** The body of the last request, as long as more of it may arrive. */
type ArrivingBody = {
  /** Whether its route limits the time in which it may arrive. */
  readonly hasOwnTimeout: boolean;
  /** Fails the request with this problem, unless it was already answered; no more of the body is read. */
  abort(problem: Problem): void;
};

class ConnectionState {
  readonly #socket: Socket;
  peer: Peer | undefined = undefined;
  /** Undefined once it has arrived: an idle connection would keep its last request with it. */
  pendingBody: ArrivingBody | undefined = undefined;
  /** Called for each read, parsed or dropped. */
  onRead = (): void => {};
  /** How many requests wait for the responses before them; while any waits, nothing more is read. */
  waitingRequests = 0;
  /** Whether `keepPausedWhile` has been called for this socket: once is enough. */
  hasPauseListener = false;
  #addressBucket: string | undefined = undefined;
  #bytesReadBefore = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** The bucket of the address at the other end, which may be a proxy's. */
  get addressBucket(): string {
    return (this.#addressBucket ??= addressBucket(plainAddress(this.#socket.remoteAddress ?? '')));
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
