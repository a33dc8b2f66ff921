import { Refusal, UnexpectedAnswer } from '../../client/refusal.ts';

/** What a failed call means for a person, and what they can do about it. */
export type Explained = { title: string; step: string | null };

const BUSY: Explained = { title: 'The service is busy.', step: 'Try again in a few seconds.' };

const STEPS: Readonly<Record<string, Explained>> = {
  authentication_required: { title: 'Your session has ended.', step: 'Sign in again.' },
  csrf_token_invalid: { title: 'Somebody else has signed in in another tab.', step: 'Sign in again.' },
  validation_failed: {
    title: 'The service does not take what was sent.',
    step: 'Check what you have typed.',
  },
  not_found: { title: 'This is not here any more, or you may not see it.', step: null },
  internal_error: { title: 'The service has failed at this.', step: 'Try again in a moment.' },
  overloaded: BUSY,
};

export function refusalOf(error: unknown): Explained {
  if (error instanceof Refusal) return ofCode(error);
  if (error instanceof UnexpectedAnswer) {
    // Of a proxy, which may keep calls away from a busy service.
    if (error.status === 429 || error.status === 503) return BUSY;
    return {
      title: 'Something between this page and the service has answered in its place.',
      step: 'Try again. If it happens again, ask the administrator of this service.',
    };
  }
  // `fetch` rejects so when there is no connection.
  if (error instanceof TypeError) {
    return { title: 'The service cannot be reached.', step: 'Check your connection, then try again.' };
  }
  return { title: 'This page has failed.', step: 'Load it again.' };
}

/** A message for programs as one for people: the page reads again by itself, and shows no revision. */
export const forPeople = (message: string): string =>
  message.replace(/ since revision \d+/, '').replace(/ Read it again\.$/, '');

function ofCode({ code, message, correlationId }: Refusal): Explained {
  const known = STEPS[code];
  if (known === undefined) return { title: forPeople(message), step: null };
  const reference = code === 'internal_error' && correlationId !== null ? ` Reference: ${correlationId}` : '';
  return { title: known.title, step: known.step === null ? null : `${known.step}${reference}` };
}
