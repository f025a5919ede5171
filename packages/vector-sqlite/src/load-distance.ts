import type { DatabaseSync } from "node:sqlite";

/**
 * The cosine distance of stored vectors from one vector, as a function of SQL: its name, and what to give it as the second
 * argument.
 */
export type Distance = { readonly name: string; readonly argumentOf: (vector: Float32Array) => Uint8Array | null };

/** Returns the path of the `sqlite-vec` extension. Throws where its packages have none for this platform. */
export async function findSqliteVec(): Promise<string> {
  const { getLoadablePath } = await import("sqlite-vec");
  return getLoadablePath();
}

/** Loads the distance from the `sqlite-vec` extension into a connection that allows extensions, and then no more. */
export function loadDistance(database: DatabaseSync, path: string): Distance {
  database.loadExtension(path);
  database.enableLoadExtension(false);
  return { name: "vec_distance_cosine", argumentOf: bytesOf };
}

/** Gives a connection the distance in JavaScript, where there is no extension. */
export function addDistance(database: DatabaseSync): Distance {
  // As an argument it would be copied for each stored vector.
  let query: Float32Array = new Float32Array();
  database.function("troupe_distance", { deterministic: true }, (vector, _query) =>
    vector instanceof Uint8Array ? cosineDistance(floatsOf(vector), query) : null,
  );
  return {
    name: "troupe_distance",
    argumentOf: (vector) => {
      query = vector;
      return null;
    },
  };
}

function cosineDistance(one: Float32Array, other: Float32Array): number {
  const [dot, square] = [dotProduct(one, other), dotProduct(one, one)];
  return 1 - dot / Math.sqrt(square * dotProduct(other, other));
}

// Four sums: with one, each addition would wait for the one before.
function dotProduct(one: Float32Array, other: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  let index = 0;
  for (; index + 3 < one.length; index += 4) {
    a += (one[index] as number) * (other[index] as number);
    b += (one[index + 1] as number) * (other[index + 1] as number);
    c += (one[index + 2] as number) * (other[index + 2] as number);
    d += (one[index + 3] as number) * (other[index + 3] as number);
  }
  for (; index < one.length; index++) a += (one[index] as number) * (other[index] as number);
  return a + b + (c + d);
}

/** Returns the cosine of two vectors, in 64-bit floats. */
export function cosineOf(one: Float32Array, other: Float32Array): number {
  return 1 - cosineDistance(one, other);
}

/** Returns the bytes of a vector, as SQLite stores them. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the vector of stored bytes. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(buffer, byteOffset, Math.floor(length / 4));
}

/** Returns the vector of the same direction with the length 1. */
export function toUnit(vector: Float32Array, length: number): Float32Array {
  return vector.map((value) => value / length);
}
