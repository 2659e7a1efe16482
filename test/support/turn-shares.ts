// How many milliseconds of a turn of the event loop each part may take: together half of the 50 that no work may
// take (requirements section 8), so that a request still has the other half.

export const turnShares = { service: 13, imports: 6 } as const;
