// Header fields of responses, as the lines of a head.

/**
 * Lines `Name: value` with their line breaks. Only `headerLine` makes a line, so no value can add another
 * line.
 */
export type HeaderLines = string;

/** Names and values, alternating. */
export type HeaderFields = readonly string[];

/**
 * A value has no control character except the tab, and only characters of one byte (RFC 9110 section 5.5).
 */
const invalidCharacter = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws if the value has a line break, so that no text from a client can add a header field. */
export function headerLine(name: string, value: string): HeaderLines {
  if (invalidCharacter.test(value)) throw new Error(`${name} has a character that no header field may have`);
  return name + ': ' + value + '\r\n';
}

export function headerLines(fields: HeaderFields): HeaderLines {
  let lines = '';
  for (let index = 0; index < fields.length; index += 2)
    lines += headerLine(fields[index] ?? '', fields[index + 1] ?? '');
  return lines;
}

/** The reverse of `headerLines`, for functions of `node:http`, which take fields. */
export function fieldsOf(lines: HeaderLines): string[] {
  return lines
    .trimEnd()
    .split('\r\n')
    .flatMap((line) => line.split(/: (.*)/s, 2));
}
