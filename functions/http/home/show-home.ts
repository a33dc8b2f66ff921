import { HomeSchema, home } from '../../../core/home/home.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const showHome = endpoint({
  name: 'home-show',
  method: 'GET',
  path: '/api/home',
  summary: 'What waits for the caller',
  description:
    'The state of each of the caller’s domains. With the capabilities: actions to approve, drafts of the ' +
    'taxonomy, domains without an owner, and scopes.',
  access: session,
  transaction: 'read',
  response: HomeSchema,
  handle: ({ runtime, tx, principal, now }) => home(runtime, tx, principal, now),
});
