// The guarantees of src/resources/flows/ for all resources, which no store or route can bypass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, sources, texts } from '../source-text.ts';

const resources = sources.filter((path) => path.startsWith('src/resources/'));

test('preconditions are checked in the flow of changes, and nowhere else', () => {
  assert.deepEqual(
    resources.filter((path) => /\bcheckPrecondition\b/.test(codeOf(texts.get(path) ?? ''))),
    ['src/resources/flows/change.ts'],
  );
});

test('only requireVisible makes a Visible', () => {
  assert.deepEqual(
    sources.filter((path) => /\bas Visible\b/.test(codeOf(texts.get(path) ?? ''))),
    ['src/resources/flows/visible.ts'],
  );
});
