// What all arriving bodies use together: memory, of which no client can have all, and time.
import type { IncomingMessage } from 'node:http';
import {
  bodyChunkBytesMin,
  bodyChunksMax,
  unfinishedBodyBytesMax,
  unfinishedBodyBytesPerAddressMax,
  unfinishedBodyBytesPerNetworkMax,
} from '../limits.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

type ArrivingBodiesOptions = {
  /** The bucket of the client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Called for each chunk of a body. */
  readonly onChunk?: () => void;
  readonly bounds?: Bounds;
};

const boundsDefault: Bounds = {
  total: unfinishedBodyBytesMax,
  perAddress: unfinishedBodyBytesPerAddressMax,
  perNetwork: unfinishedBodyBytesPerNetworkMax,
};

export class ArrivingBodies {
  readonly onChunk: () => void;
  readonly #clientOf: ArrivingBodiesOptions['clientOf'];
  readonly #bytes: SharedBound;

  constructor({ clientOf, onChunk = () => {}, bounds = boundsDefault }: ArrivingBodiesOptions) {
    this.onChunk = onChunk;
    this.#clientOf = clientOf;
    this.#bytes = new SharedBound(bounds);
  }

  get bytes(): number {
    return this.#bytes.used;
  }

  /** Whether there is room for that many bytes more; if so, they are reserved. */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#bytes.reserve(this.#clientOf(request), bytes) === undefined;
  }

  release(request: IncomingMessage, bytes: number): void {
    if (bytes > 0) this.#bytes.release(this.#clientOf(request), bytes);
  }
}

/** Whether these are too many chunks for a body of that many bytes. */
export function hasTooManyChunks(chunks: number, bytes: number): boolean {
  return chunks > bodyChunksMax + bytes / bodyChunkBytesMin;
}
