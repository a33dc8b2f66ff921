import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FunctionMetadata, RpcBindingInfo } from '../../infra/local/functions-host/core-types.ts';
import { toServedFunctions } from '../../infra/local/functions-host/function-metadata.ts';
import { isLogged, parseHostJson } from '../../infra/local/functions-host/host-json.ts';
import {
  compareSpecificity,
  matchTemplate,
  overlaps,
  parseRouteTemplate,
} from '../../infra/local/functions-host/route-template.ts';
import { createRouter } from '../../infra/local/functions-host/router.ts';
import { parseTimeSpan } from '../../infra/local/functions-host/time-span.ts';
import { propertyRuns } from '../support/property-runs.ts';

const route = (name: string, template: string, methods = ['GET']) => ({
  name,
  template,
  methods,
  target: name,
});
const targetOf = (routes: ReturnType<typeof route>[], path: string, method = 'GET') => {
  const match = createRouter(routes).match(method, path);
  return match.kind === 'found' ? match.target : match.kind;
};

describe('precedence', () => {
  it('is literal, constrained parameter, parameter, catch-all', () => {
    const routes = [
      route('a', 'x/recent'),
      route('b', 'x/{id:int}'),
      route('c', 'x/{id}'),
      route('d', 'x/{*rest}'),
      route('e', '{*rest}'),
    ];
    expect(
      ['/x/recent', '/x/RECENT', '/x/7', '/x/seven', '/x/a/b', '/x', '/y', '/'].map((path) =>
        targetOf(routes, path),
      ),
    ).toEqual(['a', 'a', 'b', 'c', 'd', 'd', 'e', 'e']);
  });

  it('tries a less specific route with the method before it says which methods exist', () => {
    const routes = [route('a', 'x/recent', ['POST']), route('b', 'x/{id}', ['GET', 'PUT'])];
    expect(targetOf(routes, '/x/recent')).toBe('b');
    expect(createRouter(routes).match('DELETE', '/x/recent')).toEqual({
      kind: 'wrongMethod',
      allow: ['GET', 'POST', 'PUT'],
    });
    expect(createRouter(routes).match('DELETE', '/x/other')).toEqual({
      kind: 'wrongMethod',
      allow: ['GET', 'PUT'],
    });
  });

  it('refuses routes for which the Functions host would choose another function', () => {
    const hidden = [route('get-item', 'items/{id}'), route('list-recent', 'items/recent')];
    expect(() => createRouter(hidden)).toThrow(
      '"get-item" (items/{id}) hides "list-recent" (items/recent), since its name sorts first',
    );
    expect(() => createRouter([route('not-found', '{*rest}'), route('scans', 'scans')])).toThrow(
      'hides "scans"',
    );
    expect(
      targetOf([route('get-item', 'items/{id}'), route('list-recent', 'items/recent', ['POST'])], '/items/1'),
    ).toBe('get-item');
    expect(
      targetOf([route('get-item', 'items/{id:int}'), route('list-recent', 'items/recent')], '/items/recent'),
    ).toBe('list-recent');
  });

  it('refuses two functions with one route', () => {
    expect(() => createRouter([route('a', 'x/{one}'), route('b', 'X/{two}', ['GET', 'PUT'])])).toThrow(
      '"a" and "b" have the same route and method',
    );
    expect(targetOf([route('a', 'x/{one}'), route('b', 'x/{two}', ['PUT'])], '/x/1', 'PUT')).toBe('b');
  });

  const segment = fc.constantFrom('a', 'b', '{p}', '{p:int}', '{p:alpha}');
  const template = fc
    .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '{last?}', '{*rest}'))
    .map(([parts, last]) =>
      [...parts.map((part, index) => part.replace('p', `p${index}`)), ...(last === '' ? [] : [last])].join(
        '/',
      ),
    );
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab', '7', ''), { maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`);

  it('chooses as a search through all routes would', () => {
    fc.assert(
      fc.property(fc.uniqueArray(template, { minLength: 1, maxLength: 6 }), path, (templates, requested) => {
        // Named in the order of precedence, so that both rules agree; equal shapes are refused and left out.
        const ordered = templates.sort((a, b) =>
          compareSpecificity(parseRouteTemplate(a), parseRouteTemplate(b)),
        );
        const routes = ordered.map((text, index) => route(`f${index}`, text));
        let router: ReturnType<typeof createRouter<string>>;
        try {
          router = createRouter(routes);
        } catch {
          return;
        }
        const segments = requested.replace(/^\//, '').replace(/\/$/, '').split('/');
        const expected = routes.find(
          ({ template: text }) =>
            matchTemplate(
              parseRouteTemplate(text),
              segments[0] === '' && segments.length === 1 ? [] : segments,
            ) !== undefined,
        );
        const match = router.match('GET', requested);
        expect(match.kind === 'found' ? match.target : undefined).toBe(expected?.target);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('finds every overlap that some path shows', () => {
    fc.assert(
      fc.property(template, template, path, (left, right, requested) => {
        const segments = requested.split('/').slice(1);
        const [a, b] = [parseRouteTemplate(left), parseRouteTemplate(right)];
        if (matchTemplate(a, segments) && matchTemplate(b, segments)) expect(overlaps(a, b)).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('never throws, whatever the path', () => {
    const router = createRouter([route('a', 'x/{id}'), route('b', 'y/{*rest}')]);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', '%', '2', 'e', 'f', '.', 'x', 'y', '\\', ';') }),
        (text) => {
          expect(['found', 'notFound', 'malformed']).toContain(router.match('GET', `/${text}`).kind);
        },
      ),
    );
  });
});

describe('templates', () => {
  it.each([
    ['int', ['0', '-7', '2147483647'], ['2147483648', 'x', '1.5', '']],
    ['long', ['9223372036854775807'], ['9223372036854775808']],
    ['guid', ['3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3f2504e04f8911d39a0c0305e82c3301'], ['3f2504e0']],
    ['alpha', ['abC'], ['a1', 'ä']],
    ['bool', ['true', 'FALSE'], ['1']],
    ['decimal', ['1.5', '-1'], ['1e5', '.']],
    ['minlength(2)', ['ab'], ['a']],
    ['maxlength(2)', ['ab'], ['abc']],
    ['length(2)', ['ab'], ['a', 'abc']],
    ['length(1,2)', ['a', 'ab'], ['abc']],
    ['min(18)', ['18'], ['17', 'x']],
    ['max(5)', ['5', '-1'], ['6']],
    ['range(1,3)', ['1', '3'], ['0', '4']],
    ['int:min(1)', ['1'], ['0', 'x']],
  ])('{v:%s}', (constraint, good, bad) => {
    const template = parseRouteTemplate(`{v:${constraint}}`);
    for (const value of good)
      expect([value, matchTemplate(template, [value])]).toEqual([value, { v: value }]);
    for (const value of bad) expect([value, matchTemplate(template, [value])]).toEqual([value, undefined]);
  });

  it.each([
    'a//b',
    'a?b',
    'x/{id',
    'x/{a}.{b}',
    'x/v{a}',
    'x/{a=1}',
    'x/{a:regex(a+)}',
    'x/{a:unknown}',
    'x/{a:int(3)}',
    'x/{a:min}',
    '{a}/{A}',
    '{*a}/b',
    '{a?}/b',
  ])('refuses %s', (template) => {
    expect(() => createRouter([route('f', template)])).toThrow('Function "f"');
  });
});

describe('functions that cannot be served', () => {
  const declare = (name: string, trigger: RpcBindingInfo, more: Partial<FunctionMetadata> = {}) => ({
    metadata: { name, bindings: { in: { direction: 'in' as const, ...trigger } }, ...more },
    callback: () => undefined,
  });
  const http = { type: 'httpTrigger', authLevel: 'anonymous', methods: ['GET'] };
  const serve = (...declared: ReturnType<typeof declare>[]) =>
    toServedFunctions(declared, { Q: 'Queue-Name' }, 'api');

  it.each([
    ['1st', http, 'the name is not valid'],
    ['host', http, 'the name is not valid'],
    ['a.b', http, 'the name is not valid'],
    [`a${'b'.repeat(128)}`, http, 'the name is not valid'],
    ['f', { ...http, authLevel: 'function' }, 'only authLevel "anonymous" is served'],
    ['f', { ...http, methods: ['FETCH'] }, 'methods'],
    ['f', { ...http, route: '/Administration/x' }, 'built-in route'],
    ['f', { ...http, route: 'runtime' }, 'built-in route'],
    ['f', { type: 'blobTrigger', path: 'x' }, 'only http, timer and storage queue triggers are served'],
    ['f', { type: 'timerTrigger', schedule: 'every day' }, 'six fields'],
    ['f', { type: 'timerTrigger', schedule: '%NOT_SET%' }, 'the app setting "NOT_SET" is not set'],
    ['f', { type: 'queueTrigger' }, 'queueName'],
    ['f', { type: 'queue' }, 'exactly one trigger'],
  ])('%s %j: %s', (name, trigger, message) => {
    expect(() => serve(declare(name, trigger))).toThrow(message);
  });

  it('names every one of them at once', () => {
    expect(() =>
      serve(declare('one', { type: 'x' }), declare('two', { ...http, authLevel: 'admin' })),
    ).toThrow(/"one": .*"two": /);
  });

  it('refuses a name twice, other bindings and retry policies', () => {
    expect(() => serve(declare('f', http), declare('F', http))).toThrow('another function has this name');
    const bindings = { in: { ...http }, out: { type: 'queue', direction: 'out' as const } };
    expect(() => serve(declare('f', http, { bindings }))).toThrow(
      'the binding "out" of type "queue" is not served',
    );
    expect(() => serve(declare('f', http, { retryOptions: {} }))).toThrow('a retry policy is not served');
  });

  it('serves the rest with the route prefix and the app settings filled in', () => {
    const [first, second, third] = serve(
      declare('f', { ...http, route: '/x/{id}/' }),
      declare('g', http),
      declare('h', { type: 'queueTrigger', queueName: '%Q%', connection: '' }),
    );
    expect([first, second]).toMatchObject([{ route: 'api/x/{id}' }, { route: 'api/g' }]);
    expect(third).toMatchObject({
      kind: 'queue',
      queueName: 'queue-name',
      connection: 'AzureWebJobsStorage',
    });
  });
});

describe('host.json', () => {
  it('of the service declares whole routes and a doorbell at a time', () => {
    const text = readFileSync(new URL('../../host.json', import.meta.url), 'utf8');
    const { http, queues } = parseHostJson(JSON.parse(text)).extensions;
    expect(http.routePrefix).toBe('');
    expect(queues).toMatchObject({
      batchSize: 2,
      newBatchThreshold: 1,
      maxDequeueCount: 5,
      maxPollingInterval: 2000,
    });
  });

  it('has the documented defaults', () => {
    expect(parseHostJson({ version: '2.0' })).toMatchObject({
      extensions: {
        http: { routePrefix: 'api', maxOutstandingRequests: -1 },
        queues: {
          batchSize: 16,
          maxPollingInterval: 60_000,
          visibilityTimeout: 0,
          maxDequeueCount: 5,
          messageEncoding: 'base64',
        },
      },
    });
  });

  it('says which setting is wrong', () => {
    const queues = { batchSize: 33, maxPollingInterval: '2 s' };
    expect(() => parseHostJson({ version: '2.0', extensions: { queues } })).toThrow(
      /extensions\.queues\.batchSize: .*extensions\.queues\.maxPollingInterval: /,
    );
    expect(() => parseHostJson({ version: '1.0' })).toThrow('version');
  });

  it('keeps log entries by the longest category that is configured', () => {
    const levels = { default: 'warning', Function: 'information', 'Function.f.User': 'error' } as const;
    expect(isLogged(levels, 'Host', 'information')).toBe(false);
    expect(isLogged(levels, 'Function.g.User', 'information')).toBe(true);
    expect(isLogged(levels, 'Function.f', 'information')).toBe(true);
    expect(isLogged(levels, 'Function.f.User', 'warning')).toBe(false);
  });

  it.each([
    ['00:00:02', 2000],
    ['1.02:03:04.5', 93_784_500],
    ['00:05', 300_000],
    ['24:00:00', undefined],
    ['2', undefined],
    ['00:60:00', undefined],
  ])('reads the time span %s', (text, ms) => {
    expect(parseTimeSpan(text)).toBe(ms);
  });
});
