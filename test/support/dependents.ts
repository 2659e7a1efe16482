// What is left out or deleted together with a feature.
import { features } from '../../src/service/features.ts';

/** The feature and all that need it, also by others. */
export function withDependents(name: string): string[] {
  const found = new Set([name]);
  // grows while it is walked
  for (const each of found)
    for (const { name: needing, needs = [] } of features)
      if (needs.some((needed) => needed.name === each)) found.add(needing);
  return [...found];
}
