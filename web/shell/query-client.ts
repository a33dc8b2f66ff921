import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { Refusal } from '../../client/refusal.ts';
import { noticeEnd } from './session.ts';

/** A refusal stays one however often it is asked for. A connection that failed may come back. */
const isTransient = (error: unknown): boolean => !(error instanceof Refusal);

// What a key changes in the cache is drawn with what else it changes, and not a second time after it.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
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

/** Reads what is shown again. What is recorded when it is read is not. */
export const readAgain = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ meta }) => meta?.isRecorded !== true });
