import { constants } from 'node:os';
import { ERROR_STATUS } from '../kernel/errors.ts';

/** Error classes that may be named: the language's, Node's, our own, and those of the libraries that we call. */
const CLASSES: ReadonlySet<string> = new Set([
  ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'],
  ...['AggregateError', 'AssertionError', 'AbortError', 'TimeoutError'],
  ...['ServiceError', 'ConfigError', 'ConnectorError', 'DeltaCursorInvalid'],
  ...['ProviderUnreachable', 'ProviderRefused', 'TokenRefused'],
  ...['DatabaseError', 'RestError', 'ZodError', 'APIError', 'StorageUnanswered', 'SignInsUnavailable'],
]);

const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
const NODE_CODE = /^ERR_[A-Z0-9_]{1,60}$/;
/** Why Node refuses the certificate of a server. */
const CERTIFICATE_CODES = [
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_REJECTED', 'CERT_UNTRUSTED'],
  ...['CERT_CHAIN_TOO_LONG', 'CERT_SIGNATURE_FAILURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'HOSTNAME_MISMATCH'],
  ...['INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
];
/** What the system, its resolver and the HTTP client report, and our own codes. */
const CODES: ReadonlySet<string> = new Set([
  ...Object.keys(constants.errno),
  ...['ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  ...CERTIFICATE_CODES,
  ...Object.keys(ERROR_STATUS),
]);

/**
 * Classes of errors that report what somebody else did: a caller, a source, a provider, whoever ended the process. All
 * others are unexpected.
 */
const EXPECTED: ReadonlySet<string> = new Set([
  ...['ServiceError', 'ConfigError', 'ConnectorError', 'DeltaCursorInvalid', 'AiError', 'UnitFailure'],
  ...['ProviderUnreachable', 'ProviderRefused', 'TokenRefused', 'SignInRefused'],
  ...['CampaignCancelled', 'AbortError', 'TimeoutError'],
]);

export const isUnexpected = (thrown: unknown): boolean =>
  !(thrown instanceof Error) || !EXPECTED.has(thrown.name);

export type ErrorFields = { errorClass: string; errorCode?: string };

/** What may be logged of something thrown: a class and a code from closed sets, never its message or its stack. */
export function errorFields(thrown: unknown): ErrorFields {
  const errorCode = codeOf(thrown) ?? (thrown instanceof Error ? codeOf(thrown.cause) : undefined);
  return { errorClass: classOf(thrown), ...(errorCode !== undefined && { errorCode }) };
}

/** The nearest class that may be named; a name is data too, where somebody made it from data. */
function classOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'NotAnError';
  if (CLASSES.has(thrown.name) && thrown.name !== 'Error') return thrown.name;
  let prototype: object | null = Object.getPrototypeOf(thrown);
  while (prototype !== null && !CLASSES.has(prototype.constructor.name)) {
    prototype = Object.getPrototypeOf(prototype);
  }
  return prototype?.constructor.name ?? 'Error';
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  const { code } = thrown;
  const known = CODES.has(code) || NODE_CODE.test(code);
  return known || (classOf(thrown) === 'DatabaseError' && SQLSTATE.test(code)) ? code : undefined;
}
