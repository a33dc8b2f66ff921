import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of our own code: that of the sources, or of the build. */
const ROOT = new URL('../..', import.meta.url);
const ROOT_PATH = fileURLToPath(ROOT);

const MAX_FRAMES = 8;
/** A file of ours and a line in it. Packages are installed beside the folders of our code, never inside them. */
const FRAME = /^(?:core|functions|infra|main)[A-Za-z0-9./-]{0,100}\.[jt]s:\d{1,5}$/;
/** The line and the column, at the end of a frame. */
const COLUMN = /:\d{1,7}\)?$/;

/**
 * The frames of our own code in the stack of an error, as `file:line`, the innermost first. A file that does not exist
 * is left out, because a message can imitate a frame.
 */
export function ownFrames(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  const frames = stackWithoutMessage(thrown, thrown.stack)
    .split('\n')
    .flatMap((line) => frameOf(line) ?? []);
  return frames.length > 0 ? frames.slice(0, MAX_FRAMES) : ownFrames(thrown.cause);
}

function stackWithoutMessage({ message }: Error, stack: string): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  return at < 0 ? stack : stack.slice(at + message.length);
}

function frameOf(line: string): string | null {
  if (!/^ {4}at /.test(line)) return null;
  for (const root of [ROOT.href, ROOT_PATH]) {
    const at = line.lastIndexOf(root);
    const frame = at < 0 ? '' : line.slice(at + root.length).replace(COLUMN, '');
    if (FRAME.test(frame) && existsSync(ROOT_PATH + frame.replace(/:\d+$/, ''))) return frame;
  }
  return null;
}
