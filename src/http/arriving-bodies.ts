// The memory that all arriving bodies share: no client can take all of it.
import type { IncomingMessage } from 'node:http';
import {
  bodyPieceBytesMin,
  bodyPiecesMax,
  unfinishedBodyBytesMax,
  unfinishedBodyBytesPerClientMax,
} from '../limits.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

type ArrivingBodiesOptions = {
  /** Returns the bucket of the client's address. */
  readonly bucketOf: (request: IncomingMessage) => string;
  /** Called for each piece of a body. */
  readonly onPiece?: () => void;
  readonly bounds?: Bounds;
};

const boundsDefault: Bounds = { total: unfinishedBodyBytesMax, perClient: unfinishedBodyBytesPerClientMax };

export class ArrivingBodies {
  readonly onPiece: () => void;
  readonly #bucketOf: ArrivingBodiesOptions['bucketOf'];
  readonly #bytes: SharedBound;

  constructor({ bucketOf, onPiece = () => {}, bounds = boundsDefault }: ArrivingBodiesOptions) {
    this.onPiece = onPiece;
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

/** Whether so many bytes arrived in too many pieces: chunks of a body, or reads of a connection. */
export function hasTooManyPieces(pieces: number, bytes: number, pieceBytesMin = bodyPieceBytesMin): boolean {
  return pieces > bodyPiecesMax + bytes / pieceBytesMin;
}
