import { describe, expect, it } from 'vitest';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { isolationOf } from '../../../../core/detectors/engine/surroundings.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

/** How the part between brackets stands. */
function isolation(marked: string) {
  const start = marked.indexOf('[');
  const end = marked.indexOf(']') - 1;
  return isolationOf(marked.replace(/[[\]]/g, ''), start, end);
}

describe('a number that is a piece of another', () => {
  it.each([
    'ratio [1.84127645108946] of it',
    'rate 0,[184127645108946] of it',
    '17;12345,[206987064];x',
    '17;[206987064],125;x',
    '"1,[206987064]"',
    'a\t.[206987064]\tb',
    '$[206987064]',
    '€ [206.987.064]',
    '[206 987 064] €',
    '[206987064]\u00a0€',
    '[206987064]%',
    '+[351206987064]',
    'x 1.234,[206987064] y',
    'x [206987064],125.',
    '[206987064] EUR',
    'USD [206.987.064]',
    'paid [206987064] dollars',
    'order [206987064]',
    'Purchase Order No. [206987064]',
    'Bestellnummer: [206987064],',
    'Rechnungs-Nr. [206987064]',
    'customer no. [206987064]',
    'commande n° [206987064]',
    'release [206987064]',
    'ticket #[206987064]',
    'the amount of [206987064]',
  ])('is none: %s', (text) => {
    expect(isolation(text)).toBe('part');
  });

  it.each([
    '1,[4716424521511864],12/27',
    'id,cpf\n1,[01732102104]\n2,03',
    'Jane,34,[206987064]\n',
    'NIF [206987064].',
    'NIF:[206987064], of',
    '[206 987 064]',
    'SSN [308-63-0237],308-63-0238',
    'card,amount\n[4716424521511864],12.50\n',
    'amount,nif\n12.50,[206987064]\n',
    '([206987064],206987072)',
    'reorder [206987064] ',
    'of customer [206987064] ',
    'order with NIF [206987064] ',
    'order,[206987064] ',
    'order 308-63-0237, SSN [308-63-0237].',
    'NIF [206987064] europeu',
    '[4539 1488 0343 6467] 123',
    'a [12345678-Z]',
  ])('is told from one that stands alone: %s', (text) => {
    expect(isolation(text)).toBe('alone');
  });
});

describe('a number in a code or an address', () => {
  it.each([
    'AB-[206987064]',
    '[206987064]-AB',
    'a45f-[426614174000]',
    'orders/[206987064]',
    'scan.[206987064]',
    '[206987064].pdf',
    'row #[206987064]',
    '10\t-[198356388]',
    'https://example.com/a?b=[206987064]',
    'www.example.com/a~[206987064]',
    'q?zip=[206987064]',
    'zip=[206987064]&x=1',
    '65 [929 970 489]',
    '[929 970 489] 12',
  ])('needs a word for it: %s', (text) => {
    expect(isolation(text)).toBe('joined');
  });

  it('is found where the word stands, and nowhere else', () => {
    const detector = DETECTORS.filter(({ id }) => id === 'pt_tax_number');
    const count = (text: string) => findHits(text, detector)[0]?.hits.length ?? 0;
    expect(count('206987064')).toBe(1);
    expect(count('AB-206987064')).toBe(0);
    expect(count('contribuinte AB-206987064')).toBe(1);
    expect(count('NIF-206987064')).toBe(1);
    expect(count('contribuinte 0,206987064 x')).toBe(0);
  });

  it('leaves values with more letters to their own form', () => {
    expect(isolation('AB-[DE89370400440532013000]')).toBe('alone');
  });
});

describe('a spreadsheet of measures, parts and links', () => {
  const rows = (cells: (i: number) => readonly (string | number)[]) =>
    ['row\ta\tb\tc', ...Array.from({ length: 300 }, (_, i) => [i, ...cells(i)].join('\t'))].join('\n');
  const digits = (i: number, length: number) =>
    String(Math.round(((i + 1) * 0.618_033_988_749_894_9 * 10 ** length) % 10 ** length)).padStart(
      length,
      '1',
    );

  it.each([
    ['decimals', (i: number) => [`1.${digits(i, 14)}`, `0,${digits(i, 11)}`, `-2,${digits(i, 9)}`]],
    ['exponents', (i: number) => [`1.${digits(i, 14)}E14`, `${digits(i, 9)}e+3`, `2.${digits(i, 9)}E-07`]],
    ['codes', (i: number) => [`AB-${digits(i, 9)}-X`, `INV-2024-${digits(i, 10)}`, `X.${digits(i, 11)}`]],
    [
      'links',
      (i: number) => [`https://a.example/p/${digits(i, 11)}?id=${digits(i, 9)}&zip=${digits(i, 10)}`],
    ],
    ['amounts', (i: number) => [`€ ${digits(i, 9)}`, `${digits(i, 11)} €`, `$${digits(i, 10)}.50`]],
  ] as const)('has no identifier among its %s', (_, cells) => {
    const numbers = DETECTORS.filter(({ family }) =>
      /^(?:national_id|tax_id|health|bank|payment)$/.test(family),
    );
    expect(findHits(rows(cells), numbers)).toEqual([]);
  });
});
