// Errors of the operating system, as words for a sentence that begins with a file's name.

const sentences: Readonly<Record<string, string>> = {
  EACCES: "can't be opened: check the folder's permissions",
  EEXIST: 'is in the way: it is not a folder, or a link to a missing one',
  EIO: "can't be read or written: the disk reports an I/O error",
  EISDIR: 'is a folder, not a file',
  EMFILE: "can't be opened: the process has too many open files",
  ENOENT: "can't be opened: it does not exist, or its folder does not",
  ENOSPC: "can't grow: the disk is full",
  ENOTDIR: "can't be opened: a part of its path is not a folder",
  EPERM: "can't be changed: it belongs to another account",
  EROFS: 'is on a read-only file system',
};

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

export function systemErrorText({ code = '', message }: NodeJS.ErrnoException): string {
  return sentences[code] ?? `can't be used: ${message.replace(/^E[A-Z]+: /, '')}`;
}
