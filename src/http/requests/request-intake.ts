// Turns a request of `node:http` into an exchange. It starts once the earlier requests of its connection are
// answered, while its body arrives.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '../../base/addresses.ts';
import type { Task, Turns } from '../../base/turns.ts';
import { stateOf } from '../connections/connection-state.ts';
import { Exchange, type ExchangeDependencies } from './exchange.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { clientAddress, peerOf, type Peer } from '../connections/peer.ts';
import { Pipeline } from './pipeline.ts';
import { BodyMemory, hasBody, RequestBody } from './request-body.ts';
import { isLastOfConnection } from './request-headers.ts';
import { headersOf } from '../connections/request-fields.ts';
import type { Router } from '../routing/router.ts';

type RequestIntakeOptions = {
  readonly turns: Turns;
  readonly router: Router;
  readonly metrics: Metrics;
  readonly isTrusted: (address: string) => boolean;
  readonly exchangeDependencies: ExchangeDependencies;
};

export class RequestIntake {
  readonly #options: RequestIntakeOptions;
  readonly #turns: Turns;
  readonly #pipeline: Pipeline;
  readonly #memory: BodyMemory;

  constructor(options: RequestIntakeOptions) {
    this.#options = options;
    this.#turns = options.turns;
    this.#memory = new BodyMemory({
      networkOf: (request) => this.#networkOf(request),
      onPiece: () => this.#turns.noteArrival(),
    });
    const onDrop = (): number => (options.metrics.dropped.pipelined += 1);
    this.#pipeline = new Pipeline({
      turns: this.#turns,
      networkOf: (request) => this.#networkOf(request),
      onDrop,
    });
  }

  /** Calls `start` once all earlier responses have left the connection, unless the client has gone. */
  receive(request: IncomingMessage, response: ServerResponse, start: (exchange: Exchange) => void): void {
    const state = stateOf(request.socket);
    if (state.isEnding) return;
    const { router, metrics, exchangeDependencies } = this.#options;
    metrics.loopDelay.sample();
    if (isLastOfConnection(request)) response.shouldKeepAlive = false;
    const peer = this.#peerOf(request);
    const streamedBytesMax = router.streamedBytesMax(request);
    const body = hasBody(request)
      ? new RequestBody(request, response, { memory: this.#memory, streamedBytesMax })
      : undefined;
    state.body = body;
    this.#pipeline.startInOrder(request, response, () =>
      start(new Exchange({ request, response, peer, sentBody: body }, exchangeDependencies)),
    );
  }

  /** Continues a request after a wait. */
  resume({ request }: Exchange, task: Task): void {
    this.#turns.run(this.#networkOf(request), task);
  }

  /** Continues a request, behind those that begin or have waited. */
  resumeLater({ request }: Exchange, task: Task): void {
    this.#turns.runLater(this.#networkOf(request), task);
  }

  #peerOf({ socket }: IncomingMessage): Peer {
    return (stateOf(socket).peer ??= peerOf(socket.remoteAddress, this.#options.isTrusted));
  }

  /** The client as turns and bodies count it, even if somebody is signed in. */
  #networkOf(request: IncomingMessage): string {
    return networkOf(clientAddress(this.#peerOf(request), headersOf(request), this.#options.isTrusted));
  }
}
