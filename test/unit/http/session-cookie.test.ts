import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sessionHashes } from '../../../core/auth/session.sql.ts';
import { csrfHolds } from '../../../core/http/csrf.ts';

const SECRET = 'secret-of-this-test';
const id = randomBytes(32).toString('base64url');
const sign = (secret: string) => createHmac('sha256', secret).update(`svc-session:${id}`).digest('base64url');
const cookie = `svc_session=${id}.${sign(SECRET)}`;
const hashOfId = createHash('sha256').update(id).digest();

test('a cookie signed with the secret gives the hash of its id, wherever it stands', () => {
  for (const header of [
    cookie,
    `a=b; ${cookie}`,
    `svc_session=junk; ${cookie}`,
    `${cookie}; a=b`,
    ` a=b ;  ${cookie} `,
  ]) {
    expect(sessionHashes(header, [SECRET]), header).toEqual([hashOfId]);
  }
});

test('a cookie is signed with any of the secrets that hold', () => {
  expect(sessionHashes(cookie, ['another', SECRET])).toEqual([hashOfId]);
  expect(sessionHashes(cookie, ['another', 'and another'])).toEqual([]);
});

test('no cookie, another cookie or another secret gives none', () => {
  for (const header of [
    null,
    '',
    'svc_session=',
    `svc_session=${id}`,
    `svc_session=${id}.`,
    `SVC_SESSION=${id}.${sign(SECRET)}`,
    `not_svc_session=${id}.${sign(SECRET)}`,
    `svc_session=${id}.${sign('another')}`,
    `svc_session="${id}.${sign(SECRET)}"`,
    `svc_session=${id}.${sign(SECRET)}.x`,
  ]) {
    expect(sessionHashes(header, [SECRET]), `${header}`).toEqual([]);
  }
});

test('no text that was not signed gives a session', () => {
  const value = fc.oneof(fc.string(), fc.base64String({ minLength: 80, maxLength: 90 }));
  fc.assert(
    fc.property(value, (text) => {
      expect(sessionHashes(`svc_session=${text}`, [SECRET])).toEqual([]);
    }),
  );
});

test('the CSRF token must be the very one, for every changing method', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(csrfHolds(method, 'token', 'token')).toBe(true);
    for (const presented of [null, '', 'toke', 'tokens', 'TOKEN', 'tökèn']) {
      expect(csrfHolds(method, presented, 'token'), `${method} ${presented}`).toBe(false);
    }
  }
  for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(csrfHolds(method, null, 'token')).toBe(true);
});
