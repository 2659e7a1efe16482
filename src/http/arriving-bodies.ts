// What all bodies that are arriving take together: memory, of which no client can have all, and time.
import type { IncomingMessage } from 'node:http';
import {
  bodyPieceBytesMin,
  bodyPiecesMax,
  unfinishedBodyBytesMax,
  unfinishedBodyBytesPerAddressMax,
  unfinishedBodyBytesPerNetworkMax,
} from '../limits.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

type Options = {
  /** The bucket of the client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Called for each piece of a body. */
  readonly onPiece?: () => void;
  readonly bounds?: Bounds;
};

const boundsDefault: Bounds = {
  total: unfinishedBodyBytesMax,
  perAddress: unfinishedBodyBytesPerAddressMax,
  perNetwork: unfinishedBodyBytesPerNetworkMax,
};

export class ArrivingBodies {
  readonly onPiece: () => void;
  readonly #clientOf: Options['clientOf'];
  readonly #bytes: SharedBound;

  constructor({ clientOf, onPiece = () => {}, bounds = boundsDefault }: Options) {
    this.onPiece = onPiece;
    this.#clientOf = clientOf;
    this.#bytes = new SharedBound(bounds);
  }

  get bytes(): number {
    return this.#bytes.taken;
  }

  /** Whether there was room for so many more. */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#bytes.take(this.#clientOf(request), bytes) === undefined;
  }

  release(request: IncomingMessage, bytes: number): void {
    if (bytes > 0) this.#bytes.give(this.#clientOf(request), bytes);
  }
}

/** Whether so many bytes of a body came in too many pieces. */
export function isCrumbled(pieces: number, bytes: number): boolean {
  return pieces > bodyPiecesMax + bytes / bodyPieceBytesMin;
}
