import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../../core/connectors/connector.ts';
import { createLogger } from '../../../core/observability/log.ts';
import { safeFields } from '../../../core/observability/log-fields.ts';
import { ownFrames } from '../../../core/observability/own-frames.ts';

/** A bug in our code: `safeFields` gets no object. */
function bug(): unknown {
  try {
    return safeFields(null as never);
  } catch (error) {
    return error;
  }
}

const withStack = (message: string, stack: string) => Object.assign(new Error(message), { stack });
const root = new URL('../../..', import.meta.url);
const PLACE = 'core/observability/log-fields.ts:12';

describe('the frames of an error', () => {
  it('name the file and the line where our code threw it', () => {
    const [frame = ''] = ownFrames(bug());
    const [file = '', line] = frame.split(':');
    expect(file).toBe('core/observability/log-fields.ts');
    expect(readFileSync(new URL(file, root), 'utf8').split('\n')[Number(line) - 1]).toContain(
      'Object.entries(fields)',
    );
  });

  it('leave out packages, tests, and everything that is no frame', () => {
    expect(ownFrames(new Error('thrown by a test'))).toEqual([]);
    expect(
      ownFrames(
        withStack(
          'x',
          [
            'Error: x',
            `    at read (${root}node_modules/pg/lib/client.js:1:2)`,
            '    at node:internal/process/task_queues:95:5',
            `    at async (${root}${PLACE}:3)`,
            `    at work (${root.pathname}core/work/run-unit.ts:7:9)`,
          ].join('\n'),
        ),
      ),
    ).toEqual([PLACE, 'core/work/run-unit.ts:7']);
  });

  it('are those of the cause if the error has none', () => {
    const [frame] = ownFrames(bug());
    expect(ownFrames(new Error('outer', { cause: bug() }))[0]).toBe(frame);
  });

  it.each([`\n    at x (${root}${PLACE}:1)`, `\n    at x (${root}core/Jane-Doe.ts:1:1)`])(
    'never come from a message: %j',
    (message) => {
      expect(ownFrames(withStack(message, `Error: ${message}\n    at node:internal/x:1:1`))).toEqual([]);
    },
  );

  it('never name a file that does not exist', () => {
    expect(ownFrames(withStack('', `Error\n    at x (${root}core/Jane-Doe.ts:1:1)`))).toEqual([]);
  });

  it.each([undefined, null, 'text', { stack: `    at ${root}${PLACE}:1` }])('of %j are none', (thrown) => {
    expect(ownFrames(thrown)).toEqual([]);
  });
});

describe('a log line', () => {
  const logged = (thrown: unknown, development: boolean) => {
    const [lines, stacks]: [string[], string[]] = [[], []];
    const log = createLogger({
      level: 'info',
      clock: () => 0,
      destination: { write: (line) => void lines.push(line) },
      ...(development && { stacks: { write: (text: string) => void stacks.push(text) } }),
    });
    log.warn('work_failed', {}, thrown);
    return { line: JSON.parse(lines[0] ?? '') as Record<string, unknown>, stacks: stacks.join('') };
  };

  it('holds the frames of an unexpected error, and no message', () => {
    const { line, stacks } = logged(bug(), false);
    expect(line).toMatchObject({
      errorClass: 'TypeError',
      errorFrames: expect.stringMatching(/^core\/observability\/log-fields\.ts:\d+/),
    });
    expect(JSON.stringify(line)).not.toContain('null');
    expect(stacks).toBe('');
  });

  it('has message and stack beside it in development', () => {
    const { stacks } = logged(bug(), true);
    expect(stacks).toMatch(/^work_failed: TypeError: Cannot convert/);
    expect(stacks).toContain('log-fields.ts');
  });

  it('holds the class alone of what a source refused', () => {
    const { line, stacks } = logged(new ConnectorError('auth', 'share_denied'), true);
    expect(line.errorClass).toBe('ConnectorError');
    expect(line).not.toHaveProperty('errorFrames');
    expect(stacks).toBe('');
  });
});
