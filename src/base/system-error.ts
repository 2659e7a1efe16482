// Errors of the operating system, as words for a sentence that begins with a file's name.
import { constants } from 'node:os';

const lacking = "can't be used: its file system lacks what this needs; use a local disk";
const sentences: Readonly<Record<string, string>> = {
  EACCES: "can't be opened: check the folder's permissions",
  EBUSY: 'is in use, or a mount of its own: mount its folder instead',
  EDQUOT: "can't grow: a quota of the disk is reached",
  EEXIST: 'is in the way: it is not a folder, or a link to a missing one',
  EFBIG: "can't grow: the limit of a file's length is reached (ulimit -f, or the file system's)",
  EINVAL: lacking,
  EIO: "can't be read or written: the disk reports an I/O error",
  EISDIR: 'is a folder, not a file',
  ELOOP: "can't be opened: it is a link, or there are too many in its path",
  EMFILE: "can't be opened: the process has too many open files",
  ENAMETOOLONG: "can't be opened: its name or path is too long",
  ENFILE: "can't be opened: the machine has too many open files",
  ENODEV: lacking,
  ENOENT: "can't be opened: it does not exist, or its folder does not",
  ENOLCK: "can't be locked: its file system has no locks; use a local disk",
  ENOMEM: "can't be opened: the machine has too little memory",
  ENOSPC: "can't grow: the disk is full, or has no inodes left (df -i)",
  ENOSYS: lacking,
  ENOTDIR: "can't be opened: a part of its path is not a folder",
  ENOTSUP: lacking,
  ENXIO: "can't be read or written: its disk is gone",
  EOPNOTSUPP: lacking,
  EPERM: "can't be changed: it belongs to another account, or is protected (chattr)",
  EROFS: 'is on a read-only file system',
  ESTALE: "can't be read or written: the server of its disk no longer knows it; mount the disk again",
  ETIMEDOUT: "can't be read or written: the server of its disk does not answer",
};

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

export function systemErrorText(error: NodeJS.ErrnoException): string {
  return (
    systemSentence(systemErrorCode(error)) ?? `can't be used: ${error.message.replace(/^E[A-Z]+: /, '')}`
  );
}

/** Returns the name of an errno, also of those for which libuv has no name, such as EDQUOT; empty for other errors. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return '';
  const number = 'errno' in error ? -Number(error.errno) : 0;
  const named = Object.entries(constants.errno).find(([, value]) => value === number);
  return named?.[0] ?? String(error.code);
}

/** Returns what an errno means; undefined if there is no sentence for it. */
export function systemSentence(code: string): string | undefined {
  return sentences[code];
}
