// `orderly licenses`: prints the licences of orderly, of the data that its tables are made from, and of Node.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function licenseTexts(): string {
  return `${readFileSync(join(import.meta.dirname, 'licenses.txt'), 'utf8')}\n\n${nodeLicense()}`;
}

/** In the executable, the build has put Node's licence beside this file; elsewhere it is in Node's own folder. */
function nodeLicense(): string {
  const { version, execPath } = process;
  const places = [
    join(import.meta.dirname, 'node-license.txt'),
    join(dirname(execPath), '../LICENSE'),
    join(dirname(execPath), 'LICENSE'), // Windows
  ];
  const file = places.find((place) => existsSync(place));
  const elsewhere = `https://github.com/nodejs/node/blob/${version}/LICENSE`;
  const text = file === undefined ? elsewhere : readFileSync(file, 'utf8').trimEnd();
  const heading = `Node ${version}, and its parts`;
  return [heading, '='.repeat(heading.length), '', text].join('\n');
}
