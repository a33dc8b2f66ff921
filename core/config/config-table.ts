import { z } from 'zod';

/** The keywords of JSON Schema in which bounds are expressed. */
const Bounds = z.object({
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
});
type Bounds = z.infer<typeof Bounds>;

/** Settings as a Markdown table, in the order of the schema: name, what it is, default, bounds. */
export function configurationTable(settings: z.ZodObject<Record<string, z.ZodType>>): string {
  const { properties = {} } = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const unset = schema.safeParse(undefined);
    return row([
      code(name),
      schema.description ?? '',
      unset.success ? defaultText(unset.data) : 'required',
      boundsText(name, unset.data, Bounds.parse(properties[name])),
    ]);
  });
  return [
    row(['Setting', 'What it is', 'Default', 'Bounds']),
    row(['---', '---', '---', '---']),
    ...rows,
  ].join('\n');
}

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const code = (text: unknown) => `\`${text}\``;

function defaultText(value: unknown): string {
  if (value === undefined) return 'unset';
  return Array.isArray(value) && value.length === 0 ? 'none' : code(value);
}

function boundsText(name: string, unset: unknown, bounds: Bounds): string {
  if (typeof unset === 'boolean') return `${code('true')} or ${code('false')}`;
  if (Array.isArray(unset)) return `comma-separated, at most ${bounds.maxLength} characters`;
  if (bounds.enum !== undefined) return bounds.enum.map(code).join(', ');
  if (bounds.minimum !== undefined) return `${bounds.minimum} to ${bounds.maximum}`;
  if (name.endsWith('_REF')) return 'name of a variable';
  if (name.endsWith('_FILE')) return 'path';
  if (bounds.format === 'uri') return 'URL';
  return `${bounds.minLength} to ${bounds.maxLength} characters`;
}
