import { dotProductsModule } from "./dot-products-module.ts";
import type { DotProducts, FloatMemory } from "./float-memory.ts";

const pageBytes = 65_536;
// One page less than 32 bits can address, so that no end of a row is 0 again.
const maxPages = 65_535;

type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type DotProductsFunction = (
  ...places: [query: number, row: number, end: number, width: number, product: number]
) => void;

/** What is used of `WebAssembly`, which has no types here, and of which a process may have none. */
type Wasm = {
  Memory: new (size: { initial: number }) => WasmMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** Floats in a WebAssembly memory, where its vector instructions reach them without a copy. */
export class SimdMemory implements FloatMemory {
  floats: Float32Array;
  readonly #memory: WasmMemory;
  readonly #dotProducts: DotProductsFunction;

  private constructor(memory: WasmMemory, dotProducts: DotProductsFunction) {
    this.#memory = memory;
    this.#dotProducts = dotProducts;
    this.floats = new Float32Array(memory.buffer);
  }

  /** An empty memory, or none where that is impossible. */
  static create(): SimdMemory | undefined {
    const { WebAssembly: wasm } = globalThis as { WebAssembly?: Wasm };
    if (wasm === undefined) return undefined;
    try {
      const memory = new wasm.Memory({ initial: 0 });
      const { exports } = new wasm.Instance(new wasm.Module(dotProductsModule()), { js: { memory } });
      return new SimdMemory(memory, exports["dotProducts"] as DotProductsFunction);
    } catch {
      // No vector instructions, no leave to make code, or no address space left: it is enough for some ten thousand memories.
      return undefined;
    }
  }

  grow(least: number): void {
    const pages = this.floats.byteLength / pageBytes;
    const wanted = Math.ceil((least * 4) / pageBytes);
    if (wanted > maxPages) throw new RangeError("A WebAssembly memory ends at 4 GB.");
    // Pages that were never written take no memory.
    this.#memory.grow(Math.min(Math.max(wanted, 2 * pages), maxPages) - pages);
    // Growing takes the old buffer away from its views.
    this.floats = new Float32Array(this.#memory.buffer);
  }

  dotProducts({ query, rows, count, stride, products }: DotProducts): void {
    this.#dotProducts(query * 4, rows * 4, (rows + count * stride) * 4, stride * 4, products * 4);
  }
}
