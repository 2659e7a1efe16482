// Spans of time: in milliseconds, as clocks and timers count, and in seconds, as protocols do.

export const secondMilliseconds = 1_000;
export const minuteMilliseconds = 60 * secondMilliseconds;
export const hourMilliseconds = 60 * minuteMilliseconds;
export const dayMilliseconds = 24 * hourMilliseconds;

export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;
