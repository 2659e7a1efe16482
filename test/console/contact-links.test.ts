// Links that the console shows for customers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailLinkOf, phoneText } from '../../src/console/words/contact-links.ts';

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

for (const [phone, text] of [
  ['+14155550132', '+1 415 555 0132'],
  ['+41446681800', '+41 446681800'],
  ['+353871234567', '+353 871234567'],
  ['+82212345678', '+82 212345678'],
  ['+494411234', '+49 4411234'],
  [null, ''],
] as const)
  test(`the phone number ${phone} is written without cutting an area code`, () => {
    assert.equal(phoneText(phone), text);
  });
