// Header fields of responses. `node:http` checks each name and value as it writes them, so no text from a client
// can add another field.

/** Names and values, alternating. */
export type HeaderFields = readonly string[];
