import { dotProductsModule } from "./dot-products-module.ts";
import type { DotProducts, FloatMemory } from "./float-memory.ts";

const pageBytes = 65_536;
// The maximum pages of a WebAssembly memory: one less than 32 bits can address. The end offset of a row then never
// overflows to 0.
const maxPages = 65_535;

type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type DotProductsFunction = (
  ...places: [query: number, row: number, end: number, width: number, product: number]
) => void;

/** The used part of `WebAssembly`, which has no types here and may be missing in a process. */
type Wasm = {
  Memory: new (size: { initial: number }) => WasmMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** Floats in a WebAssembly memory, whose dot products use vector instructions that JavaScript does not have. */
export class SimdMemory implements FloatMemory {
  floats: Float32Array;
  readonly #memory: WasmMemory;
  readonly #dotProducts: DotProductsFunction;

  private constructor(memory: WasmMemory, dotProducts: DotProductsFunction) {
    this.#memory = memory;
    this.#dotProducts = dotProducts;
    this.floats = new Float32Array(memory.buffer);
  }

  /** Creates an empty memory. Returns `undefined` if the process cannot create a WebAssembly memory. */
  static create(): SimdMemory | undefined {
    const { WebAssembly: wasm } = globalThis as { WebAssembly?: Wasm };
    if (wasm === undefined) return undefined;
    try {
      const memory = new wasm.Memory({ initial: 0 });
      const { exports } = new wasm.Instance(new wasm.Module(dotProductsModule()), { js: { memory } });
      return new SimdMemory(memory, exports["dotProducts"] as DotProductsFunction);
    } catch {
      // The memory cannot be created if the processor has no vector instructions, code generation is disallowed, or the
      // address space of the process is exhausted (it has room for about ten thousand memories).
      return undefined;
    }
  }

  grow(least: number): void {
    const pages = this.floats.byteLength / pageBytes;
    const wanted = Math.ceil((least * 4) / pageBytes);
    if (wanted > maxPages) throw new RangeError("A WebAssembly memory holds at most 4 GB.");
    // Pages of a WebAssembly memory that were never written use no physical memory.
    this.#memory.grow(Math.min(Math.max(wanted, 2 * pages), maxPages) - pages);
    // Growing a WebAssembly memory detaches the previous buffer from its views.
    this.floats = new Float32Array(this.#memory.buffer);
  }

  dotProducts({ query, rows, count, stride, products }: DotProducts): void {
    this.#dotProducts(query * 4, rows * 4, (rows + count * stride) * 4, stride * 4, products * 4);
  }
}
