import { describe, expect, test } from 'vitest';
import { extract } from '../../../core/extractors/extract.ts';
import { analyse } from '../../../core/scan/analyse.ts';
import { docx, zip } from '../../support/documents/packages.ts';

const BOUNDS = { maxCharacters: 100_000, maxMembers: 100, maxInflatedBytes: 1_000_000, maxDepth: 3 };
const MAIL = [
  'From: a@mail.example.org',
  'Subject: figures',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain',
  '',
  'Please see below.',
  '--x',
  'Content-Type: text/csv; name=pay.csv',
  'Content-Disposition: attachment; filename=pay.csv',
  '',
  'iban',
  'DE89370400440532013000',
  '--x--',
  '',
].join('\r\n');

/** Where the excerpts of a file say that a kind was found. */
async function placesOf(name: string, bytes: Uint8Array, kind: string, maxCharacters = 100_000) {
  const outcome = await extract({ name, mimeType: null, bytes }, { ...BOUNDS, maxCharacters });
  if (!('text' in outcome)) throw new Error(`not read: ${outcome.reason}`);
  const argument = {
    ...{ name, path: name, contentHash: null, excerpts: { max: 10, width: 120 }, detectors: [], homes: [] },
    ...{ fingerprintKey: null, vocabulary: null, forOpinion: false },
  };
  return analyse(outcome.text, argument, outcome)
    .excerpts.filter(({ detectorId }) => detectorId === kind)
    .map(({ inside }) => inside);
}

const CARD = 'card 4539 1488 0343 6467';

describe('a find in a file inside a file says where', () => {
  test('the path in an archive, and nothing for a file by itself', async () => {
    const archive = zip({ 'HR/notes.txt': 'nothing', 'Payroll/2024/Gehaltsabrechnungen Mai.txt': CARD });
    expect(await placesOf('a.zip', archive, 'credit_card')).toEqual([
      'Payroll/2024/Gehaltsabrechnungen Mai.txt',
    ]);
    expect(await placesOf('a.txt', Buffer.from(CARD), 'credit_card')).toEqual([undefined]);
  });

  test('the path through archives, mails and documents, the innermost file last', async () => {
    const inner = zip({ 'mail/old.eml': MAIL, 'terms.txt': 'terms' });
    expect(await placesOf('a.zip', zip({ 'x.txt': 'x', 'b/inner.zip': inner }), 'iban')).toEqual([
      'b/inner.zip/mail/old.eml/pay.csv',
    ]);
    expect(await placesOf('old.eml', Buffer.from(MAIL), 'iban')).toEqual(['pay.csv']);
  });

  test('two files with the same value are told apart', async () => {
    const document = docx({
      'word/document.xml': `<w:document><w:body><w:p><w:r><w:t>${CARD}</w:t></w:r></w:p></w:body></w:document>`,
    });
    const archive = zip({ 'first.txt': `${CARD}\n${'word '.repeat(99)}`, 'second.docx': document });
    expect(await placesOf('a.zip', archive, 'credit_card')).toEqual(['first.txt', 'second.docx']);
  });

  test('identifiers in a path are masked, step by step', async () => {
    const path = 'Arbeitsunfähigkeit/anna.muster@example.com/308-63-0237.txt';
    expect(await placesOf('a.zip', zip({ [path]: CARD }), 'credit_card')).toEqual([
      'Arbeitsunfähigkeit/a•••.••••••@•••••••.••m/••••••••.txt',
    ]);
  });

  test('a path is bounded, and one in a text that is cut is kept', async () => {
    const deep = `${'folder/'.repeat(200)}last.txt`;
    const [path] = await placesOf(
      'a.zip',
      zip({ [deep]: `${CARD} ${'word '.repeat(900)}` }),
      'credit_card',
      2_000,
    );
    expect(path).toHaveLength(300);
    expect(path).toMatch(/folder\/last\.txt$/);
    const long = `${'x '.repeat(240)}/${'folder/'.repeat(20)}last.txt`;
    const [whole] = await placesOf('a.zip', zip({ [long]: CARD }), 'credit_card');
    expect(whole).toBe(`${'folder/'.repeat(20)}last.txt`);
  });

  test.each([
    ['reset-aZx9-Kq27_Lm83-Pw0s_Tt51-Rv6y_Ue22.txt', '••••••••'],
    ['sk-proj-aBcDeFgHiJkLmNoPqRsTuVwXyZ.txt', '••••••••'],
    ['AbCdEfGhIjKlMnOpQrStUvWxYz.txt', '••••••••'],
    ['to/reset-aZx9-Kq27_Lm83-Pw0s_Tt51-Rv6y_Ue22.txt', 'to/••••••••'],
  ])('a key in the name %s is masked', async (name, shown) => {
    expect(await placesOf('a.zip', zip({ [name]: CARD }), 'credit_card')).toEqual([shown]);
  });

  test('a name keeps no character that cannot be stored', async () => {
    const archive = zip({ 'HR\t/a\0b\x1b.txt': CARD });
    expect(await placesOf('a.zip', archive, 'credit_card')).toEqual(['HR /ab.txt']);
  });
});
