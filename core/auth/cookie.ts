/** Values of the cookies of that name, in the order of the `Cookie` header. */
export const cookiesIn = (header: string | null, name: string): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
