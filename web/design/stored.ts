import { useSyncExternalStore } from 'react';

export type Stored<T> = { get(): T; set(value: T): void; subscribe(listener: () => void): () => void };

/**
 * A preference that this browser remembers. Nothing else is ever stored. Where storage is refused, it lasts as long as
 * the page.
 */
export function stored<T extends string>(
  name: string,
  fallback: T,
  read: (text: string) => T | undefined,
): Stored<T> {
  const key = `preference.${name}`;
  const listeners = new Set<() => void>();
  let value = fallback;
  try {
    value = read(localStorage.getItem(key) ?? '') ?? fallback;
  } catch {
    // Without storage there is nothing to remember.
  }
  return {
    get: () => value,
    set: (next) => {
      value = next;
      try {
        localStorage.setItem(key, next);
      } catch {
        // The choice lasts as long as the page.
      }
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useStored = <T>({ get, subscribe }: Stored<T>): T => useSyncExternalStore(subscribe, get);
