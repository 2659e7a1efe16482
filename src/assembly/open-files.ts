// How many files this process may have open, and how many of them connections may use.
import { readFileSync } from 'node:fs';

/** The files that the service itself opens, among them those of its database and its threads. */
const ownFilesMax = 100;

/** Returns how many files this process may have open; undefined if the system sets no limit. */
export function openFilesMax(): number | undefined {
  const limits = linuxLimits();
  const soft = limits === undefined ? reportedOpenFilesMax() : /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Returns undefined if the system has no such file, or doesn't let this process read it. */
function linuxLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return undefined;
  }
}

/** Returns the limit on any system; creating the report delays the start by 20 ms. */
export function reportedOpenFilesMax(): number | undefined {
  // the type of `report` lacks `excludeNetwork`
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  report.excludeNetwork = true; // otherwise the report waits for look-ups of names
  // the type has only the member that is read; `soft` may also be "unlimited"
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** Lowers the number of connections until enough files are left for the service itself. */
export function connectionsWithin(filesMax: number | undefined, connectionsMax: number): number {
  return Math.min(connectionsMax, (filesMax ?? Infinity) - ownFilesMax);
}
