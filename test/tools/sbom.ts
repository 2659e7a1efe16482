// Prints orderly's components, as CycloneDX 1.6: `node test/tools/sbom.ts`; the build writes the same beside the
// executable, with its SHA-256. What runs is Node, with its parts, and tables that were made from data of others. The
// packages that bring Node are `optional`, the others of package-lock.json are for development, and so are `excluded`.
// The same for the same lock file, Node and version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './runtime.ts';
import { buildVersion, project } from './staged-sources.ts';

type Locked = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  /** What a link leads to. */
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const lock = readFileSync(join(project, 'package-lock.json'), 'utf8');
const packages: Readonly<Record<string, Locked>> = JSON.parse(lock).packages;
const runtimePlace = '.ci/runtime';
const bringingNode = Object.keys(packages[runtimePlace]?.optionalDependencies ?? {});

type Part = readonly [license: string, cpe?: string | undefined, purl?: string];
/** The parts of Node by their names in `process.versions`. Scanners find them by the CPE, or else by the purl. */
const nodeParts: Readonly<Record<string, Part>> = {
  acorn: ['MIT', 'acornjs:acorn', 'npm/acorn'],
  ada: ['MIT OR Apache-2.0', 'ada-url:ada'],
  amaro: ['MIT', undefined, 'npm/amaro'],
  ares: ['MIT', 'c-ares:c-ares', 'generic/c-ares'],
  brotli: ['MIT', 'google:brotli'],
  cldr: ['Unicode-3.0'],
  icu: ['Unicode-3.0', 'unicode:international_components_for_unicode'],
  libffi: ['MIT', 'libffi_project:libffi'],
  lief: ['Apache-2.0', 'lief-project:lief'],
  llhttp: ['MIT', 'llhttp:llhttp'],
  merve: ['MIT'],
  nbytes: ['MIT'],
  ncrypto: ['MIT'],
  nghttp2: ['MIT', 'nghttp2:nghttp2'],
  nghttp3: ['MIT', 'nghttp2:nghttp3'],
  ngtcp2: ['MIT', 'nghttp2:ngtcp2'],
  openssl: ['Apache-2.0', 'openssl:openssl'],
  simdjson: ['Apache-2.0 OR MIT', 'simdjson:simdjson'],
  simdutf: ['Apache-2.0 OR MIT', 'simdutf:simdutf'],
  sqlite: ['blessing', 'sqlite:sqlite'],
  tz: ['CC-PDDC'],
  undici: ['MIT', 'nodejs:undici', 'npm/undici'],
  uv: ['MIT', 'libuv:libuv', 'generic/libuv'],
  uvwasi: ['MIT', 'nodejs:uvwasi'],
  v8: ['BSD-3-Clause', 'google:v8'],
  zlib: ['Zlib', 'zlib:zlib'],
  zstd: ['BSD-3-Clause', 'facebook:zstandard'],
};
/** Versions of interfaces. */
const noParts = ['modules', 'napi', 'node', 'unicode'];

type Origin = readonly [name: string, version: string | undefined, license: string, purl: string];
const phoneMetadata: readonly Origin[] = [
  ['libphonenumber-js', '1.13.16', 'MIT', 'npm/libphonenumber-js'],
  ['google/libphonenumber', undefined, 'Apache-2.0', 'github/google/libphonenumber'],
];
/** The tables that were made from data of others; `orderly licenses` prints the licences. */
const tables: Readonly<Record<string, readonly Origin[]>> = {
  'src/auth/common-password-list.ts': [
    ['@zxcvbn-ts/language-common', '4.1.3', 'MIT', 'npm/%40zxcvbn-ts/language-common'],
  ],
  'src/console/words/phone-formats.ts': phoneMetadata,
  'src/features/customers/postal-codes.ts': [
    ['commerceguys/addressing', 'e90fe20', 'MIT', 'github/commerceguys/addressing'],
    ['google/libaddressinput', undefined, 'Apache-2.0', 'github/google/libaddressinput'],
  ],
  'src/schema/country-aliases.ts': [
    ['i18n-iso-countries', '7.14.0', 'MIT', 'npm/i18n-iso-countries'],
    ['CLDR', '48.2', 'Unicode-3.0', 'generic/cldr'],
  ],
  'src/schema/phone-plans.ts': phoneMetadata,
};

type Built = { readonly version: string; readonly file?: string };

export function sbom({ version, file }: Built): object {
  const { '': root = {}, ...others } = packages;
  const listed = Object.entries(others).filter(([, { link }]) => link !== true);
  const tableFiles = Object.keys(tables);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(lock + process.version + process.platform + process.arch + version)}`,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': 'orderly',
        name: 'orderly',
        version,
        ...(file === undefined ? {} : hashesOf(file)),
        ...licenseOf(root),
        purl: `pkg:npm/orderly@${encodeURIComponent(version)}`,
      },
    },
    components: [
      node(),
      ...tableFiles.map(table),
      ...listed.map(([path, locked]) => component(path, locked)),
    ],
    dependencies: [
      { ref: 'orderly', dependsOn: ['node', ...tableFiles, ...needs('', root)] },
      { ref: 'node', dependsOn: [] },
      ...tableFiles.map((ref) => ({ ref, dependsOn: [] })),
      ...listed.map(([path, locked]) => ({ ref: path, dependsOn: needs(path, locked) })),
    ],
  };
}

function node(): object {
  const { versions, execPath } = process;
  const unknown = Object.keys(versions).filter((name) => !noParts.includes(name) && !(name in nodeParts));
  if (unknown.length > 0) throw new Error(`Parts of Node that the table here lacks: ${unknown.join(', ')}`);
  return {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version: versions.node,
    scope: 'required',
    ...hashesOf(execPath),
    ...licenseOf({ license: 'MIT' }),
    cpe: cpeOf('nodejs:node.js', versions.node),
    purl: `pkg:github/nodejs/node@v${versions.node}`,
    components: Object.entries(nodeParts).flatMap(([name, [license, cpe, purl = `generic/${name}`]]) => {
      const version = versions[name] ?? '';
      if (version === '') return []; // this Node is built without it
      return {
        type: name === 'cldr' || name === 'tz' ? 'data' : 'library',
        'bom-ref': `node/${name}`,
        name: purl.slice(purl.lastIndexOf('/') + 1),
        version,
        ...licenseOf({ license }),
        ...(cpe === undefined ? {} : { cpe: cpeOf(cpe, version) }),
        purl: `pkg:${purl}@${version}`,
      };
    }),
  };
}

/** What follows a hyphen or a plus says which copy it is: `1.3.2.1-motley-285e94b`. */
function cpeOf(product: string, version: string): string {
  return `cpe:2.3:a:${product}:${version.replace(/[-+].*/, '')}:*:*:*:*:*:*:*`;
}

function table(path: string): object {
  return {
    type: 'data',
    'bom-ref': path,
    name: path,
    scope: 'required',
    ...hashesOf(join(project, path)),
    components: tables[path]?.map(([name, version, license, purl]) => ({
      type: 'data',
      'bom-ref': `${path}: ${name}`,
      name,
      ...(version === undefined ? {} : { version }),
      ...licenseOf({ license }),
      purl: `pkg:${purl}${version === undefined ? '' : `@${version}`}`,
    })),
  };
}

function component(path: string, locked: Locked): object {
  const { name = path.replace(/^.*node_modules\//, ''), version, integrity } = locked;
  const isRuntime = path === runtimePlace || bringingNode.includes(name);
  return {
    type: 'library',
    'bom-ref': path,
    name,
    version,
    scope: isRuntime ? 'optional' : 'excluded',
    ...licenseOf(locked),
    ...(integrity === undefined
      ? {}
      : { hashes: [hashOf(integrity)], purl: `pkg:npm/${name.replace('@', '%40')}@${version}` }),
  };
}

function hashesOf(file: string): object {
  return { hashes: [{ alg: 'SHA-256', content: sha256(readFileSync(file)) }] };
}

/** Parses `sha512-` and base64. */
function hashOf(integrity: string): object {
  const bytes = Buffer.from(integrity.slice('sha512-'.length), 'base64');
  return { alg: 'SHA-512', content: bytes.toString('hex') };
}

function licenseOf({ license }: Locked): object {
  if (license === undefined) return {};
  const isOne = /^[\w.-]+$/.test(license);
  return { licenses: [isOne ? { license: { id: license } } : { expression: license }] };
}

/** The places of a package's dependencies in the lock file, as Node resolves them: nearest first. */
function needs(path: string, { dependencies, devDependencies, optionalDependencies }: Locked): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).flatMap((name) => {
    for (let from = path; ; from = from.slice(0, Math.max(from.lastIndexOf('/node_modules/'), 0))) {
      const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
      const found = packages[place];
      if (found?.link === true) return [found.resolved ?? place];
      if (found !== undefined) return [place];
      if (from === '') return [];
    }
  });
}

/** A UUID of version 8 (RFC 9562), derived from a digest. */
function uuidOf(text: string): string {
  return sha256(Buffer.from(text)).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
}

if (import.meta.main) console.log(JSON.stringify(sbom({ version: buildVersion() }), null, 2));
