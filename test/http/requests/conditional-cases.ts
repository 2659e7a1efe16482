// The preconditions of requests and their results, according to RFC 9110 section 13.

export type Conditions = { readonly 'if-match'?: string; readonly 'if-none-match'?: string };

/** Derived from the current entity tag. */
export type Case = readonly [
  what: string,
  conditions: (tag: string) => Conditions,
  read: 200 | 304 | 412,
  change: 'done' | 412,
];

export const cases: readonly Case[] = [
  ['no condition', () => ({}), 200, 'done'],
  ['If-Match: the tag', (tag) => ({ 'if-match': tag }), 200, 'done'],
  ['If-Match: *', () => ({ 'if-match': '*' }), 200, 'done'],
  ['If-Match: another tag', () => ({ 'if-match': '"another"' }), 412, 412],
  [
    'If-Match: the tag, but weak, which never matches strongly',
    (tag) => ({ 'if-match': `W/${tag}` }),
    412,
    412,
  ],
  ['If-Match: the tag after a small w, which is no tag', (tag) => ({ 'if-match': `w/${tag}` }), 412, 412],
  ['If-Match: a list with the tag first', (tag) => ({ 'if-match': `${tag}, "another"` }), 200, 'done'],
  [
    'If-Match: a list with the tag last, without blanks',
    (tag) => ({ 'if-match': `"another","one-more",${tag}` }),
    200,
    'done',
  ],
  ['If-Match: a list with empty elements', (tag) => ({ 'if-match': `,, ${tag} ,` }), 200, 'done'],
  ...['gzip', 'br', 'zstd'].flatMap((coding): Case[] => [
    [
      `If-Match: the tag as a proxy changes it that compresses by ${coding}`,
      (tag) => ({ 'if-match': `${tag.slice(0, -1)}-${coding}"` }),
      200,
      'done',
    ],
    [
      `If-None-Match: the tag as a proxy changes it that compresses by ${coding}`,
      (tag) => ({ 'if-none-match': `"a", ${tag.slice(0, -1)}-${coding}"` }),
      304,
      412,
    ],
    [
      `If-Match: a weak tag of ${coding}`,
      (tag) => ({ 'if-match': `W/${tag.slice(0, -1)}-${coding}"` }),
      412,
      412,
    ],
    [
      `If-None-Match: a weak tag of ${coding}`,
      (tag) => ({ 'if-none-match': `W/${tag.slice(0, -1)}-${coding}"` }),
      304,
      412,
    ],
    [`If-Match: ${coding} alone`, () => ({ 'if-match': `"-${coding}"` }), 412, 412],
  ]),
  ['If-Match: the tag and -deflate', (tag) => ({ 'if-match': `${tag.slice(0, -1)}-deflate"` }), 412, 412],
  [
    'If-Match: the tag and -gzip twice',
    (tag) => ({ 'if-match': `${tag.slice(0, -1)}-gzip-gzip"` }),
    412,
    412,
  ],
  ['If-Match: the tag and _gzip', (tag) => ({ 'if-match': `${tag.slice(0, -1)}_gzip"` }), 412, 412],
  ['If-Match: the tag and -gzip after it', (tag) => ({ 'if-match': `${tag}-gzip` }), 412, 412],
  ['If-Match: a list of others', () => ({ 'if-match': '"a", "b", W/"c"' }), 412, 412],
  ['If-Match: a list of the tag, weak, and another', (tag) => ({ 'if-match': `"a", W/${tag}` }), 412, 412],
  ['If-Match: a tag with a comma in it', (tag) => ({ 'if-match': `"a,b", ${tag}` }), 200, 'done'],
  ['If-Match: the tag without its quotes', (tag) => ({ 'if-match': tag.slice(1, -1) }), 412, 412],
  ['If-Match: the tag in single quotes', (tag) => ({ 'if-match': `'${tag.slice(1, -1)}'` }), 412, 412],
  [
    'If-Match: the tag in another case',
    (tag) => ({ 'if-match': tag.toLowerCase() === tag ? tag.toUpperCase() : tag.toLowerCase() }),
    412,
    412,
  ],
  ['If-Match: a tag that begins with the tag', (tag) => ({ 'if-match': `${tag.slice(0, -1)}x"` }), 412, 412],
  ['If-Match: the tag, then something that is none', (tag) => ({ 'if-match': `${tag}x` }), 412, 412],
  ['If-Match: nothing', () => ({ 'if-match': '' }), 412, 412],
  ['If-Match: "*", which is a tag', () => ({ 'if-match': '"*"' }), 412, 412],
  ['If-None-Match: the tag', (tag) => ({ 'if-none-match': tag }), 304, 412],
  [
    'If-None-Match: the tag, but weak, which matches weakly',
    (tag) => ({ 'if-none-match': `W/${tag}` }),
    304,
    412,
  ],
  ['If-None-Match: *', () => ({ 'if-none-match': '*' }), 304, 412],
  ['If-None-Match: another tag', () => ({ 'if-none-match': '"another"' }), 200, 'done'],
  ['If-None-Match: a list with the tag', (tag) => ({ 'if-none-match': `"a", ${tag}` }), 304, 412],
  [
    'If-None-Match: a list with the tag, weak, without blanks',
    (tag) => ({ 'if-none-match': `"a",W/${tag},"b"` }),
    304,
    412,
  ],
  ['If-None-Match: a list of others', () => ({ 'if-none-match': '"a", W/"b"' }), 200, 'done'],
  ['If-None-Match: no tag', () => ({ 'if-none-match': 'yesterday' }), 200, 'done'],
  ['If-None-Match: nothing', () => ({ 'if-none-match': '' }), 200, 'done'],
  ['both match: If-None-Match decides', (tag) => ({ 'if-match': tag, 'if-none-match': tag }), 304, 412],
  [
    'If-Match fails: If-None-Match isn’t looked at',
    (tag) => ({ 'if-match': '"another"', 'if-none-match': tag }),
    412,
    412,
  ],
  [
    'If-Match fails, and so would If-None-Match',
    () => ({ 'if-match': '"another"', 'if-none-match': '"a"' }),
    412,
    412,
  ],
  [
    'If-Match matches and If-None-Match doesn’t',
    (tag) => ({ 'if-match': tag, 'if-none-match': '"a"' }),
    200,
    'done',
  ],
];
