/** `&L&"Arial,Bold"&12Secret && &P` → `Secret &`: sections separate words. The rest are fonts, numbers and dates. */
export const headerText = (data: string) =>
  data
    .replace(/&(?:&|"[^"]{0,255}"|K[0-9A-F]{6}|\d{1,3}|[A-Z])/gi, (code) => (code === '&&' ? '&' : ' '))
    .trim();
