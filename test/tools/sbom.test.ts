// The list of orderly's components.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/base/version.ts';
import { sbom } from './sbom.ts';

type Listed = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly components?: readonly Listed[];
};
type Document = {
  readonly specVersion: string;
  readonly metadata: { readonly component: Listed };
  readonly components: readonly Listed[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

test('at run time orderly needs Node alone; what else is listed is for development, with digests', () => {
  // as in the schema of CycloneDX
  const { specVersion, metadata, components } = sbom() as Document;
  assert.deepEqual([specVersion, metadata.component.version], ['1.6', version]);
  assert.deepEqual(
    components.filter(({ scope }) => scope !== 'excluded').map(({ name }) => name),
    ['node'],
  );
  for (const { hashes, name } of components.slice(1))
    assert.ok(name === 'orderly-runtime' || /^[0-9a-f]{128}$/.test(hashes?.[0]?.content ?? ''), name);
  assert.ok(
    components[0]?.components?.some(
      ({ name, version: found }) => name === 'sqlite' && found === process.versions['sqlite'],
    ),
  );
});

test('the SBOM lists all dependencies that it refers to, and is the same each time', () => {
  const { metadata, components, dependencies } = sbom() as Document; // as above
  const refs = new Set([metadata.component, ...components].map((each) => each['bom-ref']));
  assert.equal(refs.size, components.length + 1);
  assert.deepEqual(
    dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
    [],
  );
  assert.deepEqual(sbom(), sbom());
});
