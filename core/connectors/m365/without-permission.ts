import { blocked, type Probed } from '../probe.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';

/** The result of a test in which Graph refused these calls: the permissions that they need, each once. */
export const withoutPermission = (...calls: AllowedCall[]): Probed =>
  blocked('missing_permission', ...new Set(calls.flatMap((call) => ALLOWED_CALLS[call].permission ?? [])));
