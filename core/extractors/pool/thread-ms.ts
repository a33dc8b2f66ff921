/** Milliseconds of processor time that this thread has spent, which is what a file is charged for. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
