import { randomBytes } from 'node:crypto';
import type { BoxAnswer } from './box-routes.ts';
import type { BoxWorld } from './box-world.ts';

type Granted = {
  userId: string;
  /** Set for a token that may do nothing but read contents below a folder. */
  downloadsBelow: string | null;
};

export type BoxAuthority = {
  clientId: string;
  clientSecret: string;
  /** Whether the application may exchange tokens for narrower ones. */
  exchanges: boolean;
  /** The service account of the application. */
  accountId: string;
  grant(form: URLSearchParams, apiOrigin: string): BoxAnswer;
  holderOf(token: string | null): Granted | null;
  /** What was granted is refused from now on. */
  expireTokens(): void;
};

const refused = (error: string): BoxAnswer => ({
  status: 400,
  body: { error, error_description: 'Refused' },
});

export function createAuthority(world: BoxWorld): BoxAuthority {
  const tokens = new Map<string, Granted>();
  const issue = (granted: Granted): BoxAnswer => {
    const token = randomBytes(16).toString('base64url');
    tokens.set(token, granted);
    return {
      status: 200,
      type: 'AccessToken',
      body: { access_token: token, expires_in: 3_600, token_type: 'bearer', restricted_to: [] },
    };
  };
  const authority: BoxAuthority = {
    clientId: 'box-client',
    clientSecret: 'box secret of the fake',
    exchanges: true,
    accountId: '900',
    holderOf: (token) => tokens.get(token ?? '') ?? null,
    expireTokens: () => tokens.clear(),
    grant: (form, apiOrigin) => {
      if (form.get('grant_type') === 'client_credentials') {
        if (
          form.get('client_id') !== authority.clientId ||
          form.get('client_secret') !== authority.clientSecret
        )
          return refused('invalid_client');
        const [type, id = ''] = [form.get('box_subject_type'), form.get('box_subject_id') ?? ''];
        if (type === 'enterprise' && id === world.enterprise.id)
          return issue({ userId: authority.accountId, downloadsBelow: null });
        if (type === 'user' && world.users.get(id)?.isOurs)
          return issue({ userId: id, downloadsBelow: null });
        return refused('invalid_grant');
      }
      const subject = authority.holderOf(form.get('subject_token'));
      const [, folderId] =
        new RegExp(`^${apiOrigin}/2\\.0/folders/(\\d+)$`).exec(form.get('resource') ?? '') ?? [];
      if (subject === null || folderId === undefined) return refused('invalid_resource');
      if (!authority.exchanges || form.get('scope') !== 'item_download') return refused('invalid_scope');
      return issue({ userId: subject.userId, downloadsBelow: folderId });
    },
  };
  return authority;
}
