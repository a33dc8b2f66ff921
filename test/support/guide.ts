import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** A command of a page, as it is written there. */
export type GuideCommand = { section: string; language: 'sh' | 'sql'; text: string };

const FENCE = /^```(\w*)$/;
/** A command in a sentence. */
const INLINE = /`((?:npm|node|call|curl|openssl|git|docker|az|kubectl|helm) [^`]+)`/g;

/**
 * Every command of a page, in order: the lines of its shell blocks, the statements of its SQL, and commands in sentences.
 * A line of comment that begins with `or:` is a command in the place of the one before.
 */
export function commandsOf(markdown: string): GuideCommand[] {
  const commands: GuideCommand[] = [];
  let section = '';
  let block: { language: string; lines: string[] } | null = null;
  for (const line of markdown.split('\n')) {
    const fence = FENCE.exec(line);
    if (block === null && fence !== null) {
      block = { language: fence[1] ?? '', lines: [] };
    } else if (block !== null && fence !== null) {
      commands.push(...commandsIn(block.language, block.lines.join('\n'), section));
      block = null;
    } else if (block !== null) {
      block.lines.push(line);
    } else if (/^##+ /.test(line)) {
      section = line.replace(/^#+ /, '');
    } else {
      for (const [, text = ''] of line.matchAll(INLINE)) commands.push({ section, language: 'sh', text });
    }
  }
  return commands;
}

function commandsIn(language: string, block: string, section: string): GuideCommand[] {
  if (language === 'sql')
    return block.split(/;.*(?:\n|$)/).flatMap((text) => {
      return text.trim() === '' ? [] : [{ section, language, text: text.trim() }];
    });
  if (language !== 'sh') return [];
  return block
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((text) => text.replace(/^# or: /, 'or: ').trim())
    .filter((text) => text !== '' && !text.startsWith('#'))
    .map((text) => ({ section, language, text: text.replace(/ {2,}.*$/, '') }));
}

export type Shell = {
  /** What the command prints. It keeps the folder, variables and functions of those before. Throws if it fails. */
  run(command: string): Promise<string>;
  end(): void;
};

/** A shell as a person has it, with these variables alone. */
export function openShell(cwd: string, env: Readonly<Record<string, string | undefined>>): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  let look = () => {};
  child.stdout.on('data', (data) => {
    printed += data;
    look();
  });
  child.once('exit', () => look());
  child.stdin.write('set -o pipefail\n');
  return {
    run: async (command) => {
      printed = '';
      const mark = randomUUID();
      child.stdin.write(`{ ${command}\n} </dev/null 2>&1\nprintf '${mark} %s\\n' $?\n`);
      const done = new RegExp(`([^]*)${mark} (\\d+)\\n`);
      while (!done.test(printed)) {
        if (child.exitCode !== null) throw new Error(`The shell ended: ${printed}`);
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      }
      const [, output = '', code] = done.exec(printed) ?? [];
      if (code !== '0') throw new Error(`${command}\nended with ${code}:\n${output}`);
      return output;
    },
    end: () => child.kill(),
  };
}
