import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Config, loadConfig } from '../../core/config/config.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { analysisFor, compose, type FakeClouds, type Runtime, useRuntime } from '../../core/runtime.ts';
import type { AnalysisPool, GlancePool } from '../../core/scan/analysis-pool.ts';
import {
  type LoadedFunctions,
  loadFunctionFiles,
  startFunctionsHost,
} from '../../infra/local/functions-host.ts';
import { type ContractCheck, createContractCheck } from './contract-check.ts';
import type { TestDatabase } from './database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An answer of the service. `body` is parsed if it is JSON, and a text otherwise. */
export type Answer<T = unknown> = {
  status: number;
  headers: Headers;
  body: T;
  text: string;
  /** The `Set-Cookie` headers. */
  cookies: string[];
};

type RequestOptions = { headers?: Record<string, string>; body?: unknown };

/** A caller of the service. Every answer is checked against the OpenAPI document. */
export type Caller = {
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
  get<T = unknown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  patch<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
};

export type SignedIn = Caller & {
  principalId: string;
  /** `svc_session=…` as the browser sends it. */
  cookie: string;
  csrfToken: string;
};

type TestClock = {
  now: Clock;
  /** Moves the clock of the service, which continues to run. */
  advance(milliseconds: number): void;
};

export type TestService = {
  url: string;
  clock: TestClock;
  /** All log lines so far, as they would be written to stdout. */
  logs: readonly string[];
  /** The current runtime, for example to run the worker, which no timer or queue runs here. */
  runtime(): Runtime;
  /** Runs due work until none is left. Returns the number of settled units. */
  drain(): Promise<number>;
  /** A caller without a session. */
  anonymous: Caller;
  /** A caller with another session's cookie, or an invalid one. */
  withCookie(cookie: string, csrfToken: string): Caller;
  signInAs(principalId: string): Promise<SignedIn>;
  /** Composes the service again with changed settings. Sessions in the database continue. */
  reconfigure(settings: Record<string, string>, fakes?: FakeClouds): Promise<void>;
  close(): Promise<void>;
};

/** The test files that share a process load the functions once. */
let served: Promise<{ functions: LoadedFunctions; check: ContractCheck }> | undefined;

async function loadServed() {
  const functions = await loadFunctionFiles({ root: ROOT, main: 'functions/{http,webhooks}/**/*.ts' });
  return { functions, check: createContractCheck() };
}

/** Extraction threads by their settings. A thread loads every extractor and detector, so services share them. */
const analyses = new Map<string, AnalysisPool & GlancePool>();

function sharedAnalysis(config: Config): AnalysisPool & GlancePool {
  const settings = Object.entries(config).filter(([name]) => /^SVC_(EXTRACT|OCR)/.test(name));
  const key = JSON.stringify(settings);
  const analysis = analyses.get(key) ?? analysisFor(config);
  analyses.set(key, analysis);
  return { ...analysis, close: async () => undefined };
}

/** Serves the whole HTTP API in this process, with the local Functions host and a test database. One at a time. */
export async function startService(
  database: Pick<TestDatabase, 'url'>,
  settings: Record<string, string> = {},
): Promise<TestService> {
  let offset = 0;
  const clock: TestClock = {
    now: () => Date.now() + offset,
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
  const logs: string[] = [];
  const composed = async (changes: Record<string, string>, fakes?: FakeClouds) => {
    const config = loadConfig({
      SVC_ENV: 'development',
      SVC_AUTH_MODE: 'dev',
      SVC_DATABASE_URL: database.url,
      SVC_LOG_LEVEL: 'debug',
      // Each thread loads every extractor and detector, and there are few files here.
      SVC_EXTRACT_WORKERS: '1',
      ...settings,
      ...changes,
    });
    const runtime = await compose(
      config,
      clock.now,
      { write: (line) => logs.push(line) },
      fakes,
      sharedAnalysis(config),
    );
    useRuntime(runtime);
    return runtime;
  };
  let runtime = await composed({});
  served ??= loadServed();
  const { functions, check } = await served;
  const host = await startFunctionsHost({ root: ROOT, loaded: functions });
  const caller = (identity: Record<string, string>) => createCaller(host.url, identity, check, () => runtime);
  const anonymous = caller({});
  const withCookie = (cookie: string, csrfToken: string) => caller({ cookie, 'x-svc-csrf': csrfToken });

  return {
    url: host.url,
    clock,
    logs,
    runtime: () => runtime,
    drain: () => runtime.worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal),
    anonymous,
    withCookie,
    signInAs: async (principalId) => {
      const login = await anonymous.post<{ csrfToken: string }>('/api/auth/dev/login', { principalId });
      expect(login.status, `sign-in as ${principalId}`).toBe(200);
      const cookie = login.cookies[0]?.split(';')[0] ?? '';
      const { csrfToken } = login.body;
      return { ...withCookie(cookie, csrfToken), principalId, cookie, csrfToken };
    },
    reconfigure: async (changes, fakes) => {
      const former = runtime;
      runtime = await composed(changes, fakes);
      await former.close();
    },
    close: async () => {
      await host.close();
      await runtime.close();
    },
  };
}

function createCaller(
  url: string,
  identity: Record<string, string>,
  check: ContractCheck,
  runtime: () => Runtime,
): Caller {
  const request: Caller['request'] = async <T>(
    method: string,
    target: string,
    { headers, body }: RequestOptions = {},
  ) => {
    const response = await fetch(`${url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...identity,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
      cookies: response.headers.getSetCookie(),
    };
    const { SVC_AUTH_MODE: authMode, SVC_ENV: env } = runtime().config;
    check({ ...answer, method, path: target }, { authMode, production: env === 'production' });
    return answer;
  };
  return {
    request,
    get: (target, headers = {}) => request('GET', target, { headers }),
    post: (target, body = {}, headers = {}) => request('POST', target, { headers, body }),
    patch: (target, body = {}, headers = {}) => request('PATCH', target, { headers, body }),
  };
}
