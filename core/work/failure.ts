import { AiError, type AiFailure } from '../ai/provider.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { databaseProblem, sqlState } from '../db/errors.ts';
import { ServiceError } from '../kernel/errors.ts';
import { retryClassOfStatus } from '../kernel/http-failure.ts';
import { safeDiagnostic } from '../kernel/safe-text.ts';
import { ThreadFault } from '../kernel/thread-fault.ts';
import type { OwnProblem, RetryClass } from '../kernel/vocabulary.ts';
import type { UnitOutcome } from './unit.ts';

type Failure = Extract<UnitOutcome, { kind: 'failed' }>;

/** Thrown by a handler that knows the class of its failure. `safeDiagnostic` is a code, never text from outside. */
export class UnitFailure extends Error {
  readonly retryClass: RetryClass;
  readonly safeDiagnostic: string;

  constructor(retryClass: RetryClass, safeDiagnostic: string) {
    super(safeDiagnostic);
    this.name = 'UnitFailure';
    this.retryClass = retryClass;
    this.safeDiagnostic = safeDiagnostic;
  }
}

/** Thrown by a handler whose campaign was cancelled. The attempt has no outcome and needs none. */
export class CampaignCancelled extends Error {
  constructor() {
    super('campaign_cancelled');
    this.name = 'CampaignCancelled';
  }
}

/** Thrown where a part of this process fails. It says nothing about the unit. */
export class OwnPartFailed extends Error {
  readonly problem: OwnProblem;

  constructor(problem: OwnProblem) {
    super(problem);
    this.name = 'OwnPartFailed';
    this.problem = problem;
  }
}

/** Codes of the system and of Node: no memory, no handles, no space. */
const NO_RESOURCES = new Set<unknown>([
  'ENOMEM',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  'ERR_MEMORY_ALLOCATION_FAILED',
]);

/** The part of this process whose failure an error reports. Null if the unit or its source failed. */
export function ownProblem(thrown: unknown): OwnProblem | null {
  if (thrown instanceof OwnPartFailed) return thrown.problem;
  const isOfSystem = thrown instanceof Error && 'code' in thrown && NO_RESOURCES.has(thrown.code);
  const isOfHeap = thrown instanceof RangeError && thrown.message === 'Array buffer allocation failed';
  return isOfSystem || isOfHeap ? 'no_resources' : databaseProblem(thrown);
}

/** A full disk, too many connections, a server that starts, and one that was made read-only. */
const NEVER_OF_UNIT = new Set<unknown>(['53100', '53300', '57P03', '25006']);

/**
 * Whether one unit can fail in this way although all parts of this process work: a statement that takes all memory or
 * ends the server, or a file that cannot be read.
 */
export const mayBeOfUnit = (thrown: unknown): boolean =>
  !(thrown instanceof OwnPartFailed) &&
  !(thrown instanceof ServiceError) &&
  !NEVER_OF_UNIT.has(sqlState(thrown)) &&
  !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC');

const AI_CLASS: Partial<Record<AiFailure, RetryClass>> = {
  auth: 'auth',
  throttled: 'throttled',
  input_bound: 'permanent',
  refused: 'policy_denied',
};

/**
 * Classifies what a handler threw: the service's own errors by their class, errors with an HTTP status by that
 * status. Unknown errors are `transient`, and only their kind is recorded. See docs/adr/0009-failure-classes.md.
 */
export function classifyFailure(thrown: unknown): Failure {
  if (thrown instanceof ConnectorError)
    return failure(thrown.retryClass, thrown.safeDiagnostic, thrown.retryAfterMs);
  if (thrown instanceof UnitFailure) return failure(thrown.retryClass, thrown.safeDiagnostic, null);
  if (thrown instanceof AiError)
    return failure(AI_CLASS[thrown.failure] ?? 'transient', thrown.message, thrown.retryAfterMs);
  // The code of a `ServiceError` is meant for callers of the API.
  if (thrown instanceof ServiceError) return failure('transient', 'unexpected_error', null);
  // A thread reads the same bytes in the same way at each attempt.
  if (thrown instanceof ThreadFault) return failure('permanent', 'extraction_fault', null);
  const state = sqlState(thrown);
  if (state !== null) return failure('transient', `database_${state}`, null);
  const status = statusOf(thrown);
  if (status !== null) return failure(retryClassOfStatus(status), `http_status_${status}`, null);
  return failure('transient', 'unexpected_error', null);
}

/** The HTTP status of an error from an HTTP client, if it is 400 or higher; otherwise null. */
function statusOf(thrown: unknown): number | null {
  if (!(thrown instanceof Error)) return null;
  const { status, statusCode = status } = thrown as { status?: unknown; statusCode?: unknown };
  return Number.isInteger(statusCode) && Number(statusCode) >= 400 && Number(statusCode) <= 599
    ? Number(statusCode)
    : null;
}

const failure = (retryClass: RetryClass, diagnostic: string, retryAfterMs: number | null): Failure => ({
  kind: 'failed',
  retryClass,
  safeDiagnostic: safeDiagnostic(diagnostic),
  retryAfterMs,
});
