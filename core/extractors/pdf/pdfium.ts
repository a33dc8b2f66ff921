import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { byLibrarySync, Damaged } from '../damage.ts';
import { threadMs } from '../pool/thread-ms.ts';
import { boundedProgram, compileProgram, type LoadModule, type WasmProgram } from '../pool/wasm-memory.ts';

/** The WebAssembly build of PDFium without its library, which would download it. */
const require = createRequire(import.meta.url);
const PACKAGE = '@embedpdf/pdfium';
const PAUSE_VERSION = 1;

/** An address in PDFium's memory. 0 is null. */
export type Pointer = number;

/** The part of PDFium's C API that is used. */
type PdfiumApi = {
  PDFiumExt_Init(): void;
  FPDF_LoadCustomDocument(file: Pointer, password: string): Pointer;
  /** Why the last document could not be opened: 4 if it needs a password, 5 if its encryption is unknown. */
  FPDF_GetLastError(): number;
  FPDF_GetPageCount(document: Pointer): number;
  FPDF_LoadPage(document: Pointer, index: number): Pointer;
  FPDF_ClosePage(page: Pointer): void;
  FPDF_GetPageWidthF(page: Pointer): number;
  FPDF_GetPageHeightF(page: Pointer): number;
  FPDF_PageToDevice(
    page: Pointer,
    ...where: [
      left: 0,
      top: 0,
      width: number,
      height: number,
      turn: 0,
      x: number,
      y: number,
      toX: Pointer,
      toY: Pointer,
    ]
  ): boolean;
  FPDFPage_CountObjects(page: Pointer): number;
  FPDFPage_GetObject(page: Pointer, index: number): Pointer;
  FPDFFormObj_CountObjects(form: Pointer): number;
  FPDFFormObj_GetObject(form: Pointer, index: number): Pointer;
  FPDFPageObj_GetType(object: Pointer): number;
  FPDFPageObj_GetMatrix(object: Pointer, matrix: Pointer): boolean;
  FPDFPageObj_SetIsActive(object: Pointer, active: boolean): boolean;
  FPDFImageObj_GetImagePixelSize(object: Pointer, width: Pointer, height: Pointer): boolean;
  FPDFImageObj_GetBitmap(object: Pointer): Pointer;
  FPDFBitmap_CreateEx(width: number, height: number, format: number, buffer: 0, stride: 0): Pointer;
  FPDFBitmap_FillRect(bitmap: Pointer, x: 0, y: 0, width: number, height: number, colour: number): boolean;
  FPDFBitmap_GetBuffer(bitmap: Pointer): Pointer;
  FPDFBitmap_GetFormat(bitmap: Pointer): number;
  FPDFBitmap_GetWidth(bitmap: Pointer): number;
  FPDFBitmap_GetHeight(bitmap: Pointer): number;
  FPDFBitmap_GetStride(bitmap: Pointer): number;
  FPDFBitmap_Destroy(bitmap: Pointer): void;
  FPDF_RenderPageBitmap_Start(
    bitmap: Pointer,
    page: Pointer,
    ...how: [left: 0, top: 0, width: number, height: number, turn: 0, flags: number, pause: Pointer]
  ): number;
  FPDF_RenderPage_Close(page: Pointer): void;
  FPDFText_LoadPage(page: Pointer): Pointer;
  FPDFText_ClosePage(layer: Pointer): void;
  FPDFText_CountChars(layer: Pointer): number;
  FPDFText_GetUnicode(layer: Pointer, at: number): number;
  FPDFText_IsGenerated(layer: Pointer, at: number): number;
  FPDFText_GetLooseCharBox(layer: Pointer, at: number, box: Pointer): boolean;
  FPDFText_GetCharOrigin(layer: Pointer, at: number, x: Pointer, y: Pointer): boolean;
};

type PdfiumModule = PdfiumApi & {
  pdfium: {
    wasmExports: { malloc(bytes: number): Pointer };
    /** @param signature a letter for the result and for each parameter: `i` is an integer */
    addFunction(
      callback: (...values: [number, number, number, number]) => number,
      signature: string,
    ): Pointer;
  };
};

/** PDFium in this thread. Must not be used after it threw. */
export type Pdfium = PdfiumApi & {
  /** The current memory. Growing replaces the buffer. */
  memory(): Buffer;
  /** Allocates memory that is never freed. */
  allocate(bytes: number): Pointer;
  /** Opens a document. The bytes stay in PDFium's memory. Returns 0 if they are no PDF. */
  open(data: Uint8Array): Pointer;
  /**
   * A callback that pauses painting after the deadline.
   * @param deadline in `threadMs()`
   */
  pauseAt(deadline: number): Pointer;
  /** Whether its last request for memory was refused. */
  isRefused(): boolean;
};

/** The functions of a program, which throw nothing but `Damaged`. */
const guarded = <Api extends object>(api: Api): Api =>
  Object.fromEntries(
    Object.entries(api).map(([name, call]) => [
      name,
      typeof call === 'function' ? (...values: unknown[]) => byLibrarySync(() => call(...values)) : call,
    ]),
  ) as Api;

/** The same for all instances of a thread. */
let compiled: Promise<WasmProgram> | null = null;

/** @param memoryMb the most memory in megabytes */
export async function loadPdfium(memoryMb: number): Promise<Pdfium> {
  const { init } = require(PACKAGE) as { init: LoadModule<PdfiumModule> };
  compiled ??= readFile(require.resolve(`${PACKAGE}/pdfium.wasm`)).then(compileProgram);
  const program = boundedProgram(await compiled, memoryMb);
  const { pdfium, ...loaded } = await program.start(init, {});
  const api = guarded(loaded);
  const memory = () => Buffer.from(program.memory().buffer);
  const allocate = (bytes: number) => {
    const at = byLibrarySync(() => pdfium.wasmExports.malloc(bytes));
    if (at === 0) throw new Damaged('memory_bound');
    return at;
  };
  const structure = (...fields: number[]): Pointer => {
    const at = allocate(fields.length * 4);
    for (const [index, field] of fields.entries()) memory().writeUInt32LE(field, at + index * 4);
    return at;
  };
  let pauseAfter = Number.POSITIVE_INFINITY;
  const isTimeUp = pdfium.addFunction(() => (threadMs() > pauseAfter ? 1 : 0), 'ii');
  const pause = structure(PAUSE_VERSION, isTimeUp, 0);
  api.PDFiumExt_Init();
  return {
    ...api,
    memory,
    allocate,
    open(data) {
      const read = (_: number, from: number, to: Pointer, length: number) => {
        if (from + length > data.length) return 0;
        memory().set(data.subarray(from, from + length), to);
        return 1;
      };
      const file = structure(data.length, pdfium.addFunction(read, 'iiiii'), 0);
      return api.FPDF_LoadCustomDocument(file, '');
    },
    pauseAt(deadline) {
      pauseAfter = deadline;
      return pause;
    },
    isRefused: program.isRefused,
  };
}
