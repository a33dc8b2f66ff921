import { queryOptions } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { AuthShowPrincipalAnswer } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { currentSession } from '../../client/sign-in.ts';

export type Me = AuthShowPrincipalAnswer;

/** Who is signed in, or null. It does not change while the page shows it. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    const me = await currentSession();
    if (me !== null) sayWho(me.principalId);
    return me;
  },
  staleTime: Infinity,
});

/** Who is signed in, in a view that needs it. */
export const useMe = (): Me => useRouteContext({ from: '/shell', select: ({ me }) => me });

/** Who has actions and tasks to see: owners, approvers and auditors. */
export const seesActions = ({ capabilities }: Me): boolean =>
  capabilities.some((each) => ['action.draft', 'action.approve', 'audit.read'].includes(each));

type Flag = { get(): boolean; set(value: boolean): void; subscribe(listener: () => void): () => void };

function flag(): Flag {
  const listeners = new Set<() => void>();
  let value = false;
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The session ended while the page was open. What was typed is kept until somebody signs in again. */
export const sessionEnded = flag();

/** Notices that the session is over, or by now is of somebody else. */
export function noticeEnd(error: unknown): void {
  const isOver = isRefusal(error, 'authentication_required') || isRefusal(error, 'csrf_token_invalid');
  if (isOver) sessionEnded.set(true);
}

/** The person whom this page is for. */
let person: string | null = null;

/** Between the tabs of this browser: who has signed in, or null for a sign-out. */
const tabs = new BroadcastChannel('session');

function sayWho(principalId: string): void {
  person = principalId;
  tabs.postMessage(principalId);
}

export function sayGoodbye(): void {
  person = null;
  tabs.postMessage(null);
}

// No tab goes on showing what somebody else has seen.
tabs.addEventListener('message', ({ data }) => {
  if (data === null) location.replace('/sign-in');
  else if (person !== null && data !== person) location.replace('/');
});
