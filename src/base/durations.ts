// Spans of time: in milliseconds for clocks and timers, in seconds for protocols.

export const secondMilliseconds = 1_000;
export const minuteMilliseconds = 60 * secondMilliseconds;
export const hourMilliseconds = 60 * minuteMilliseconds;
export const dayMilliseconds = 24 * hourMilliseconds;

export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;
