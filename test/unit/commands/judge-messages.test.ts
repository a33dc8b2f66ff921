import { expect, test } from 'vitest';
import { judgeMessages } from '../../../core/commands/doctor/judge-messages.ts';
import { blocked, everywhere, notConfigured, OK, type SourceProbe } from '../../../core/connectors/probe.ts';

const probe = (others: Partial<SourceProbe>): SourceProbe => ({
  ...everywhere(notConfigured('not_part_of_source')),
  ...{ token: OK, sites: OK, drive: OK, sharing: OK, files: OK },
  ...others,
});

test('channels that answer for everything pass', () => {
  expect(judgeMessages('chat', probe({}))).toMatchObject({ status: 'pass' });
});

test('without the right to read messages the check fails and names it', () => {
  const drive = blocked('missing_permission', 'ChannelMessage.Read.All');
  const outcome = judgeMessages('chat', probe({ drive }));
  expect(outcome).toMatchObject({ status: 'fail' });
  expect(JSON.stringify(outcome)).toContain('ChannelMessage.Read.All');
});

test('without the right to count members the check warns and names it', () => {
  const sharing = blocked('missing_permission', 'TeamMember.Read.All');
  const outcome = judgeMessages('chat', probe({ sharing }));
  expect(outcome).toMatchObject({ status: 'warn' });
  expect(JSON.stringify(outcome)).toContain('TeamMember.Read.All');
});

test('an entry without a channel is named by its place in the setting', () => {
  const sites = { ...blocked('site_not_found'), position: 3 };
  expect(JSON.stringify(judgeMessages('chat', probe({ sites })))).toContain('entry 3 of SVC_CHAT_TEAMS');
});
