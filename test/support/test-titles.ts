/** The beginning of a test or a group, with its modifiers. */
const BEGINNING = /^(?=[ \t]*(?:test|it|describe)(?:\.\w+)*[(`<])/m;
const HEAD = /^[ \t]*(test|it|describe)((?:\.\w+)*)/;
/** The title of `test('…', …)` and `test.each(…)('…', …)`. */
const TITLE =
  /(?:^[ \t]*(?:test|it|describe)(?:\.\w+)*\(|\)\(|`\()\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1\s*,\s*(?:async\s*)?(?:\(|\w+ =>|\{)/;

export type Titled = {
  title: string;
  kind: 'test' | 'group';
  /** Whether it does not always run. */
  skipped: boolean;
};

/** The tests and groups in the source of a test file, in order. */
export function titledIn(source: string): Titled[] {
  return source.split(BEGINNING).flatMap((part) => {
    const [, name, modifiers = ''] = HEAD.exec(part) ?? [];
    const [, , title] = TITLE.exec(part) ?? [];
    if (name === undefined || title === undefined) return [];
    const skipped = /\.(?:skip|todo|only|skipIf|runIf|fails)\b/.test(modifiers) || /\bskip\(/.test(part);
    return [
      { title: title.replaceAll(/\\(.)/g, '$1'), kind: name === 'describe' ? 'group' : 'test', skipped },
    ];
  });
}
