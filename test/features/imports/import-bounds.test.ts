// The bounds of imports, and those of the service that they must fit together with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importLineBytesMax } from '../../../src/features/imports/import-lines.ts';
import { importBytesMax } from '../../../src/features/imports/import-routes.ts';
import {
  importKeptCharsMax,
  importsMax,
  importUnsentBytesMax,
} from '../../../src/features/imports/line-imports.ts';
import { bodyBytesMax } from '../../../src/http/connections/request-fields.ts';

test('the bounds of imports don’t contradict each other', () => {
  assert(importsMax * (importKeptCharsMax + importUnsentBytesMax) <= 32 * 1024 * 1024);
  // a line may be what a POST may be
  assert(bodyBytesMax <= importLineBytesMax);
  assert(importLineBytesMax <= importBytesMax);
});
