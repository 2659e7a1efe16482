// Reads flags, environment and .env into one checked command line, and reports all issues together.
import assert from 'node:assert';
import { parseArgs } from 'node:util';
import { ConfigError } from '../config/command-error.ts';
import { buildConfig, combinationIssues, type Config, type Environment } from '../config/config.ts';
import { adminVariables, variableOf, type CommandFlag } from '../config/settings.ts';
import { settings, withoutIssues } from './features.ts';

/** The arguments of a command in addition to the settings. An operand in brackets, `[FILE]`, is optional. */
export type Syntax = { readonly flags?: readonly CommandFlag[]; readonly operands?: readonly string[] };

type Arguments = {
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
};

export type CommandLine = Arguments & { readonly config: Config };

/** The variables of the process, and of the file .env. */
type Variables = { readonly environment?: Environment; readonly dotEnv?: Environment };

/**
 * Reads the command line. Flags win over the environment, and the environment wins over .env. Throws
 * ConfigError.
 */
export function readCommandLine(
  argv: readonly string[],
  { environment = {}, dotEnv = {} }: Variables,
  { flags = [], operands = [] }: Syntax = {},
): CommandLine {
  const variables = { ...dotEnv, ...environment };
  const { given, issues: argumentIssues } = readArguments(argv, flags);
  const { values, issues: valueIssues } = readSettings(given.flags, variables);
  const taken = flagsTakenByNpm(argv, environment, flags);
  const issues = [...taken, ...argumentIssues, ...valueIssues, ...unknownVariables(variables)];
  const config = buildConfig((flag) => settingOf(values, flag), variables);
  issues.push(...combinationIssues(config), ...withoutIssues(config.without));
  const misuse = misuseOf({ flags, operands }, given);
  if (issues.length + misuse.length > 0) throw new ConfigError(issues, misuse);
  return { config, ...given };
}

/**
 * Returns an issue for each flag that npm kept for itself: `npm start --tls=off` would otherwise start with
 * TLS. npm shows kept flags as variables, and also its own configuration under these names.
 */
export function flagsTakenByNpm(
  argv: readonly string[],
  environment: Environment,
  flags: readonly CommandFlag[],
): string[] {
  if (environment['npm_lifecycle_event']?.startsWith('start') !== true) return [];
  return flags
    .filter(({ flag }) => environment[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined)
    .filter(({ flag }) => !argv.some((word) => word.split('=')[0] === `--${flag}`))
    .map(
      ({ flag }) =>
        `npm took --${flag} for itself: put -- before the flags, as in "npm start -- --${flag} …"`,
    );
}

type ParsedArguments = { readonly given: Arguments; readonly issues: readonly string[] };

function readArguments(argv: readonly string[], own: readonly CommandFlag[]): ParsedArguments {
  const known = new Map([...settings, ...own].map(({ flag, value }) => [flag, typeOf(value)]));
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...known].map(([flag, type]) => [flag, { type }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, string | true> = {};
  const operands: string[] = [];
  const issues: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const issue = flagIssue(token, known, flags);
    if (issue === undefined) flags[token.name] = token.value ?? true;
    else issues.push(issue);
  }
  return { given: { flags, operands }, issues };
}

function typeOf(value: string | undefined): 'string' | 'boolean' {
  return value === undefined ? 'boolean' : 'string';
}

type FlagToken = {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  /** The value that follows `=`; without it the value is the next argument. */
  readonly inlineValue?: boolean | undefined;
};

function flagIssue(
  { name, rawName, value, inlineValue }: FlagToken,
  known: ReadonlyMap<string, 'string' | 'boolean'>,
  given: Arguments['flags'],
): string | undefined {
  const type = known.get(name);
  if (type === undefined || !rawName.startsWith('--')) {
    return `${rawName} is unknown; --help lists the flags`;
  }
  if (given[name] !== undefined) return `${rawName} is given more than once`;
  if (type === 'string' && value === undefined) return `${rawName} needs a value`;
  if (value?.startsWith('--') === true && inlineValue === false)
    return `${rawName} needs a value, not the flag ${value}`;
  if (type === 'boolean' && value !== undefined) return `${rawName} takes no value`;
  return undefined;
}

type ParsedSettings = { readonly values: ReadonlyMap<string, string>; readonly issues: readonly string[] };

function readSettings(flags: Arguments['flags'], variables: Environment): ParsedSettings {
  const values = new Map<string, string>();
  const issues: string[] = [];
  for (const { flag, fallback, rule } of settings) {
    const variable = variableOf(flag);
    const isFlag = flags[flag] !== undefined;
    const value = isFlag ? String(flags[flag]) : (variables[variable] ?? fallback);
    const issue = value === fallback ? undefined : rule?.(value);
    const shown = flag === 'jwt-secrets' ? '' : `, not ${JSON.stringify(value)}`;
    if (issue !== undefined) issues.push(`${isFlag ? `--${flag}` : variable} ${issue}${shown}`);
    values.set(flag, value);
  }
  return { values, issues };
}

function settingOf(values: ParsedSettings['values'], flag: string): string {
  const value = values.get(flag);
  assert(value !== undefined, `there is no setting --${flag}`);
  return value;
}

function unknownVariables(environment: Environment): string[] {
  const known = [...settings.map(({ flag }) => variableOf(flag)), ...adminVariables];
  const unknown = Object.keys(environment).filter(
    (name) => /^orderly[-._]/i.test(name) && !known.includes(name),
  );
  return unknown.map((name) => {
    const meant = name.toUpperCase().replaceAll(/[-.]/g, '_');
    return `${name} is unknown; ${known.includes(meant) ? `write ${meant}` : '--help lists the settings'}`;
  });
}

function misuseOf({ flags, operands }: Required<Syntax>, given: Arguments): string[] {
  const misuse: string[] = [];
  for (const [index, operand] of operands.entries()) {
    const name = operand.replace(/^\[|\]$/g, '');
    const word = given.operands[index] ?? (name === operand ? '' : undefined);
    if (word === '') misuse.push(`${name} is missing`);
  }
  for (const text of given.operands.slice(operands.length))
    misuse.push(`unexpected argument ${JSON.stringify(text)}`);
  for (const { flag, value = '', isRequired } of flags)
    if (isRequired === true && given.flags[flag] === undefined) misuse.push(`--${flag} ${value} is missing`);
  for (const { flag, rule } of flags) {
    const value = given.flags[flag];
    const issue = value === undefined ? undefined : rule?.(String(value));
    if (issue !== undefined) misuse.push(`--${flag} ${issue}, not ${JSON.stringify(value)}`);
  }
  return misuse;
}
