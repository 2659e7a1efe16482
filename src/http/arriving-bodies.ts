// The memory that all arriving bodies share: no client can take all of it.
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
  /** Returns the bucket of the client's address. */
  readonly bucketOf: (request: IncomingMessage) => string;
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
  readonly #bucketOf: ArrivingBodiesOptions['bucketOf'];
  readonly #bytes: SharedBound;

  constructor({ bucketOf, onChunk = () => {}, bounds = boundsDefault }: ArrivingBodiesOptions) {
    this.onChunk = onChunk;
    this.#bucketOf = bucketOf;
    this.#bytes = new SharedBound(bounds);
  }

  get bytes(): number {
    return this.#bytes.used;
  }

  /** Reserves that many more bytes, and returns whether there was room for them. */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#bytes.reserve(this.#bucketOf(request), bytes) === 'reserved';
  }

  release(request: IncomingMessage, bytes: number): void {
    if (bytes > 0) this.#bytes.release(this.#bucketOf(request), bytes);
  }
}

/** Whether a body of that many bytes arrived in too many chunks. */
export function hasTooManyChunks(chunks: number, bytes: number, chunkBytesMin = bodyChunkBytesMin): boolean {
  return chunks > bodyChunksMax + bytes / chunkBytesMin;
}
