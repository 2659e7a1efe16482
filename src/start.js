// The entry point, in plain JavaScript, so that a Node that is too old can say so: it could not parse the
// sources.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// Before 24.15 its SQLite could lose committed changes; main.ts checks newer ones.
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `orderly needs Node 24.15 or newer, and this is ${process.versions.node}. "npm install" brings one, ` +
      'which "npm start" uses,',
  );
  console.error(
    'unless development or optional packages are left out (--omit, NODE_ENV=production) or the platform ' +
      'has none.',
  );
  process.exit(78);
}
if (isService()) nameOtherRuntime();
// Without a listener this signal would open Node's debugger to every local user.
process.on('SIGUSR1', () => {});
// These signals end the process until the service listens to them itself. In process 1 of a container,
// signals without a listener would be ignored.
if (isService()) for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));

// The cache is not in the shared folder for temporary files, where others could leave code. If its folder
// can't be written, there is no cache; and none in the executable, whose folders are below /dev/null.
if (process.getBuiltinModule?.('node:sea')?.isSea() !== true)
  module.enableCompileCache?.(join(import.meta.dirname ?? '', '../node_modules/.cache/orderly'));
// Sources import each other by complete file names. Node's own search for links and package.json files would
// take a third of the start.
module.registerHooks?.({
  resolve(specifier, context, resolveNext) {
    if (!specifier.endsWith('.ts')) return resolveNext(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    return { url: href, format: 'module-typescript', shortCircuit: true };
  },
});
const { run } = await import('./main.ts');
process.exitCode = await run(process.argv.slice(2));

function isService() {
  const [command = 'serve'] = process.argv.slice(2);
  return command === 'serve' || command.startsWith('-');
}

/** `npm install` succeeds without the Node that it should bring, and then another one runs. */
function nameOtherRuntime() {
  if (process.getBuiltinModule?.('node:sea')?.isSea() === true) return;
  let expected;
  try {
    const manifest = readFileSync(join(import.meta.dirname, '../.ci/runtime/package.json'), 'utf8');
    const { version, optionalDependencies: packages } = JSON.parse(manifest);
    const platform = `${process.platform.replace('32', '')}-${process.arch}`;
    expected = packages[Object.keys(packages).find((name) => name.endsWith(platform)) ?? ''] ?? version;
  } catch {} // a copy of src/ alone expects none
  if (expected === undefined || expected === process.versions.node) return;
  console.error(
    `orderly: this is Node ${process.versions.node} (${process.execPath}), not the ${expected} of npm install.`,
  );
}
