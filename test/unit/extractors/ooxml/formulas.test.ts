import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { shownInstruction } from '../../../../core/extractors/office/field-instruction.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { docFile } from '../../../support/documents/doc.ts';
import { docxWithBody, zip } from '../../../support/documents/packages.ts';
import { rtfOf } from '../../../support/documents/rtf.ts';

const textOf = async (bytes: Uint8Array, name = 'file') => {
  const outcome = await extract({ name, mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);
  return 'text' in outcome ? outcome.text : outcome;
};

test.for<[string, string]>([
  [' EQ \\f(1,2) ', '1/2'],
  ['eq x\\s\\up8(2)+\\r(3,8)', 'x2+3 8'],
  ['EQ \\o\\ad(\\s\\up 9(とう),東)', 'とう東'],
  ['EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ac(○,印)', '○印'],
  ['EQ \\b\\lc\\{\\rc\\}(\\a\\al\\co2(a,b,c,d))', 'a b c d'],
  ['EQ \\i\\su(i=1,n,\\f(1;i))=f(x, y)', 'i=1 n 1/i=f(x, y)'],
  ['EQ \\(a\\,b\\)\\\\ \\d\\fo10\\li()', '(a,b)\\'],
  ['EQ \\', ''],
  ['MACROBUTTON NoMacro [Click here]', '[Click here]'],
  ['GOTOBUTTON "a mark" See the annex', 'See the annex'],
  ['PAGE', ''],
  ['EQUAL x', ''],
])('of %s is shown: %s', ([instruction, shown]) => {
  expect(shownInstruction(instruction)).toBe(shown);
});

test('an instruction without an end takes time by its length', () => {
  const began = cpuMs();
  for (const unit of ['\\f(', '\\* "', '((', '\\lc\\', ',']) shownInstruction(`EQ ${unit.repeat(20_000)}`);
  expect(cpuMs() - began).toBeLessThan(2_000);
});

test('EQ fields and buttons stand in their place in DOC, DOCX and RTF', async () => {
  const doc = 'Half is \x13 EQ \\f(1,2) \x15, a third \x13 EQ \\f(1,3) \x14\x15. \x13=2+2 \x144\x15\r';
  expect(await textOf(docFile({ pieces: [{ text: doc }] }))).toBe('Half is 1/2, a third 1/3. 4');

  const run = (content: string) => `<w:r>${content}</w:r>`;
  const text = (words: string) => run(`<w:t>${words}</w:t>`);
  const mark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
  const field = (first: string, second: string) =>
    mark('begin') + run(`<w:instrText>${first}</w:instrText>`) + run(`<w:instrText>${second}</w:instrText>`);
  const docx = `<w:p>${text('Half is ')}${field('EQ \\f(1', ',2)')}${mark('end')}${text(', four is ')}${field('=2', '+2')}${mark('separate')}${text('4')}${mark('end')}<w:fldSimple w:instr="MACROBUTTON x Press"/></w:p>`;
  expect(await textOf(docxWithBody(docx))).toBe('Half is 1/2, four is 4Press');

  const rtf =
    'Half is {\\field{\\*\\fldinst EQ \\\\f(1,2)}{\\fldrslt }}, four is {\\field{\\*\\fldinst =2+2}{\\fldrslt 4}}';
  expect(await textOf(rtfOf(rtf))).toBe('Half is 1/2, four is 4');
});

test('formulas of OMML: bars of fractions, signs of sums', async () => {
  const part = (name: string, words: string) => `<m:${name}><m:r><m:t>${words}</m:t></m:r></m:${name}>`;
  const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>${part('sub', 'i=1')}${part('sup', 'n')}${part('e', 'i')}</m:nary>`;
  const formula = `<m:oMath>${sum}<m:r><m:t>=</m:t></m:r><m:f>${part('num', 'n(n+1)')}${part('den', '2')}</m:f></m:oMath>`;
  expect(await textOf(docxWithBody(`<w:p><m:oMathPara>${formula}</m:oMathPara></w:p>`))).toBe(
    '∑i=1ni=n(n+1)/2',
  );
});

test('formulas of RTF: what is seen, and not how it is laid out', async () => {
  const formula =
    '{\\mmath{\\*\\moMath{\\mnary{\\mnaryPr{\\mchr \\u8721?}{\\mlimLoc undOvr}{\\mctrlPr\\i}}{\\msub{\\mr i}}{\\me{\\mr x}}}{\\mr =}{\\mf{\\mfPr{\\mtype lin}}{\\mnum{\\mr 1}}{\\mden{\\mr 2}}}}{\\mmathPict picture}}';
  expect(await textOf(rtfOf(`a ${formula} b`))).toBe('a ∑ix=1/2 b');
});

const MATHML = (prefix: string) =>
  `<${prefix}math><${prefix}mi>x</${prefix}mi><${prefix}mo>=</${prefix}mo><${prefix}mfrac><${prefix}mrow><${prefix}mn>1</${prefix}mn><${prefix}mo>+</${prefix}mo><${prefix}mfrac><${prefix}mi>a</${prefix}mi><${prefix}mi>b</${prefix}mi></${prefix}mfrac></${prefix}mrow><${prefix}mn>2</${prefix}mn></${prefix}mfrac></${prefix}math>`;

test('formulas of MathML in OpenDocument, pages and books', async () => {
  const odf = {
    'META-INF/manifest.xml': '<m/>',
    'content.xml': '<c><text:p>body</text:p></c>',
    'Object 1/content.xml': MATHML('math:'),
  };
  expect(await textOf(zip(odf))).toBe('body\nx=1+a/b/2');
  const page = Buffer.from(`<html><p>If ${MATHML('')} then</p></html>`);
  expect(await textOf(page)).toBe('If x=1+a/b/2 then');
  const book = { 'META-INF/container.xml': '<container/>', 'a.xhtml': page };
  expect(await textOf(zip(book))).toBe('If x=1+a/b/2 then');
});
