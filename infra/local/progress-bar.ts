import type { WriteStream } from 'node:tty';

const WIDTH = 30;
/** Interval of progress lines if the output is not a terminal. */
const LINE_EVERY_MS = 5_000;

/** A progress bar on a terminal, and occasional lines elsewhere. */
export function progressBar(title: string, out: NodeJS.WriteStream | WriteStream) {
  const started = Date.now();
  let written = 0;
  let last = '';
  const render = (done: number, total: number) => {
    const filled = total === 0 ? 0 : Math.floor((done / total) * WIDTH);
    const seconds = ((Date.now() - started) / 1000).toFixed(0);
    return `${title} [${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${done}/${total}  ${seconds} s`;
  };
  return {
    update: (done: number, total: number) => {
      last = render(done, total);
      if (out.isTTY) {
        out.write(`\r${last}\x1b[K`);
      } else if (Date.now() - written >= LINE_EVERY_MS) {
        written = Date.now();
        out.write(`${last}\n`);
      }
    },
    end: () => {
      out.write(out.isTTY ? '\n' : `${last}\n`);
    },
  };
}
