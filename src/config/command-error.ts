// The error of a command that could not do its work: exit status 1, and a sentence for the operator.
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
