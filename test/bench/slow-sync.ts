// Builds slow-sync.c into a library for LD_PRELOAD, and returns the environment of a process that uses it.
import { join } from 'node:path';
import type { Children } from './children.ts';

export async function slowSyncEnv(
  children: Children,
  scratch: string,
  milliseconds: number,
): Promise<Record<string, string>> {
  if (milliseconds === 0) return {};
  const library = join(scratch, 'slow-sync.so');
  await children.run(
    {
      command: [
        'cc',
        '-O2',
        '-shared',
        '-fPIC',
        '-o',
        library,
        join(import.meta.dirname, 'slow-sync.c'),
        '-ldl',
      ],
      cores: 'any',
    },
    60,
  );
  return { LD_PRELOAD: library, SLOW_SYNC_MS: String(milliseconds) };
}
