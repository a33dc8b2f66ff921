import type { SignInAs } from './sign-in-as.ts';

type Synced = { complete: boolean; message?: string };
type List = { total: number };

/** A round lasts some 15 seconds, and the made-up company needs one. */
const MAX_ROUNDS = 10;

/** Syncs the channels and mailboxes of the made-up company through the API, and says what there is. */
export async function syncMessages(signInAs: SignInAs, signal: AbortSignal): Promise<string> {
  const client = await signInAs('platform_admin');
  const sync = async (family: 'chat' | 'mail') => {
    for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round++) {
      const { status, body } = await client.post<Synced>(`/api/${family}/sync`, {});
      if (status !== 200) throw new Error(`messages were not synced: ${body.message}`);
      if (body.complete) return;
    }
  };
  const total = async (path: string) => (await client.get<List>(path)).total;
  await sync('chat');
  await sync('mail');
  const [channels, inChannels, mailboxes, inMailboxes] = [
    await total('/api/chat/channels'),
    await total('/api/chat/messages'),
    await total('/api/mail/mailboxes'),
    await total('/api/mail/messages'),
  ];
  const findings = (await total('/api/chat/findings')) + (await total('/api/mail/findings'));
  return (
    `Messages: ${inChannels} in ${channels} channels and ${inMailboxes} in ${mailboxes} mailboxes, with ` +
    `${findings} findings for operators (docs/messages.md).\n`
  );
}
