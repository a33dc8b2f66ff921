import { describe, expect, it } from 'vitest';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const secretsIn = (text: string) =>
  findHits(text, DETECTORS)
    .filter(({ detector }) => detector.family === 'secret')
    .flatMap(({ detector, hits }) => hits.map(({ start, end }) => [detector.id, text.slice(start, end)]));

describe('a secret in Base64', () => {
  const pem = base64(`-----BEGIN PRIVATE KEY-----\n${'q8Zr51mXk02LpVt7Yw9sB3'.repeat(3)}\n`);
  const settings = base64('HOST=db.internal\nDB_PASSWORD=Gu9kdLs2\nPORT=5432\n');

  it('is found, and is the whole encoded part', () => {
    expect(secretsIn(`data:\n  key.pem: ${pem}\n`)).toContainEqual(['private_key', pem.replace(/=+$/, '')]);
    expect(secretsIn(`data:\n  app.env: ${settings}\n`)).toContainEqual([
      'connection_password',
      settings.replace(/=+$/, ''),
    ]);
  });

  it.each([
    ['two levels', base64(pem)],
    ['text without a secret', base64('HOST=db.internal\nPORT=5432\nand more of the same settings here\n')],
    ['bytes', Buffer.from(Array.from({ length: 120 }, (_, i) => (i * 37) % 256)).toString('base64')],
    ['a long path', '/home/anna/projects/service/core/detectors/engine/encoded'],
  ])('is not found in %s', (_, encoded) => {
    expect(secretsIn(`note: ${encoded}\n`)).toEqual([]);
  });
});
