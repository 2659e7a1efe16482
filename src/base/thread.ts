// What all threads of the service share: their memory.

/**
 * The memory of a thread's JavaScript. With 16 MB for old objects V8 ended the whole process in some starts
 * of a thread ("GC during deserialization"): in 8 of 16 runs of some tests, and with 64 MB in none of 40.
 */
export const threadMemoryMax = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 } as const;
