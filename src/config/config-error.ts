// The error of a command line that can't be run: all its issues at once.

/** Thrown with all that is wrong with the settings. */
export class ConfigError extends Error {
  readonly issues: readonly string[];
  /** Whether the command was used wrongly, and no setting is invalid. */
  readonly isUsage: boolean;

  constructor(issues: readonly string[], misuse: readonly string[] = []) {
    super([...issues, ...misuse].join('\n'));
    this.issues = [...issues, ...misuse];
    this.isUsage = issues.length === 0;
  }
}
