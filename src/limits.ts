// Most bounds, and all that several files share. A bound that only one file needs may be in that file.
import { dayMilliseconds, daySeconds, hourMilliseconds, minuteMilliseconds } from './durations.ts';

export const idMax = Number.MAX_SAFE_INTEGER;

// Requests.
export const bodyBytesMax = 64 * 1024;
/** Memory for bodies that are incomplete: in total, and for one client. */
export const unfinishedBodyBytesMax = 64 * 1024 * 1024;
export const unfinishedBodyBytesPerClientMax = 8 * 1024 * 1024;
/** The bytes of a streamed body that are read ahead of its route. */
export const streamedReadAheadBytes = 64 * 1024;
export const urlBytesMax = 8 * 1024;
export const headerBytesMax = 16 * 1024;
export const headerFieldsMax = 100;
export const headersMillisecondsMax = 10_000;
export const requestMillisecondsMax = 30_000;
/** The time after which a connection ends on which no byte has moved, unless its request is being handled. */
export const silenceMillisecondsMax = minuteMilliseconds;
/** What clients are told, which may reuse a connection sooner than it ends. */
export const keepAliveMilliseconds = 10_000;
export const lingerMillisecondsMax = 1_000;
export const timeoutCheckMilliseconds = 1_000;
export const connectionsMax = 10_000;
export const handshakeMillisecondsMax = 10_000;
export const jsonDepthMax = 16;
/** The most issues that a response reports. */
export const issuesMax = 100;
export const requestIdLengthMax = 64;
export const idempotencyKeyLengthMax = 255;
export const idempotencySecondsMax = daySeconds;
/**
 * Requests that wait for earlier responses of their connection: of one connection, in total, and of one
 * client. A parsed request takes about 2 KB, and 10 µs to be dropped with its connection.
 */
export const pipelinedRequestsMax = 100;
export const allPipelinedRequestsMax = 16_000;
export const pipelinedRequestsPerClientMax = 2_000;
/** The time for which requests that arrived together run in one turn of the event loop. */
export const turnMillisecondsMax = 5;
/** Shorter documents are not worth compressing. */
export const compressedBytesMin = 1024;
/** The bytes of responses that clients have not read yet, in total. */
export const unsentBytesMax = 64 * 1024 * 1024;

// Rates.
export const bucketsMax = 100_000;

// Sign-ins.
/** Jobs of password hashing, running or waiting, of one user or address. */
export const hashingJobsPerClientMax = 2;
export const signInsWaitingMax = 24;
export const newPasswordsWaitingMax = 8;
/** Addresses from which a user has signed in, and the time for which they are kept. */
export const knownAddressesPerUserMax = 8;
export const knownAddressSecondsMax = 30 * daySeconds;

// Lists.
export const pageRowsDefault = 50;
export const pageRowsMax = 200;
/** A page that would be longer ends early; one element always fits. */
export const pageBytesMax = 1024 * 1024;
/** The rows that a page may examine beyond those of its index. A page that ends early has a `next`. */
export const pageRowsExaminedMax = 1_000;
/** The most rows that a search finds. */
export const searchRowsMax = 50;
/** The characters of a customer's search text that the index has: three times as many as usual. */
export const indexedCharsMax = 200;
/** The newest customers that match, whose orders a search includes. */
export const searchedCustomersMax = 10_000;
/** The newest orders whose items are searched: as many as can be searched in a tenth of a second. */
export const searchedOrdersMax = 40_000;
/** The time on the processor after which a search through rows ends, so that others don't wait for it. */
export const searchMillisecondsMax = 1_000;

/** Bounds of one response of sales. */
export const salesBucketsMax = 1_000;
export const salesFiguresMax = 20_000;
/** The time zones that are cached for sales; a shop needs one or two. */
export const timeZonesMax = 50;

/** The events that one page of the feed may examine to find those that the caller may see. */
export const feedRowsExaminedMax = 1_000;

// Event streams.
export const streamsMax = 100;
/** The streams that users without staff rights may have, so that many accounts don't lock staff out. */
export const streamsWithoutStaffMax = 80;
export const streamsPerUserMax = 5;
/** The bytes that a stream's client may leave unread before its connection is closed. */
export const streamUnsentBytesMax = 256 * 1024;
/** The most that a stream is sent at a time, unless one event alone is longer. */
export const streamPageEventsMax = 100;
export const streamPageCharsMax = 32 * 1024;
/** The time for which streams are served in one turn of the event loop. */
export const streamTurnMillisecondsMax = 5;
/**
 * The pause after such a turn, in times of what its readers took: those that catch up, who may have to pass
 * millions of events of others, share a tenth of the time, all others half of it.
 */
export const catchUpPauseFactor = 9;
export const streamPauseFactor = 1;
/** The least pause, so that many commits share the cost of a write to each stream. */
export const streamPauseMillisecondsMin = 20;
export const streamCommentMilliseconds = 15_000;
export const streamRetryMilliseconds = 3_000;

// Exports.
export const exportsMax = 2;
/** An export ends if its client keeps it waiting and reads less than these bytes in this time: 64 KiB/s. */
export const exportSlowMilliseconds = 10_000;
export const exportSlowBytesMax = 10 * 64 * 1024;
/** The ids that an export finds in one query: few, so that they soon are garbage. */
export const exportRowsPerBatch = 100;
/** The time for which an export runs in one turn of the event loop, and the bytes of one write. */
export const exportSliceMillisecondsMax = 2;
export const exportChunkBytesMax = 64 * 1024;
/** The positions that one query reads of a list that no index sorts. */
export const exportRowsSortedMax = 20_000;

// Imports.
export const importsMax = 2;
export const importBytesMax = 32 * 1024 * 1024;
export const importLineBytesMax = 64 * 1024;
/** The connection of a client that sends no whole line for this long is closed. */
export const importLineMilliseconds = 30_000;
/** A batch is checked in a turn and written in a transaction, between which others have theirs. */
export const importLinesPerBatch = 100;
export const importSliceMillisecondsMax = 2;
/** The characters of results that are kept while the client still sends. */
export const importKeptCharsMax = 8 * 1024 * 1024;
/** While the client leaves more bytes of the response unread, no more of its lines are read. */
export const importUnsentBytesMax = 8 * 1024 * 1024;
/** The keys of new objects that a dry run remembers, since later lines may name them. */
export const importDryRunKeysMax = 200_000;
export const importKeyCharsMax = 255;

// Webhooks.
export const webhooksMax = 20;
export const webhookUrlCharsMax = 2_000;
export const webhookSaveMilliseconds = 1_000;
export const deliveryMillisecondsMax = 15_000;
/** A longer response to a delivery closes its connection. */
export const outgoingResponseBytesMax = 16 * 1024;
/** A shorter time than that for which receivers keep connections open. */
export const outgoingIdleMillisecondsMax = 2_000;
/** The time for which the previous secret still signs. */
export const webhookSecretOverlapMilliseconds = dayMilliseconds;

// Credentials.
export const tokenSeconds = 900;
export const sessionSecondsMax = 30 * daySeconds;
export const sessionIdleSecondsMax = 14 * daySeconds;
/** A further session of a user ends the oldest, so that ending all of them remains one short write. */
export const sessionsPerUserMax = 1_000;
/**
 * The time for which a refresh token that was just replaced returns the same new one again, since a response
 * may be lost, or two tabs may renew together.
 */
export const refreshGraceMilliseconds = 10_000;
export const recoveryCodesMax = 8;
export const stepUpSeconds = 600;
export const secretBytesMin = 32;
export const keySecondsDefault = 365 * daySeconds;
export const keysPerUserMax = 50;
export const cachedTokenBytesMax = 8 * 1024 * 1024;
export const cachedCallersMax = 10_000;
/** The time for which a password that the service generated is valid. */
export const initialPasswordMilliseconds = 7 * dayMilliseconds;
/** The users with such a password whom the log names at a start. */
export const initialPasswordsNamedMax = 20;
export const cleanupMilliseconds = minuteMilliseconds;
/** The interval of checks of the service's own certificate: its expiry, and the machine's addresses. */
export const certificateCheckMilliseconds = hourMilliseconds;

// Changes of many rows: a write changes `sliceRowsMax` at most, and looks at the clock every
// `sliceStepRowsMax`, since each row may take several reads from a slow disk. The pause after it is at least
// as long as the write took.
export const sliceRowsMax = 1_000;
export const sliceStepRowsMax = 10;
export const sliceMillisecondsMax = 4;
export const slicePauseMillisecondsMin = 5;

// The intervals at which a service looks for commits of other processes: with requests, and without any.
export const commitCheckMilliseconds = 100;
export const idleCommitCheckMilliseconds = 1_000;

// Process.
/**
 * The memory of a thread's JavaScript. With 16 MB for old objects V8 ended the whole process in some starts
 * of a thread ("GC during deserialization"): in 8 of 16 runs of some tests, and with 64 MB in none of 40.
 */
export const threadMemoryMax = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 } as const;
export const drainMillisecondsMax = 10_000;
/** Texts that a client sent are truncated to this length in a log line. */
export const loggedCharsMax = 200;
/** The log lines for requests that no rate admitted: about 200 MB a day. */
export const unratedLinesPerMinuteMax = 600;
export const logBacklogBytesMax = 4 * 1024 * 1024;
/** The time for which a stopping process waits until its last log lines are read. */
export const finalLogMillisecondsMax = 1_000;
