// What Spectral and Redocly find in the OpenAPI document, except for accepted findings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, type Finding } from './accepted-findings.ts';
import { folderWith, run } from './outside-tools.ts';

type SpectralResult = { readonly code: string; readonly path: readonly string[]; readonly message: string };
type RedoclyResult = {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly pointer?: string }[];
  }[];
};

export type Linted = { readonly found: number; readonly violations: readonly string[] };

/** Errors, warnings and hints all count, and so does an accepted finding that no longer occurs. */
export function lintDocument(document: string, parent: string): Linted {
  const findings = [...spectral(document, parent), ...redocly(document, parent)];
  const isAccepted = (finding: Finding): boolean => accepted.some((each) => covers(each, finding));
  const stale = accepted.filter((each) => !findings.some((finding) => covers(each, finding)));
  return {
    found: findings.length,
    violations: [
      ...findings
        .filter((finding) => !isAccepted(finding))
        .map(({ tool, rule, at, message }) => `${tool} ${rule} at ${at}: ${message}`),
      ...stale.map(
        ({ rule, at }) =>
          `${rule} at ${String(at)} is accepted, but not found: take it out of accepted-findings.ts`,
      ),
    ],
  };
}

function covers(each: (typeof accepted)[number], { rule, at }: Finding): boolean {
  return each.rule === rule && each.at.test(at);
}

function spectral(document: string, parent: string): Finding[] {
  const folder = folderWith('spectral', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(
    join(folder, 'rules.yaml'),
    'extends: ["spectral:oas", "@stoplight/spectral-owasp-ruleset"]\n',
  );
  const results: SpectralResult[] = JSON.parse(
    run(folder, 'spectral', 'lint', '--ruleset', 'rules.yaml', '--format', 'json', '--quiet', 'openapi.json'),
  );
  return results.map(({ code, path, message }) => ({
    tool: 'Spectral',
    rule: code,
    at: `/${path.join('/').replaceAll('//', '/')}`,
    message,
  }));
}

function redocly(document: string, parent: string): Finding[] {
  const folder = folderWith('redocly', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
  const { problems }: RedoclyResult = JSON.parse(
    run(folder, 'redocly', 'lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'),
  );
  return problems.map(({ ruleId, location: [first], message }) => ({
    tool: 'Redocly',
    rule: ruleId,
    at: (first?.pointer ?? '').replace('#', '').replaceAll('~1', '/').replaceAll('//', '/'),
    message,
  }));
}
