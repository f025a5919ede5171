/**
 * Returns the code of a WebAssembly module that exports `dotProducts`: it multiplies a query with rows of floats, by
 * vector instructions.
 */
export function dotProductsModule(): Uint8Array<ArrayBuffer> {
  const noResult = 0;
  const type = [0x60, 5, i32, i32, i32, i32, i32, noResult];
  const imported = [...name("js"), ...name("memory"), memoryKind, 0, 0];
  const exported = [...name("dotProducts"), functionKind, 0];
  const locals = [2, 2, i32, 4, v128];
  return new Uint8Array([
    ...magic,
    ...section(1, type),
    ...section(2, imported),
    ...section(3, [0]),
    ...section(7, exported),
    ...section(10, withSize([...locals, ...rowsLoop(), end])),
  ]);
}

// The indices of the parameters of `dotProducts`, followed by the indices of its local variables.
const [query, row, rowsEnd, width, product, at, rowEnd, ...sums] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
const [a, b, c, d] = sums;

/**
 * Returns the instructions that multiply each row with the query in four sums of four lanes each, and store their
 * total.
 */
function rowsLoop(): number[] {
  return loop(
    [...zeros, ...tee(d), ...tee(c), ...tee(b), ...set(a)],
    [...get(query), ...set(at), ...get(row), ...get(width), i32Add, ...set(rowEnd)],
    floatsLoop(),
    get(product),
    [...get(a), ...get(b), ...v128Add, ...get(c), ...get(d), ...v128Add, ...v128Add, ...set(a)],
    [...lane(a, 0), ...lane(a, 1), f32Add, ...lane(a, 2), ...lane(a, 3), f32Add, f32Add, ...f32Store],
    [...plus(product, 4), ...set(product)],
    [...get(row), ...get(rowsEnd), i32Less, ...repeatIf],
  );
}

function floatsLoop(): number[] {
  return loop(
    ...sums.map((sum, index) => addProduct(sum, 16 * index)),
    [...plus(at, 64), ...set(at)],
    [...plus(row, 64), ...tee(row), ...get(rowEnd), i32Less, ...repeatIf],
  );
}

function addProduct(sum: number, offset: number): number[] {
  return [...get(sum), ...load(at, offset), ...load(row, offset), ...v128Multiply, ...v128Add, ...set(sum)];
}

const magic = [...Buffer.from("\0asm"), 1, 0, 0, 0];
const i32 = 0x7f;
const v128 = 0x7b;
const functionKind = 0;
const memoryKind = 2;

const end = 0x0b;
const repeatIf = [0x0d, 0];
const i32Less = 0x49;
const i32Add = 0x6a;
const f32Add = 0x92;
const f32Store = [0x38, 2, 0];
const zeros = [0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const v128Add = [0xfd, 0xe4, 1];
const v128Multiply = [0xfd, 0xe6, 1];

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
const plus = (local: number, constant: number) => [...get(local), 0x41, ...signed(constant), i32Add];
const load = (address: number, offset: number) => [...get(address), 0xfd, 0, 4, offset];
const lane = (local: number, index: number) => [...get(local), 0xfd, 0x1f, index];
const loop = (...parts: number[][]) => [0x03, 0x40, ...parts.flat(), end];

const name = (text: string) => [text.length, ...Buffer.from(text)];
const section = (id: number, item: number[]) => [id, ...withSize([1, ...item])];
const withSize = (bytes: number[]) => [...unsigned(bytes.length), ...bytes];
// Integers are encoded in groups of seven bits, lowest first. In a signed integer the highest bit is the sign.
const unsigned = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const signed = (value: number) => (value < 64 ? [value] : [(value & 127) | 128, value >> 7]);
