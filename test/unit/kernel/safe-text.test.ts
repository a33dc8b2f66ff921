import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeDiagnostic, safeText } from '../../../core/kernel/safe-text.ts';

describe('safeText', () => {
  it('passes what the log rule allows and nothing else', () => {
    expect(safeText('scan:inventory/page.0_-')).toBe('scan:inventory/page.0_-');
    for (const value of ['', 'two words', 'ü', 'a\n', 'a'.repeat(121), 42, null, undefined, {}]) {
      expect(safeText(value)).toBe('[redacted]');
    }
  });
});

describe('safeDiagnostic', () => {
  it('passes known codes, and codes that the database or the system define', () => {
    for (const code of [
      'delta_cursor_invalid',
      'database_40001',
      'share_io_eio',
      'graph_delta_423',
      'graph_token_timeout',
    ]) {
      expect(safeDiagnostic(code)).toBe(code);
    }
  });

  it('passes nothing else, however harmless its characters look', () => {
    const hostile = [
      'salaries_2024',
      'report.docx',
      '/finance/q3',
      'share_io_smith',
      'database_SMITH',
      'graph_smith_404',
      'graph_item_smith',
    ];
    for (const text of [...hostile, 'aborted\n', ' aborted', 'Aborted', '']) {
      expect(safeDiagnostic(text)).toBe('unclassified');
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(safeDiagnostic(`Error: ENOENT ${text}`)).toBe('unclassified');
      }),
    );
  });
});
