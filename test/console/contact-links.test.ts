// Links that the console shows for customers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailLinkOf } from '../../src/console/words/contact-links.ts';

for (const [email, link] of [
  ['ada@example.com', 'mailto:ada@example.com'],
  ['ada?bcc=eve&body=hello@example.com', 'mailto:ada%3Fbcc%3Deve%26body%3Dhello@example.com'],
  ['100%25@example.com', 'mailto:100%2525@example.com'],
  ['jörg@käse.example', 'mailto:j%C3%B6rg@k%C3%A4se.example'],
] as const) {
  test(`the link for ${email} writes to that address and adds nothing`, () => {
    assert.equal(mailLinkOf(email), link);
    assert.equal(new URL(link).search, '');
  });
}
