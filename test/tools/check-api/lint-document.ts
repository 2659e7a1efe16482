// What Redocly finds in the OpenAPI document.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, run } from './outside-tools.ts';

type RedoclyResult = {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly pointer?: string }[];
  }[];
};

/** Errors and warnings both count. A schema that only `x-line-schema` refers to counts as unused, and isn't. */
const rules = 'extends: [recommended]\nrules:\n  no-unused-components: off\n';

export function lintDocument(document: string, parent: string): string[] {
  const folder = folderWith('redocly', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'redocly.yaml'), rules);
  const { problems }: RedoclyResult = JSON.parse(
    run(folder, 'redocly', 'lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'),
  );
  return problems.map(
    ({ ruleId, location: [first], message }) => `Redocly ${ruleId} at ${first?.pointer}: ${message}`,
  );
}
