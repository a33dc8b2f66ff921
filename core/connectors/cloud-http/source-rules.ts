import type { RetryClass, WHOLE_REFUSALS } from '../../kernel/vocabulary.ts';

/** A call that is about to leave. */
export type Outgoing<C extends string> = {
  call: C;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
};

/** A refusal of the credential or of the application, or an answer that the source itself did not give. */
export type WholeRefusal = { reason: (typeof WHOLE_REFUSALS)[number]; retryClass: RetryClass };

/** What differs between the sources that are read by HTTP. `C` are the names of the source's calls. */
export type SourceRules<C extends string> = {
  /** How diagnostics begin: `<source>_<call>_<status or reason>`. */
  source: string;
  userAgent: string;
  /** Whether a call may leave: a table of allowed calls, and the hosts. */
  isAllowed(outgoing: Outgoing<C>): boolean;
  /** Whether the call goes to an address that the source gave, outside its own host. Such a call gets no bearer. */
  isElsewhere(call: C): boolean;
  /** Whether repeating the call after a failure without an answer would be a second act. */
  isOnce(call: C): boolean;
  /** The codes of an error's body, the most general first. Each satisfies `isCode`. */
  codesIn(body: unknown): readonly string[];
  /** Whether an answer asks to wait. */
  isThrottling(status: number, codes: readonly string[]): boolean;
  /** What an answer means for the next attempt of the work, if it does not ask to wait. */
  retryClassOf(status: number, codes: readonly string[]): RetryClass;
  /**
   * Why an answer is no refusal of what was asked for: the reason for the diagnostic. It is an error then, whatever status the
   * caller expects. Null if the answer is about what was asked for. Absent if the source names no such reasons.
   */
  refusesAll?(call: C, status: number, codes: readonly string[]): WholeRefusal | null;
};
