import { expect, test } from 'vitest';
import { type SpanFields, safeAttributes, stageFields } from '../../../core/observability/span-fields.ts';
import { inSpan } from '../../../core/observability/traces.ts';

test('an attribute or a word that is not declared does not compile', () => {
  const nothing = async () => undefined;
  void inSpan('source', { 'svc.source.family': 'smb', 'svc.source.operation': 'get_item' }, nothing);
  // @ts-expect-error no such attribute
  void inSpan('source', { 'url.full': 'https://example.com' }, nothing);
  // @ts-expect-error no such attribute, in an object that was made elsewhere
  void inSpan('source', ELSEWHERE, nothing);
  // @ts-expect-error no such word
  void inSpan('source', { 'svc.source.operation': 'Canary' }, nothing);
  // @ts-expect-error a path that was called is no template
  void inSpan('analysis', { 'http.route': 'Canary' }, nothing);
  // @ts-expect-error no such kind of span
  void inSpan('Canary', {}, nothing);
});
const ELSEWHERE = { 'svc.source.family': 'smb', 'asset.name': 'Canary' } as const;

test('whatever evades the compiler is dropped or redacted', () => {
  const untyped = {
    'http.route': '/api/assets/Canary?q=1',
    'http.request.method': 'CANARY',
    'http.response.status_code': 'Canary',
    'svc.source.family': 'Canary',
    'svc.retry_class': { toString: () => 'Canary' },
    'svc.transaction.statements': -1,
    'exception.message': 'Canary',
    'svc.unit.kind': undefined,
  } as unknown as SpanFields;
  expect(safeAttributes(untyped)).toEqual({
    'http.route': '[redacted]',
    'http.request.method': '[redacted]',
    'http.response.status_code': '[redacted]',
    'svc.source.family': '[redacted]',
    'svc.retry_class': '[redacted]',
    'svc.transaction.statements': '[redacted]',
  });
});

test('a route is told as a template, a stage by its outcome', () => {
  expect(safeAttributes({ 'http.route': '/api/assets/{assetId}' })).toEqual({
    'http.route': '/api/assets/:assetId',
  });
  expect(safeAttributes(stageFields({ observe: 'computed', content: 'cache_hit' }))).toEqual({
    'svc.stage.observe': 'computed',
    'svc.stage.content': 'cache_hit',
  });
});
