import { expect, test } from 'vitest';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/pool/extraction-pool.ts';
import { termHash } from '../../../core/inference/lexical.ts';
import { unpackTerms } from '../../../core/inference/packed.ts';
import { createScanAnalysis } from '../../../core/scan/analysis-pool.ts';
import { pdfOf, pdfText } from '../../support/documents/pdf.ts';

test('the title that a file states is among its headings, and stays in the worker', async () => {
  const pool = createScanAnalysis({ ...DEFAULT_EXTRACTION, size: 1 });
  try {
    const bytes = pdfOf([pdfText('first page')], { title: 'Payroll of the year' });
    const outcome = await pool.extract(
      { name: 'a.pdf', mimeType: null, bytes },
      {
        name: 'a.pdf',
        path: 'a.pdf',
        contentHash: null,
        excerpts: { max: 0, width: 0 },
        detectors: [],
        homes: [],
        fingerprintKey: null,
        vocabulary: null,
        forOpinion: false,
      },
    );
    const headings = 'analysis' in outcome ? unpackTerms(outcome.analysis.features.headings) : new Map();
    expect(headings.has(termHash('payroll'))).toBe(true);
    for (const said of ['title', 'text']) expect(outcome).not.toHaveProperty(said);
  } finally {
    await pool.close();
  }
});
