import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { isRefusal, Refusal } from '../../client/refusal.ts';
import { sessionEnded } from './session.ts';

/** A refusal stays one however often it is asked for. A connection that failed may come back. */
const isTransient = (error: unknown): boolean => !(error instanceof Refusal);

function notice(error: unknown): void {
  if (isRefusal(error, 'authentication_required')) sessionEnded.set(true);
}

// What a key changes in the cache is drawn with what else it changes, and not a second time after it.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      // Without a connection a call fails, and the page says so. Else it would wait in silence.
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 30_000,
      retry: (count, error) => isTransient(error) && count < 2,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
