/** The part of WebAssembly that is used, because neither TypeScript's library nor Node's types declare it. */
type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type WasmInstance = { exports: Record<string, unknown> };
/** A compiled program. */
export type WasmProgram = object;
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WasmProgram>;
  Instance: new (module: WasmProgram, imports: object) => WasmInstance;
  Memory: new () => WasmMemory;
};

const PAGE_BYTES = 65_536;

/** Compiles a program, which takes longer than to create an instance of it. */
export const compileProgram = (code: Uint8Array): Promise<WasmProgram> => WebAssembly.compile(code);

/** What a build of Emscripten asks for as it starts, besides `More` of its own. */
type Hooks = {
  instantiateWasm(imports: object, receive: (instance: WasmInstance) => void): Record<string, unknown>;
  print(): void;
  printErr(): void;
};
export type LoadModule<Api, More extends object = object> = (hooks: Hooks & More) => Promise<Api>;

/** Creates instances of one program, each with its own bounded memory. */
export type BoundedProgram = {
  /** Starts an instance, which prints nothing, because the output could reveal content of the file. */
  start<Api, More extends object>(load: LoadModule<Api, More>, more: More): Promise<Api>;
  /** The memory of the last instance. */
  memory(): WasmMemory;
  /** Whether the last request for memory of the last instance was refused. */
  isRefused(): boolean;
};

/**
 * C programs have a bound of two gigabytes of their own. If growing fails, they request less and then report that
 * memory has run out.
 */
export function boundedProgram(program: WasmProgram, memoryMb: number): BoundedProgram {
  let bounded: WasmMemory;
  let isRefused = false;
  const instantiate = (imports: object): WasmInstance => {
    const instance = new WebAssembly.Instance(program, imports);
    const memory = Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory);
    if (memory === undefined) throw new Error('no memory');
    const grow = memory.grow.bind(memory);
    memory.grow = (pages) => {
      isRefused = memory.buffer.byteLength + pages * PAGE_BYTES > memoryMb * 1024 * 1024;
      if (isRefused) throw new RangeError('memory_bound');
      return grow(pages);
    };
    bounded = memory;
    return instance;
  };
  return {
    start: (load, more) =>
      load({
        ...more,
        instantiateWasm(imports, receive) {
          const instance = instantiate(imports);
          receive(instance);
          return instance.exports;
        },
        print() {},
        printErr() {},
      }),
    memory: () => bounded,
    isRefused: () => isRefused,
  };
}
