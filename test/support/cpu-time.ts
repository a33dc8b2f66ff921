/** Milliseconds of the processor that this process has taken so far. Unlike a clock, it goes by the process's work alone. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
