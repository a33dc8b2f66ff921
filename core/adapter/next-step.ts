import type { ErrorCode } from '../kernel/errors.ts';

/** What an assistant does about a refused call, or says to the person. */
export const NEXT_STEP: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'Correct the arguments that are named, and call again.',
  authentication_required: 'Tell the person that they must sign in again and connect the adapter again.',
  license_required:
    'Tell the person that scans need an active license, which a platform administrator activates. Reading goes on.',
  not_permitted:
    'Do not try again. Tell the person that their roles do not allow this; somebody whose roles do can do it.',
  csrf_token_invalid:
    'Tell the person that the adapter needs the token of its session as well as the cookie.',
  not_found: 'Do not guess ids. Look for the thing again; the person may not see it, or it does not exist.',
  method_not_allowed: 'Tell the person that adapter and service are not of one release.',
  conflict: 'Do not repeat the call. Read the present state first.',
  payload_too_large: 'Send shorter arguments.',
  unsupported_media_type: 'Tell the person that adapter and service are not of one release.',
  blocked_capability: 'Tell the person what is missing. An operator must configure it.',
  internal_error:
    'Try once more. If it fails again, tell the person the correlation id, with which an operator finds the cause.',
  not_configured: 'Tell the person that an operator must configure this first.',
  overloaded: 'Wait some seconds and call again, at most three times.',
};
