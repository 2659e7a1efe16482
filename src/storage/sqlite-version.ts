// The versions of SQLite that never lose commits.

/**
 * Older versions can lose committed pages when one connection commits while another resets the WAL
 * (https://sqlite.org/wal.html#walresetbug). In this service one thread commits while another checkpoints.
 * 3.51.3 has the fix, and so have later versions of two older lines.
 */
const fixedIn = [
  [3, 51, 3],
  [3, 50, 7],
  [3, 44, 6],
] as const;

export function hasWalResetFix(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [newest] = fixedIn;
  if (major !== newest[0]) return major > newest[0];
  if (minor > newest[1]) return true;
  return fixedIn.some(([, fixedMinor, fixedPatch]) => minor === fixedMinor && patch >= fixedPatch);
}
