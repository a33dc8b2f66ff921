import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadAdapterConfig } from '../../../core/config/adapter-config.ts';
import { ConfigError } from '../../../core/config/config.ts';

const SESSION = { SVC_MCP_SESSION_COOKIE: 'abc.def', SVC_MCP_CSRF_TOKEN: 'token' };

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadAdapterConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

test('a principal of this machine is all that development needs', () => {
  expect(loadAdapterConfig({ SVC_MCP_PRINCIPAL: 'pri_one', SVC_MCP_URL: '' })).toEqual({
    url: 'http://127.0.0.1:7071',
    identity: { kind: 'principal', principalId: 'pri_one' },
  });
});

test('a session is a cookie, with or without its name, and its token', () => {
  const url = 'https://governance.example/';
  const identity = { kind: 'session', cookie: 'abc.def', csrfToken: 'token' };
  for (const cookie of ['abc.def', 'svc_session=abc.def']) {
    const env = { ...SESSION, SVC_MCP_SESSION_COOKIE: cookie, SVC_MCP_URL: url };
    expect(loadAdapterConfig(env)).toEqual({ url: 'https://governance.example', identity });
  }
});

test('both may be in files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'adapter-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [cookie, token] = ['cookie', 'token'].map((name) => path.join(folder, name));
  writeFileSync(`${cookie}`, 'abc.def\n');
  writeFileSync(`${token}`, 'token\n');
  const env = { SVC_MCP_SESSION_COOKIE_FILE: `${cookie}`, SVC_MCP_CSRF_TOKEN_FILE: `${token}` };
  expect(loadAdapterConfig(env).identity).toEqual({ kind: 'session', cookie: 'abc.def', csrfToken: 'token' });
});

describe('what is refused names settings and never values', () => {
  test.each([
    ['nothing', {}, 'SVC_MCP_PRINCIPAL'],
    ['a cookie without its token', { SVC_MCP_SESSION_COOKIE: 'secret-value' }, 'SVC_MCP_PRINCIPAL'],
    ['a token without its cookie', { SVC_MCP_CSRF_TOKEN: 'secret-value' }, 'SVC_MCP_PRINCIPAL'],
    ['a principal beside a session', { ...SESSION, SVC_MCP_PRINCIPAL: 'secret-value' }, 'SVC_MCP_PRINCIPAL'],
    [
      'a session sent in the clear',
      { ...SESSION, SVC_MCP_URL: 'http://secret-value.example' },
      'SVC_MCP_URL',
    ],
    ['an address of another kind', { ...SESSION, SVC_MCP_URL: 'file:///secret-value' }, 'SVC_MCP_URL'],
    [
      'a file that is not there',
      { SVC_MCP_CSRF_TOKEN: 'x', SVC_MCP_SESSION_COOKIE_FILE: '/secret-value' },
      'SVC_MCP_SESSION_COOKIE_FILE',
    ],
  ])('%s', (_, env, setting) => {
    const [problem = '', ...others] = problemsOf(env);
    expect(problem).toContain(`${setting}: `);
    expect([problem, ...others].join()).not.toContain('secret-value');
  });
});
