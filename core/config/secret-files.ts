import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Larger than any key or connection string, and small enough to read at start. */
const MAX_BYTES = 64 * 1024;

/**
 * The secret in a file, as container platforms mount it, without one newline at its end. Returns what is wrong with the
 * file as `problem`. It contains neither the path nor any content, because either may be a secret that somebody put in
 * the wrong place.
 */
function secretFile(path: string): { secret: string } | { problem: string } {
  const bytes = bytesOf(path);
  if (bytes === null) return { problem: 'names a file that cannot be read' };
  if (bytes.length > MAX_BYTES) return { problem: `names a file of more than ${MAX_BYTES / 1024} KiB` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'names a file that is not text in UTF-8' };
  }
  const secret = text.replace(/\r?\n$/, '');
  return secret.trim() === '' ? { problem: 'names an empty file' } : { secret };
}

/** At most one byte more than a secret may have; null where there is no file that can be read. */
function bytesOf(path: string): Uint8Array | null {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its writer, and the process would never start.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return null;
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    let read: number;
    do {
      read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
    } while (read > 0 && length < bytes.length);
    return bytes.subarray(0, length);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts secrets into the places of their variables, from the files that the settings of these names with `_FILE` name.
 * Returns what is wrong, by setting.
 */
export function takeFiles(present: Record<string, string | undefined>, names: readonly string[]) {
  const problems = new Map<string, string>();
  for (const name of names) {
    const path = present[`${name}_FILE`];
    if (path === undefined) continue;
    const read = secretFile(path);
    if (present[name] !== undefined) problems.set(`${name}_FILE`, `is set beside ${name}; set one of them`);
    else if ('problem' in read) problems.set(`${name}_FILE`, read.problem);
    else present[name] = read.secret;
  }
  return problems;
}

/** Own variables only: every object, the environment too, inherits a `constructor`. */
const variableOf = (env: Environment, name: string) => (Object.hasOwn(env, name) ? env[name] : undefined);

/**
 * The secret in a variable, or in the file that the variable of this name with `_FILE` names. Null if it is in neither.
 */
export function secretIn(env: Environment, variable: string): string | null {
  const value = variableOf(env, variable);
  if (value?.trim()) return value;
  const path = variableOf(env, `${variable}_FILE`);
  const read = path ? secretFile(path) : null;
  return read !== null && 'secret' in read ? read.secret : null;
}

/**
 * What is wrong with the files to which references lead, by setting. A reference that leads nowhere is no problem.
 * @param references variables by the setting that names them
 */
export function referenceProblems(references: ReadonlyMap<string, string>, env: Environment) {
  const problems = new Map<string, string>();
  for (const [ref, variable] of references) {
    const path = variableOf(env, `${variable}_FILE`);
    if (!path) continue;
    const read = secretFile(path);
    // The name of the variable is not reported: somebody may have put the secret itself there.
    if (variableOf(env, variable)?.trim())
      problems.set(ref, 'the variable that it names is set, and so is the one with _FILE; set one of them');
    else if ('problem' in read) problems.set(ref, `the variable that it names, with _FILE, ${read.problem}`);
  }
  return problems;
}
