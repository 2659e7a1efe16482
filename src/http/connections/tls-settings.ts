// The versions, cipher suites and groups of TLS, for connections to the service and to webhooks.

/**
 * RFC 9325 section 4.2: forward secrecy and authenticated encryption only. The first three are TLS 1.3's. DHE
 * is left out: a webhook's server chooses its group, and a group of 10,000 bits would occupy the event loop
 * for a second.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Groups that cost little: a client may choose any, and P-521 would take five times as long as X25519. */
const ecdhCurve = 'X25519MLKEM768:X25519:P-256:P-384';

export const tlsSettings = { minVersion: 'TLSv1.2', ciphers, ecdhCurve } as const;
