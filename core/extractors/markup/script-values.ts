/** A name with a string of one word, as in `apiKey = "…"`, `"token": "…"` and `data-key="…"`. */
const VALUE = /([\w$-]{1,60})["']?\s{0,9}[:=]\s{0,9}(["'`])([^"'`\s<>]{8,512})\2/g;
/** Paths, selectors and addresses without a query, which are no secrets. */
const PLAIN = /^(?:[./#]|(?:https?:)?\/\/[^?@]*$)/;

/** Scripts, styles and data attributes are no text, but a secret in them is open to every reader of the page. */
export function* scriptValues(source: string): Generator<string> {
  for (const [, name, , value = ''] of source.matchAll(VALUE)) {
    if (!PLAIN.test(value)) yield `${name} = "${value}"`;
  }
}
