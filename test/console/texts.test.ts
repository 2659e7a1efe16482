// The console's texts in its languages: each language has the same ones. That each text has its German, the compiler
// checks, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import german from '../../src/console/words/german.json' with { type: 'json' };
import { numbered, rich, t } from '../../src/console/words/texts.ts';
import { texts } from '../support/source-text.ts';

const table = Object.entries(german);

const sources = [...texts].filter(([path]) => /^src\/console\/.*\.ts$/.test(path));

test('each German text is of a text that the console has, or of a code or a sentence of the service', () => {
  const code = sources.map(([, text]) => text).join('\n');
  const service = [...texts].filter(([path]) => /^src\/(?!console\/).*\.ts$/.test(path));
  const serviceCode = service.map(([, text]) => text).join('\n');
  const isUsed = (text: string): boolean => {
    const [, kind, name] = /^#(problem|issue) ([\w-]+)/.exec(text) ?? [];
    if (kind !== undefined) return name === 'other' || serviceCode.includes(`'${name}'`);
    if (text.startsWith('#')) return serviceCode.includes(text.slice(1));
    return code.includes(`'${text}'`) || code.includes(JSON.stringify(text));
  };
  assert.deepEqual(
    table.map(([text]) => text).filter((text) => !isUsed(text)),
    [],
  );
});

test('a German text has the values of the English one', () => {
  const namesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [english, own] of table)
    if (!english.startsWith('#')) assert.deepEqual(namesIn(own), namesIn(english), english);
});

test('a text has its values where their names are', () => {
  assert.equal(t('Refund {amount}', { amount: '€7.49' }), 'Refund €7.49');
  assert.equal(t('{name} can sign in', { name: '{amount}' }), '{amount} can sign in');
  const link = { href: '#/orders/7' };
  const values = { order: link, amount: '€7.49' };
  assert.deepEqual(rich('{order} ({amount}) is placed.', values), ['', link, ' (', '€7.49', ') is placed.']);
});

test('a number chooses between the text for one and the text for many', () => {
  const textOf = (count: number): string => t(numbered(count, '1 piece', '{count} pieces'), { count });
  assert.deepEqual([0, 1, 2].map(textOf), ['0 pieces', '1 piece', '2 pieces']);
});
