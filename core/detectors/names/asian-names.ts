import type { Span } from './spans.ts';
import type { Slice } from './tokens.ts';

/** The most frequent surnames of China and Taiwan, in both ways of writing. */
const CHINESE_SURNAME =
  '(?:欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅高郑鄭梁谢謝宋唐许許邓鄧韩韓冯馮曹彭曾肖蕭萧田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温溫])';
const CHINESE = `${CHINESE_SURNAME}\\p{sc=Han}{1,2}`;
const KOREAN =
  '(?:[김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형]|남궁|황보|제갈|선우)[가-힣]{2}';
const JAPANESE = '\\p{sc=Han}{2,4}(?:[ \\u3000]?[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}]{2,3})?';
const THAI_WORD = '[\\u0e01-\\u0e4e]';
const INDIAN_WORD = '(?!(?:ने|को|से|का|के|की|में|पर|और|है|जी|एवं|व)(?![\\u0900-\\u097f]))[\\u0900-\\u0963]{2,20}';

/** Titles and phrases that precede or follow a name. Each has the name as its only group. */
const FORMS = [
  `(?<!\\p{sc=Han})(${CHINESE})(?:先生|女士|小姐|太太|老师|老師|医生|醫生|律师|律師)`,
  `(?:我叫|我是|我的名字是|我姓)(${CHINESE})(?!\\p{sc=Han})`,
  `(?<![가-힣])(${KOREAN})(?: ?(?:씨|님|귀하|선생님)|입니다)`,
  `(?<!\\p{sc=Han})((?!担当者|関係者|責任者|利用者|御担当|皆々)${JAPANESE})(?:様|さん|殿)(?!\\p{sc=Han})`,
  `(?<!${THAI_WORD})(?:นางสาว|นาย|นาง|เด็กชาย|เด็กหญิง) ?(${THAI_WORD}{2,24}(?: {1,2}${THAI_WORD}{2,24})?)`,
  `(?<![\\u0900-\\u097f])(?:श्रीमती|श्रीमान|सुश्री|श्री|कुमारी|डॉ\\.?) (${INDIAN_WORD}(?: ${INDIAN_WORD})?)`,
].map((form) => new RegExp(form, 'dgu'));

/** Devanagari, Thai, Kana, Han and Hangul: each form has a title or phrase of one of them. */
const ASIAN = /[\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/;

/** Names in scripts without capitals, which a title or a phrase shows: `王小明先生`, `김철수 씨`, `श्री राजेश कुमार`. */
export function asianNames({ text, tokens }: Slice): Span[] {
  if (tokens.every(({ word }) => word.isAscii)) return [];
  const from = tokens[0]?.start ?? 0;
  const part = text.slice(from, (tokens.at(-1)?.end ?? 0) + 1);
  if (!ASIAN.test(part)) return [];
  return FORMS.flatMap((form) =>
    [...part.matchAll(form)].flatMap(({ indices }) => {
      const [start, end] = indices?.[1] ?? [0, 0];
      return end > start ? [{ start: from + start, end: from + end }] : [];
    }),
  );
}
