// The list of orderly's components.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { version } from '../../src/base/version.ts';
import { texts } from '../support/source-text.ts';
import { sbom } from './sbom.ts';

type Listed = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version?: string;
  readonly type: string;
  readonly scope?: string;
  readonly cpe?: string;
  readonly purl?: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly content: string }[];
  readonly components?: readonly Listed[];
};
type Document = {
  readonly specVersion: string;
  readonly metadata: { readonly component: Listed };
  readonly components: readonly Listed[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

suite('the SBOM', () => {
  const { specVersion, metadata, components, dependencies } = sbom({ version }) as Document; // as in the schema of CycloneDX
  const [node, ...others] = components;

  test('at run time orderly needs Node and tables alone; what else is listed is for development, with digests', () => {
    assert.deepEqual([specVersion, metadata.component.version], ['1.6', version]);
    const required = components.filter(({ scope }) => scope === 'required');
    const tables = required.filter(({ type }) => type === 'data').map(({ name }) => name);
    assert.deepEqual(
      required.map(({ name }) => name),
      ['node', ...tables],
    );
    for (const { hashes, name } of others)
      assert.ok(name === 'orderly-runtime' || /^([0-9a-f]{64}){1,2}$/.test(hashes?.[0]?.content ?? ''), name);
  });

  test('every part of Node is listed with its licence, and found by its version', () => {
    const parts = node?.components ?? [];
    for (const { name, version: found, purl, licenses } of parts) {
      assert.ok(purl?.endsWith(`@${found}`), name);
      assert.equal(licenses?.length, 1, name);
    }
    const cpes = parts.map(({ cpe }) => cpe);
    for (const [product, part] of [
      ['openssl:openssl', 'openssl'],
      ['sqlite:sqlite', 'sqlite'],
      ['c-ares:c-ares', 'ares'],
    ] as const)
      assert.ok(cpes.includes(`cpe:2.3:a:${product}:${process.versions[part]}:*:*:*:*:*:*:*`), product);
    assert.equal(node?.cpe, `cpe:2.3:a:nodejs:node.js:${process.versions.node}:*:*:*:*:*:*:*`);
  });

  test('every part of Node has its licence in what orderly prints', (t) => {
    const file = join(dirname(process.execPath), '../LICENSE');
    if (!existsSync(file)) return t.skip('this Node came without its licence');
    const printed = `${texts.get('src/commands/licenses.txt')}${readFileSync(file, 'utf8')}`;
    const names = node?.components?.map(({ name }) => name) ?? [];
    assert.ok(names.length > 15);
    assert.deepEqual(
      names.filter((name) => !new RegExp(`\\b${name}\\b`, 'i').test(printed)),
      [],
    );
  });

  test('every table that a program wrote is listed, and the licence of what it was made from can be printed', () => {
    const written = [...texts].filter(
      ([path, text]) =>
        path.startsWith('src/') && /^(\/\/ .*\n)*.*Written by\s(\/\/ )?test\/tools\//.test(text),
    );
    const tables = components.filter(({ type, scope }) => type === 'data' && scope === 'required');
    assert.deepEqual(
      tables.map(({ name }) => name),
      written.map(([path]) => path).sort(),
    );
    const licenses = texts.get('src/commands/licenses.txt') ?? '';
    for (const { name: table, components: origins = [] } of tables)
      for (const { name, version: found } of origins) {
        const section = licenses.slice(licenses.indexOf(table));
        assert.ok(section.includes(name), name);
        assert.ok(found === undefined || section.includes(found), `${name} ${found}`);
      }
  });

  test('the SBOM lists all dependencies that it refers to, and is the same each time', () => {
    const refs = new Set([metadata.component, ...components].map((each) => each['bom-ref']));
    assert.equal(refs.size, components.length + 1);
    assert.deepEqual(
      dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
      [],
    );
    assert.deepEqual(sbom({ version }), sbom({ version }));
  });
});
