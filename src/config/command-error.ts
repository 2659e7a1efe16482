// The errors of commands: a command that failed, and a command line that can't be run.

export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export class ConfigError extends Error {
  readonly issues: readonly string[];
  /** Whether only the usage is wrong, and no setting is invalid. */
  readonly isUsage: boolean;

  constructor(issues: readonly string[], misuse: readonly string[] = []) {
    super([...issues, ...misuse].join('\n'));
    this.issues = [...issues, ...misuse];
    this.isUsage = issues.length === 0;
  }
}
