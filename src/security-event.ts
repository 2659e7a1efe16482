// Events of sign-ins, rights and limits, for log and metrics. Names follow OWASP's logging vocabulary.

/** Every name, with the level at which it is logged. */
export const securityEventLevels = {
  authn_login_success: 'info',
  authn_login_fail: 'warn',
  authn_login_fail_max: 'warn',
  authn_login_lock: 'warn',
  authn_password_change: 'info',
  authn_token_created: 'info',
  authn_token_revoked: 'info',
  authn_token_reuse: 'warn',
  authz_fail: 'warn',
  excess_rate_limit_exceeded: 'warn',
  sensitive_create: 'info',
  sensitive_update: 'info',
  session_expired: 'info',
  user_created: 'info',
  user_updated: 'info',
  user_deleted: 'info',
} as const satisfies Readonly<Record<string, 'info' | 'warn'>>;
export type SecurityEventName = keyof typeof securityEventLevels;

/**
 * `userId` is the account concerned, or null. The log line of the request names the principal. Events contain
 * no e-mail address, password or token.
 */
export type SecurityEvent =
  | {
      readonly name: 'authn_login_fail';
      readonly userId: number | null;
      /** The reason, if the password was right. The response discloses only a wrong code. */
      readonly reason?: 'password-expired' | 'suspended' | 'wrong-code';
    }
  | {
      readonly name: 'authn_login_fail';
      /**
       * The user of the key or session that the credential names; null if there is no such key or session.
       */
      readonly userId: number | null;
      /** A genuine token that has expired, or whose session has ended, causes no event. */
      readonly reason: 'invalid-token' | 'invalid-key' | 'key-expired' | 'invalid-refresh-token';
    }
  | { readonly name: 'authn_login_fail_max'; readonly userId: number | null }
  | { readonly name: 'authn_login_lock' | 'authn_password_change' | 'user_deleted'; readonly userId: number }
  | {
      readonly name: 'authn_login_success';
      readonly userId: number;
      readonly sessionId: number;
      /** The kind of code that was sent in addition to the password. */
      readonly factor?: 'one-time code' | 'recovery code';
    }
  | { readonly name: 'authn_token_reuse'; readonly userId: number; readonly sessionId: number }
  /** `sessionId` is null if all sessions of the user were ended. */
  | { readonly name: 'session_expired'; readonly userId: number; readonly sessionId: number | null }
  | {
      readonly name: 'authn_token_created' | 'authn_token_revoked';
      readonly userId: number | null;
      readonly keyId: number;
    }
  | { readonly name: 'user_created' | 'user_updated'; readonly userId: number; readonly role: string }
  | {
      readonly name: 'user_updated';
      readonly userId: number;
      readonly change: 'suspension-lifted' | 'totp-on' | 'totp-off' | 'recovery-codes-replaced';
    }
  /** A webhook was created, or its secret replaced. */
  | {
      readonly name: 'sensitive_create' | 'sensitive_update';
      readonly userId: number | null;
      readonly webhookId: number;
    }
  | { readonly name: 'authz_fail'; readonly code: string }
  | { readonly name: 'excess_rate_limit_exceeded'; readonly policies: readonly string[] };

/** Shared by all requests without such events. */
export const noSecurityEvents: readonly SecurityEvent[] = [];
