// Which 429 responses are logged: one a second for each address, with the number of those left out.
import { BoundedMap } from '../bounded-map.ts';
import { sampledAddressesMax } from '../limits.ts';

type Seen = { second: number; leftOut: number };

/** A rejection costs a client next to nothing: with a line for each, a few clients could fill the disk. */
export class RejectionSampler {
  readonly #seen = new BoundedMap<string, Seen>(sampledAddressesMax);

  /** How many of this address were left out since its last line; undefined if this one is to be left out. */
  sample(address: string, now: number): number | undefined {
    const second = Math.floor(now / 1000);
    const seen = this.#seen.get(address);
    if (seen === undefined) {
      this.#seen.set(address, { second, leftOut: 0 });
      return 0;
    }
    if (seen.second === second) {
      seen.leftOut += 1;
      return undefined;
    }
    const { leftOut } = seen;
    seen.second = second;
    seen.leftOut = 0;
    return leftOut;
  }
}
