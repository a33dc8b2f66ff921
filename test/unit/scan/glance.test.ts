import { afterAll, expect, test } from 'vitest';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/pool/extraction-pool.ts';
import { createScanAnalysis } from '../../../core/scan/analysis-pool.ts';

const pool = createScanAnalysis({ ...DEFAULT_EXTRACTION, size: 1 });
afterAll(() => pool.close());

const IBAN = 'DE42 2327 2985 9310 4668 71';
const glance = (text: string, names: readonly string[] = []) =>
  pool.glance(
    { name: 'message.html', mimeType: 'text/html', bytes: new TextEncoder().encode(`\ufeff${text}`) },
    { opening: 400, names, detectors: [], homes: [] },
  );

test('a page gives its masked opening, its signals and masked names, and no text', async () => {
  const ended = await glance(`<p>Pay</p><script>hidden()</script><p>to <b>${IBAN}</b></p>`, [
    `${IBAN}.pdf`,
    'plain.txt',
    'sk-proj-aBcDeFgHiJkLmNoPqRsTuVwXyZ.txt',
    'reset-aZx9-Kq27_Lm83-Pw0s_Tt51-Rv6y_Ue22.txt',
  ]);
  expect(ended).toMatchObject({
    state: 'available',
    analysis: {
      opening: 'Pay to DE42 •••• •••• •••• ••68 71',
      signals: [{ detectorId: 'iban', count: 1 }],
      names: [expect.not.stringContaining('2327'), 'plain.txt', '••••••••', '••••••••'],
    },
  });
  expect(ended).not.toHaveProperty('text');
});

test('a page is read as UTF-8, whatever it declares', async () => {
  const ended = await glance('<meta charset="windows-1252"><p>Grüße an Zoë</p>');
  expect('analysis' in ended && ended.analysis.opening).toContain('Grüße');
});
