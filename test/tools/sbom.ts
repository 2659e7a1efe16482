// Prints orderly's components, as CycloneDX 1.6: `node test/tools/sbom.ts`. At run time these are only Node
// and its parts; packages of package-lock.json are for development only, and so are `excluded`. The same for
// the same lock file and Node.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Locked = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const lock = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8');
const packages: Readonly<Record<string, Locked>> = JSON.parse(lock).packages;
/** The parts of Node that run, with their names in vulnerability databases. */
const nodeParts = [
  'ada',
  'ares',
  'brotli',
  'icu',
  'llhttp',
  'nghttp2',
  'openssl',
  'simdjson',
  'simdutf',
  'sqlite',
  'undici',
  'uv',
  'v8',
  'zlib',
  'zstd',
];

export function sbom(): object {
  const { '': root = {}, ...others } = packages;
  const listed = Object.entries(others).filter(([, { link }]) => link !== true);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(lock + process.version)}`,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': 'orderly',
        name: 'orderly',
        version: root.version,
        ...licenseOf(root),
        purl: `pkg:npm/orderly@${root.version}`,
      },
    },
    components: [node(), ...listed.map(([path, locked]) => component(path, locked))],
    dependencies: [
      { ref: 'orderly', dependsOn: ['node', ...needs('', root)] },
      { ref: 'node', dependsOn: [] },
      ...listed.map(([path, locked]) => ({ ref: path, dependsOn: needs(path, locked) })),
    ],
  };
}

function node(): object {
  const { versions } = process;
  const parts = nodeParts.filter((name) => (versions[name] ?? '') !== '');
  return {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version: versions.node,
    scope: 'required',
    ...licenseOf({ license: 'MIT' }),
    purl: `pkg:github/nodejs/node@v${versions.node}`,
    components: parts.map((name) => ({
      type: 'library',
      'bom-ref': `node/${name}`,
      name,
      version: versions[name],
    })),
  };
}

function component(
  path: string,
  { name = nameOf(path), version, integrity, dev, ...locked }: Locked,
): object {
  return {
    type: 'library',
    'bom-ref': path,
    name,
    version,
    scope: dev === true ? 'excluded' : 'required',
    ...licenseOf(locked),
    ...(integrity === undefined
      ? {}
      : { hashes: [hashOf(integrity)], purl: `pkg:npm/${name.replace('@', '%40')}@${version}` }),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Parses `sha512-` and base64. */
function hashOf(integrity: string): object {
  return {
    alg: 'SHA-512',
    content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
  };
}

function licenseOf({ license }: Locked): object {
  return license === undefined
    ? {}
    : { licenses: /^[\w.-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }] };
}

/** The places of a package's dependencies in the lock file, as Node resolves them: nearest first. */
function needs(path: string, { dependencies, devDependencies, optionalDependencies }: Locked): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).flatMap((name) => {
    for (let from = path; ; from = from.slice(0, Math.max(from.lastIndexOf('/node_modules/'), 0))) {
      const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
      const found = packages[place];
      if (found !== undefined) return [found.link === true ? linkedTo(place) : place];
      if (from === '') return [];
    }
  });
}

function linkedTo(place: string): string {
  // a link has one
  return String((packages[place] as { readonly resolved?: string } | undefined)?.resolved ?? place);
}

/** A UUID of version 8 (RFC 9562), derived from a digest. */
function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const [head, second, third, fourth, tail] = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(13, 16),
    digits.slice(17, 20),
    digits.slice(20, 32),
  ];
  return `${head}-${second}-8${third}-a${fourth}-${tail}`;
}

if (import.meta.main) console.log(JSON.stringify(sbom(), null, 2));
