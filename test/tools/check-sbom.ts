// `npm run check:sbom`: CycloneDX's own library validates the SBOM by its strict schema, which also knows the forms of
// CPE and the names of licences; the library of package URLs reads those.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderWith } from './check-api/outside-tools.ts';
import { sbom } from './sbom.ts';
import { buildVersion } from './staged-sources.ts';

type CycloneDx = {
  readonly Spec: { readonly Version: { readonly v1dot6: string } };
  readonly Validation: {
    readonly JsonStrictValidator: new (version: string) => { validate(text: string): Promise<unknown> };
  };
};
type PackageUrls = { readonly PackageURL: { fromString(text: string): { readonly name: string } } };

const folder = mkdtempSync(join(tmpdir(), 'orderly-sbom-'));
try {
  const require = createRequire(join(folderWith('cycloneDx', folder), 'here.js'));
  // the packages' own interfaces
  const { Spec, Validation } = require('@cyclonedx/cyclonedx-library') as CycloneDx;
  const { PackageURL } = require('packageurl-js') as PackageUrls;
  const text = JSON.stringify(sbom({ version: buildVersion() }));
  const error = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (error !== null) console.error(error);
  const found = { purl: 0, cpe: 0 };
  JSON.parse(text, (key, value: unknown) => {
    if (key === 'purl' && PackageURL.fromString(String(value)).name !== '') found.purl += 1;
    if (key === 'cpe') found.cpe += 1;
    return value;
  });
  console.log(
    `CycloneDX 1.6: ${error === null ? 'valid' : 'NOT valid'}; ${found.purl} purls, ${found.cpe} CPEs`,
  );
  process.exitCode = error === null ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
