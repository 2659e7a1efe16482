// README and src/docs: their links resolve, and their lists equal those of the sources.
import assert from 'node:assert/strict';
import { dirname, join, normalize } from 'node:path';
import { suite, test } from 'node:test';
import { commandNames, commands } from '../../src/commands/commands.ts';
import { features, migrations, settings } from '../../src/service/features.ts';
import { openMigrated } from '../../src/storage/migrations.ts';
import { newFolder } from '../support/command-support.ts';
import { securityEventLevels } from '../../src/security-event.ts';
import { declaredNames, executable, serviceFor } from '../support/service.ts';
import { paths, quotedIn, texts } from '../support/source-text.ts';

const isPage = (path: string): boolean =>
  path === 'README.md' || /^src\/(docs\/\S+|ARCHITECTURE)\.md$/.test(path);
const pages = paths.filter(isPage);

suite('the pages', () => {
  test('the pages are all linked from the README', () => {
    const linked = linksOf('README.md').map(({ file }) => file);
    assert.deepEqual(
      pages.filter((page) => page !== 'README.md' && !linked.includes(page)),
      [],
    );
  });

  for (const page of pages) {
    test(`the links of ${page} have targets`, () => {
      const broken = linksOf(page).filter(({ file, anchor }) => !isTarget(file, anchor));
      assert.deepEqual(broken, []);
    });

    test(`the files and scripts that ${page} names exist`, () => {
      const text = textOf(page);
      const files = [...text.matchAll(/`((?:src|test)\/[\w./-]+)`(?!:\n\n```)/g)].map(
        ([, file = '']) => file,
      );
      assert.deepEqual(
        files.filter((file) => !paths.some((path) => path === file || path.startsWith(file))),
        [],
      );
      const { scripts } = JSON.parse(textOf('package.json'));
      const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
      assert.deepEqual(
        named.filter((script) => scripts[script] === undefined),
        [],
      );
    });
  }
});

test(
  'the README lists every operation of the API, and no other',
  { skip: executable !== undefined && 'looks at the sources' },
  async (t) => {
    const service = await serviceFor(t);
    const mounted = service.inside?.router.mounted ?? [];
    const listed = rowsOf('README.md', 'Resource').flatMap(([, operations = '']) =>
      quotedIn(operations).flatMap((operation) => {
        const [path, ...methods] = operation.split(' ').toReversed();
        return methods.map((method) => `${method} ${path}`);
      }),
    );
    assert.deepEqual(listed.sort(), mounted.map(({ route }) => `${route.method} ${route.path}`).sort());
  },
);

test('settings.md has each feature that can be left out, and those that need it', () => {
  const text = texts.get('src/docs/settings.md') ?? '';
  const section = /^## Features\n.*?^## /ms.exec(text)?.[0] ?? '';
  const rows = Array.from(section.matchAll(/^\| `(\w+)` \|.*\| (.*?) ?\|$/gm), ([, name, needing = '']) => [
    name,
    needing.replaceAll('`', ''),
  ]);
  const optional = features.filter(({ isCore, name }) => isCore !== true && !declaredNames.includes(name));
  const expected = optional.map((feature) => {
    const needing = features.filter(({ needs = [] }) => needs.includes(feature));
    return [feature.name, needing.map(({ name }) => name).join(', ')];
  });
  assert.deepEqual(rows, expected);
});

suite('settings.md', () => {
  test('settings.md has every flag with its variable and its default, and no other', () => {
    const rows = settings.map(({ flag, value, fallback }) => {
      const variable = `ORDERLY_${flag.toUpperCase().replaceAll('-', '_')}`;
      return [`\`--${flag} ${value}\``, `\`${variable}\``, fallback === '' ? 'none' : `\`${fallback}\``];
    });
    assert.deepEqual(
      rowsOf('src/docs/settings.md', 'Flag').map((cells) => cells.slice(0, 3)),
      rows,
    );
  });

  test('settings.md has every command with its operands and flags, and no other', () => {
    const rows: string[] = [];
    for (const name of commandNames) {
      const { operands = [], flags = [] } = commands[name];
      const words = flags.map(({ flag, value, isRequired }) => {
        const text = value === undefined ? `--${flag}` : `--${flag} ${value}`;
        return isRequired === true ? text : `[${text}]`;
      });
      rows.push(`\`${[name, ...operands, ...words].join(' ')}\``);
    }
    assert.deepEqual(
      rowsOf('src/docs/settings.md', 'Command').map(([command]) => command),
      rows,
    );
  });
});

test('operation.md says of every table and column what is stored', async (t) => {
  const own = migrations.filter(({ feature }) => !declaredNames.includes(feature));
  const db = await openMigrated(newFolder(t), own);
  t.after(() => db.close());
  const sql =
    "SELECT name || ': ' || (SELECT group_concat(name, ' ') FROM pragma_table_info(tables.name)) AS row FROM " +
    "pragma_table_list AS tables WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'";
  const tables = db.prepare(sql).all().flat();
  const listed = rowsOf('src/docs/operation.md', 'Table').map(
    ([table = '', columns = '']) => `${quotedIn(table).join('')}: ${quotedIn(columns).join(' ')}`,
  );
  assert.deepEqual(listed.sort(), tables.sort());
});

test('operation.md lists every security event with its level, and no other', () => {
  assert.deepEqual(
    rowsOf('src/docs/operation.md', 'Event').map((cells) => cells.slice(0, 2)),
    Object.entries(securityEventLevels).map(([name, level]) => [`\`${name}\``, level]),
  );
});

test(
  'operation.md lists every metric with its type, and no other',
  { skip: executable !== undefined && 'looks at the sources' },
  async (t) => {
    const service = await serviceFor(t);
    const { text } = await service.get('/metrics');
    const printed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [
      `\`${name}\``,
      type,
    ]);
    assert.deepEqual(
      rowsOf('src/docs/operation.md', 'Metric')
        .map((cells) => cells.slice(0, 2))
        .sort(),
      printed.sort(),
    );
  },
);

suite('asvs.md', () => {
  const page = 'src/docs/asvs.md';
  const rows = [...textOf(page).matchAll(/^\| (\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)];

  test('asvs.md has each requirement once, with its state and a test or a reason', () => {
    const lines = textOf(page).match(/^\| \d.*$/gm) ?? [];
    assert.equal(rows.length, lines.length, 'every row has four cells that say something');
    assert.equal(new Set(rows.map(([, number]) => number)).size, rows.length);
    const counts = ['holds', 'doesn’t', 'doesn’t apply'].map(
      (state) => rows.filter(([, , , each]) => each === state).length,
    );
    const [hold, fail, inapplicable] = counts;
    assert.ok(
      textOf(page).includes(
        `Of ${rows.length} requirements ${hold} hold, ${fail} don’t, and ${inapplicable} don’t apply.`,
      ),
    );
  });

  test('asvs.md names only tests that exist', () => {
    const named = rows.flatMap(([, number = '', , , evidence = '']) =>
      [...evidence.matchAll(/`([\w-]+\.test\.ts)`: (.+?)(?=<br>|$)/g)].map(([, file = '', title = '']) => ({
        number,
        file,
        title,
      })),
    );
    assert.ok(named.length > 100, `only ${named.length} are seen`);
    const missing = named.filter(
      ({ file, title }) => !paths.some((each) => each.endsWith(`/${file}`) && textOf(each).includes(title)),
    );
    assert.deepEqual(missing, []);
  });
});

/** The cells of each row of the table whose first heading is `heading`. */
function rowsOf(page: string, heading: string): string[][] {
  const table = textOf(page).split(`\n| ${heading} |`)[1]?.split('\n\n')[0] ?? '';
  const [, , ...rows] = table.split('\n');
  assert.ok(rows.length > 0, `${page} has no table of ${heading}`);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function linksOf(page: string): { readonly file: string; readonly anchor: string }[] {
  const prose = textOf(page).replaceAll(/^```[^]*?^```$/gm, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

function isTarget(file: string, anchor: string): boolean {
  if (anchor === '') return texts.has(file);
  return texts.has(file) && anchorsOf(file).includes(anchor);
}

/** As GitHub derives them from headings. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function textOf(path: string): string {
  return texts.get(path) ?? '';
}
