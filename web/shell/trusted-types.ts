type Policy = { createPolicy(name: string, rules: { createHTML: (text: string) => string }): unknown };

/**
 * The page's policy refuses markup that is made from text. React Aria empties an element by `innerHTML = ''`, so the
 * one policy of trusted types accepts the empty text, and nothing else.
 */
export function allowEmptyMarkup(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Policy };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text !== '') throw new TypeError('Markup from text is refused.');
      return text;
    },
  });
}
