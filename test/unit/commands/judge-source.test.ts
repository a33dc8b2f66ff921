import { expect, test } from 'vitest';
import { judgeSource } from '../../../core/commands/doctor/judge-source.ts';
import {
  blocked,
  everywhere,
  notConfigured,
  OK,
  type Probed,
  type SourceProbe,
} from '../../../core/connectors/probe.ts';

const probe = (others: Partial<SourceProbe>): SourceProbe => ({
  ...everywhere(notConfigured('not_part_of_source')),
  ...{ token: OK, sites: OK, drive: OK, sharing: OK, files: OK },
  ...others,
});

test('channels that answer for everything pass', () => {
  expect(judgeSource('chat', probe({}))).toMatchObject({ status: 'pass' });
});

test('without the right to read messages the check fails and names it', () => {
  const drive = blocked('missing_permission', 'ChannelMessage.Read.All');
  const outcome = judgeSource('chat', probe({ drive }));
  expect(outcome).toMatchObject({ status: 'fail' });
  expect(JSON.stringify(outcome)).toContain('ChannelMessage.Read.All');
});

test('without the right to count members the check warns and names it', () => {
  const sharing = blocked('missing_permission', 'TeamMember.Read.All');
  const outcome = judgeSource('chat', probe({ sharing }));
  expect(outcome).toMatchObject({ status: 'warn' });
  expect(JSON.stringify(outcome)).toContain('TeamMember.Read.All');
});

test('an entry without a channel is named by its place in the setting', () => {
  const sites = { ...blocked('site_not_found'), position: 3 };
  expect(JSON.stringify(judgeSource('chat', probe({ sites })))).toContain('entry 3 of SVC_CHAT_TEAMS');
});

test.each([
  ['cloud_drive', 'SVC_CLOUD_DRIVE_CREDENTIALS_REF'],
  ['file_box', 'SVC_FILE_BOX_CLIENT_SECRET_REF'],
] as const)('a refused credential of %s names its own settings', (family, setting) => {
  const outcome = judgeSource(family, everywhere(blocked('credentials_refused')));
  expect(outcome).toMatchObject({ status: 'fail', nextSteps: [expect.stringContaining(setting)] });
});

test.each(['cloud_drive', 'file_box'] as const)('no step of %s names Microsoft', (family) => {
  for (const reason of ['credentials_refused', 'unreachable', 'throttled', 'refused_otherwise'] as const)
    for (const each of [
      blocked(reason),
      blocked('no_site'),
      blocked('no_library'),
      blocked('missing_permission', 'a'),
    ])
      expect(JSON.stringify(judgeSource(family, everywhere(each)))).not.toMatch(/GRAPH|Graph|Microsoft/);
});

test('a credential of Box that can write is a warning that offers another', () => {
  const reach: Probed = { state: 'warning', reason: 'no_read_only_credential', missing: [] };
  expect(judgeSource('file_box', probe({ reach }))).toMatchObject({
    status: 'warn',
    finding: 'The source can be read. To correct: reach (no_read_only_credential).',
    nextSteps: [expect.stringContaining('root_readonly')],
  });
});
