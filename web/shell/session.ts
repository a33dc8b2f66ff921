import { queryOptions } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { AuthShowPrincipalAnswer } from '../../client/generated/service.schemas.ts';
import { currentSession } from '../../client/sign-in.ts';

export type Me = AuthShowPrincipalAnswer;

/** Who is signed in, or null. It does not change while the page shows it. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => currentSession(),
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

/** Tells the other tabs of this browser that somebody signed out, so that none goes on showing what they saw. */
const tabs = new BroadcastChannel('session');
export const sayGoodbye = (): void => tabs.postMessage('signed-out');
tabs.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') location.replace('/sign-in');
});
