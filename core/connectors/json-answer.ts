/** Null if the text is no JSON. */
export function jsonFrom(answer: Uint8Array | string): unknown {
  const text = typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8');
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
