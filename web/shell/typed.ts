import { useEffect, useState } from 'react';

/** While somebody types, the service is asked after this pause. */
const PAUSE_MS = 200;

/** What is typed in a field of the address, which follows after a short pause: one question is asked for a word. */
export function useTyped(value: string, onChange: (text: string) => void) {
  const [typed, setTyped] = useState(value);
  const [before, setBefore] = useState(value);
  // The back button changes the address.
  if (before !== value) {
    setBefore(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return [typed, setTyped] as const;
}
