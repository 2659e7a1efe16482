// What is thrown for a command line that can't be run.

/** Thrown with all that is wrong with the settings. */
export class ConfigError extends Error {
  readonly issues: readonly string[];
  /** Whether it is only the command that was used wrongly. */
  readonly isUsage: boolean;

  constructor(issues: readonly string[], misuse: readonly string[] = []) {
    super([...issues, ...misuse].join('\n'));
    this.issues = [...issues, ...misuse];
    this.isUsage = issues.length === 0;
  }
}
