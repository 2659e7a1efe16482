// `orderly licenses`: prints the licences of orderly, of the data that its tables are made from, and of Node.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from './command.ts';

export const licenses: Command = {
  summary: 'prints the licences of orderly, of the data in its tables, and of Node',
  operands: [],
  flags: [],
  run: async () => `${readFileSync(join(import.meta.dirname, 'licenses.txt'), 'utf8')}\n\n${nodeLicense()}`,
};

/** In the executable, the build has put Node's licence beside this file; elsewhere it is in Node's own folder. */
function nodeLicense(): string {
  const { version, execPath } = process;
  const places = [
    join(import.meta.dirname, 'node-license.txt'),
    join(dirname(execPath), '../LICENSE'),
    join(dirname(execPath), 'LICENSE'), // Windows
  ];
  const file = places.find((place) => existsSync(place));
  const heading = `Node ${version}, and its parts`;
  return [
    heading,
    '='.repeat(heading.length),
    '',
    file === undefined ? elsewhere(version) : textOf(file),
  ].join('\n');
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd();
}

function elsewhere(version: string): string {
  return `https://github.com/nodejs/node/blob/${version}/LICENSE`;
}
