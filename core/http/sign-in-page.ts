import { createHash } from 'node:crypto';
import type { SignInRefusal } from '../kernel/vocabulary.ts';
import type { Content } from './declaration.ts';

type Page = { status: number; title: string; text: string; link: Link | null };

type Link = { text: string; href: string };

const AGAIN: Link = { text: 'Sign in again', href: '/api/auth/idp/login' };
const ANOTHER: Link = {
  text: 'Sign in with another account',
  href: '/api/auth/idp/login?prompt=select_account',
};

/** What a person reads who could not sign in: what happened, and what to do. Nothing of it comes from the provider. */
const PAGES: Readonly<Record<SignInRefusal, Page>> = {
  not_configured: page(
    501,
    'Sign-in is not set up',
    'Ask the administrator of this service to set up sign-in.',
    null,
  ),
  expired: page(
    400,
    'This sign-in has ended',
    'It took longer than ten minutes, or this address has been used before.',
  ),
  other_browser: page(
    400,
    'This sign-in began in another browser',
    'Sign in again in this browser. If you did not begin a sign-in yourself, close this page.',
  ),
  refused_by_provider: page(
    403,
    'The identity provider refused the sign-in',
    'It was cancelled there, or your organization does not let you use this application. If it happens again, ask ' +
      'the administrator of this service.',
  ),
  provider_unreachable: page(
    502,
    'The identity provider does not answer',
    'Try again in a few minutes. If it happens again, tell the administrator of this service.',
  ),
  not_available: page(
    503,
    'Sign-in is not available at present',
    'A part of this service does not answer. Try again in a few minutes. If it happens again, tell the administrator of ' +
      'this service.',
  ),
  token_invalid: page(
    403,
    'The sign-in could not be verified',
    'The answer of the identity provider is not valid for this service. Tell the administrator of this service if it happens again.',
  ),
  too_many_groups: page(
    403,
    'Your account is in too many groups',
    'The identity provider left your groups out, so your roles are not known. Ask an administrator of the identity ' +
      'provider to assign app roles of this application to you, or to send only the groups assigned to the application.',
    ANOTHER,
  ),
  code_invalid: page(
    403,
    'This code is no longer valid',
    'It has been used, or its time is over. Ask the person who gave it to you for a new one.',
    ANOTHER,
  ),
  identity_in_use: page(
    409,
    'You already have an account here',
    'The invitation is meant for another account. Sign in without it, or sign out at the identity provider and open the ' +
      'invitation again.',
  ),
  deactivated: page(
    403,
    'Your access has been deactivated',
    'Ask a platform administrator of this service to reactivate it.',
    ANOTHER,
  ),
  no_access: page(
    403,
    'You have no access to this service',
    'Your sign-in worked, but nobody has given you a role here. Ask a platform administrator of this service to invite you.',
    ANOTHER,
  ),
  failed: page(
    500,
    'The sign-in failed',
    'Something went wrong in this service. Try again in a few minutes.',
  ),
};

function page(status: number, title: string, text: string, link: Link | null = AGAIN): Page {
  return { status, title, text, link };
}

/** The statuses that a page may have, for the declaration of the endpoint. */
export const SIGN_IN_PAGE_STATUSES = [...new Set(Object.values(PAGES).map(({ status }) => status))].sort();

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#1c1c1c;background:#fff}' +
  'h1{font-size:1.4rem}small{color:#595959}a{color:#0b57a4}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}small{color:#aaa}a{color:#8ab4f8}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** @param correlationId what the person gives to their administrator; it has no characters of HTML */
export function signInPage(reason: SignInRefusal, correlationId: string): Content {
  const { status, title, text, link } = PAGES[reason];
  const way = link === null ? '' : `<p><a href="${link.href}">${link.text}</a></p>`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    body:
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1><p>${text}</p>${way}` +
      `<p><small>Reference: ${correlationId}</small></p></main></html>`,
  };
}
