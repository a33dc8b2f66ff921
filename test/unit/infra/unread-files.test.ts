import { expect, test } from 'vitest';
import { describeUnread } from '../../../infra/local/unread-files.ts';

const file = (path: string, more: Partial<Parameters<typeof describeUnread>[0][number]> = {}) => ({
  ...{ state: 'unsupported' as const, reason: 'ocr_off' as const, path, unreadParts: null, alike: 1 },
  ...more,
});

test('no unread file leaves nothing to say', () => {
  expect(describeUnread([])).toBe('');
});

test('files are listed below their state, the reason and what to do', () => {
  const text = describeUnread([
    file('secret/a.txt', { state: 'inaccessible', reason: null }),
    file('scans/a.png', { alike: 2 }),
    file('scans/b.png', { alike: 2 }),
    file('mail.zip', { state: 'partial', reason: 'encrypted', unreadParts: 2 }),
  ]);
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    'Files that could not be read, or not wholly',
    '─'.repeat(43),
    'inaccessible (1): access was denied. Let the account of the service read it.',
    'secret/a.txt',
    'unsupported (2): text in pictures is not read. Set SVC_OCR=true to read it.',
    'scans/a.png',
    'scans/b.png',
    'partial (1): a password or key is needed.',
    'mail.zip  (2 parts not read)',
    'All of them: GET /api/assets?contentState=partial, or another of these states.',
    '',
  ]);
});

test('the list fits 80 columns and is safe for a terminal', () => {
  const rows = Array.from({ length: 10 }, (_, at) =>
    file(`${'folder/'.repeat(30)}\u001b[31m file ${at}.png`, { alike: 900, unreadParts: 7 }),
  );
  const lines = describeUnread(rows).split('\n');
  expect(lines).toContain('    … and 890 more');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines.join('')).not.toContain('\u001b');
});
