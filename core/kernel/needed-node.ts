/**
 * Node 22.14 is the oldest version that has what the service imports. This file is loaded by older versions, so that
 * they can say so: it imports nothing, and uses nothing that is newer than Node 18.
 */
const NEEDED = [22, 14] as const;

/** What to say to the person who starts the service with this version of Node. Null where the version will do. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return null;
  return `This service needs Node ${NEEDED.join('.')} or later, best Node 24. It was started with Node ${version}.`;
}
