import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sourcePlace } from './source-place.ts';

/** The folder of our own code: that of the sources, or of the build. */
const ROOT = new URL('../..', import.meta.url);
const ROOT_PATH = fileURLToPath(ROOT);

const MAX_FRAMES = 8;
/** A file below the folder and a place in it, at the end of a frame. */
const PLACE = /^(?!.*\.\.)([A-Za-z0-9./_-]{1,120}\.[jt]s):(\d{1,6})(?::(\d{1,7}))?\)?$/;
/** A file of ours. Packages are installed beside the folders of our code, never inside them. */
const OURS = /^(?:core|functions|infra|main)[A-Za-z0-9./-]{0,100}\.[jt]s:\d{1,6}$/;

/**
 * The frames of our own code in the stack of an error, as `file:line` of the sources, the innermost first. A file that
 * does not exist is left out, because a message can imitate a frame.
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
    const [, file = '', row, column = 1] = PLACE.exec(at < 0 ? '' : line.slice(at + root.length)) ?? [];
    if (!existsSync(ROOT_PATH + file)) continue;
    const frame = file.endsWith('.js')
      ? sourcePlace(ROOT_PATH + file, Number(row), Number(column))
      : `${file}:${row}`;
    if (frame !== null && OURS.test(frame)) return frame;
  }
  return null;
}
