/** The processor time of this thread in milliseconds. The limits of a file count it. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
