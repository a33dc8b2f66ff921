import { type BusinessDocument, blockLines } from '../business-document.ts';
import { escapeXml, OFFICE_RELATIONS, officePackage, type Part } from './office-package.ts';

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const SLIDES = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const NAMESPACES = `xmlns:a="${DRAWING}" xmlns:r="${OFFICE_RELATIONS}" xmlns:p="${SLIDES}"`;

/** A title slide, then one slide per heading with the lines below it. */
export function pptxOf(document: BusinessDocument): Uint8Array {
  const slides = [{ title: document.title, lines: [`${document.author}, ${document.date}`] }];
  for (const block of document.blocks) {
    if (block.kind === 'heading') slides.push({ title: block.text, lines: [] });
    else slides.at(-1)?.lines.push(...blockLines(block));
  }
  const slideParts = slides.map(
    (slide, at): Part => ({
      path: `ppt/slides/slide${at + 1}.xml`,
      type: 'presentationml.slide',
      xml: `<p:sld ${NAMESPACES}><p:cSld>${shapeTree(box(2, 'Title', 'title', [slide.title], 400_000) + box(3, 'Text', 'body', slide.lines, 1_800_000))}</p:cSld></p:sld>`,
      relations: [['rId1', 'slideLayout', '../slideLayouts/slideLayout1.xml']],
    }),
  );
  const list = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 2}"/>`).join('');
  return officePackage(
    [
      {
        path: 'ppt/presentation.xml',
        type: 'presentationml.presentation.main',
        xml: `<p:presentation ${NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>${list}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
        relations: [
          ['rId1', 'slideMaster', 'slideMasters/slideMaster1.xml'],
          ...slides.map((_, at): [string, string, string] => [
            `rId${at + 2}`,
            'slide',
            `slides/slide${at + 1}.xml`,
          ]),
        ],
      },
      ...slideParts,
      {
        path: 'ppt/slideMasters/slideMaster1.xml',
        type: 'presentationml.slideMaster',
        xml: `<p:sldMaster ${NAMESPACES}><p:cSld>${shapeTree('')}</p:cSld><p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`,
        relations: [
          ['rId1', 'slideLayout', '../slideLayouts/slideLayout1.xml'],
          ['rId2', 'theme', '../theme/theme1.xml'],
        ],
      },
      {
        path: 'ppt/slideLayouts/slideLayout1.xml',
        type: 'presentationml.slideLayout',
        xml: `<p:sldLayout ${NAMESPACES}><p:cSld name="Blank">${shapeTree('')}</p:cSld></p:sldLayout>`,
        relations: [['rId1', 'slideMaster', '../slideMasters/slideMaster1.xml']],
      },
      { path: 'ppt/theme/theme1.xml', type: 'theme', xml: THEME },
    ],
    document.title,
    document.author,
  );
}

const shapeTree = (shapes: string) =>
  `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree>`;

function box(id: number, name: string, placeholder: string, lines: readonly string[], top: number): string {
  const text =
    lines.map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`).join('') || '<a:p/>';
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${name}"/><p:cNvSpPr/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="500000" y="${top}"/><a:ext cx="8100000" cy="1200000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>${text}</p:txBody></p:sp>`;
}

const color = (name: string, rgb: string) => `<a:${name}><a:srgbClr val="${rgb}"/></a:${name}>`;
const COLORS = [
  ['dk1', '000000'],
  ['lt1', 'FFFFFF'],
  ['dk2', '1F3864'],
  ['lt2', 'E7E6E6'],
  ['accent1', '2E75B6'],
  ['accent2', 'C55A11'],
  ['accent3', '7F7F7F'],
  ['accent4', 'BF9000'],
  ['accent5', '4472C4'],
  ['accent6', '538135'],
  ['hlink', '0563C1'],
  ['folHlink', '954F72'],
].map(([name = '', rgb = '']) => color(name, rgb));
const FONT = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>';
const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
const LINE = `<a:ln w="6350">${FILL}</a:ln>`;
const EFFECT = '<a:effectStyle><a:effectLst/></a:effectStyle>';
const THEME = `<a:theme xmlns:a="${DRAWING}" name="Nordwind"><a:themeElements><a:clrScheme name="Nordwind">${COLORS.join('')}</a:clrScheme><a:fontScheme name="Nordwind"><a:majorFont>${FONT}</a:majorFont><a:minorFont>${FONT}</a:minorFont></a:fontScheme><a:fmtScheme name="Nordwind"><a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst><a:lnStyleLst>${LINE.repeat(3)}</a:lnStyleLst><a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst><a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`;
