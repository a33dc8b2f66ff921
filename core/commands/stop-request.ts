/** One Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
const SAME_PRESS_MS = 500;

/**
 * Resolves when this process is asked to end. Asked again it goes on stopping, save the last time that its patience
 * allows: then it exits as it is.
 * @param patience at which time of asking it exits
 */
export function stopRequested(patience: number): Promise<void> {
  return new Promise((resolve) => {
    let asked = 0;
    let last = Number.NEGATIVE_INFINITY;
    const ask = () => {
      const now = performance.now();
      if (now - last > SAME_PRESS_MS) asked++;
      last = now;
      if (asked >= patience) process.exit(1);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  });
}
