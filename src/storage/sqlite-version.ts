/**
 * Whether SQLite never loses commits: before 3.51.3 it can, when one connection commits while another resets the WAL
 * (https://sqlite.org/wal.html#walresetbug). In this service one thread commits while another checkpoints.
 */
export function hasWalResetFix(version: string): boolean {
  return version.localeCompare('3.51.3', 'en', { numeric: true }) >= 0;
}
