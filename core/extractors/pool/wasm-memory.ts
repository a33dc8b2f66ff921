/** What is used of WebAssembly, which neither this language's library nor Node's types describe. */
type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
export type WasmInstance = { exports: Record<string, unknown> };
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (module: object, imports: object) => WasmInstance;
  Memory: new () => WasmMemory;
};

const PAGE_BYTES = 65_536;

/** Makes instances of one program, each with a memory of its own that grows to a bound and no further. */
export type BoundedProgram = {
  instantiate(imports: object): WasmInstance;
  /** Of the last instance. */
  memory(): WasmMemory;
  /** Whether the last instance was refused what it asked for last. */
  isRefused(): boolean;
};

/**
 * Programs in C have a bound of their own of two gigabytes. When growing fails they ask for less, then answer as C does
 * when there is no more memory.
 */
export async function boundedProgram(code: Uint8Array, memoryMb: number): Promise<BoundedProgram> {
  const program = await WebAssembly.compile(code);
  let bounded: WasmMemory;
  let isRefused = false;
  return {
    instantiate(imports) {
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
    },
    memory: () => bounded,
    isRefused: () => isRefused,
  };
}
